// SPDX-License-Identifier: GPL-3.0-or-later
// What the file holds: unpacked once, then only looked up.

/**
 * @typedef {{name: string, kind: string}} Head
 * @typedef {{name: string, hash: string, family: string, dtype: string, device: string, parameters: number,
 *   layers: Head[][], roles: Record<string, string>, labels: Record<string, string>}} Model
 * @typedef {{role: string, begin: number, end: number, target: boolean}} Piece
 * @typedef {{source: string, task: string, gold: string, prompt: string, tokens: string[], pieces: Piece[]}} Sample
 * @typedef {{model: number, sample: number, head: string, ablation: string, meaning: string, signed: boolean, rows: number,
 *   cols: number, error: number, effective: number, sink: number, target: number | null, scales: Float32Array,
 *   lastRow: Float32Array, cells: Uint8Array}} Pattern
 * @typedef {{delta: number, interval: number[], p: number, holm: number, baseline: number, n: number, lost: number,
 *   gained: number}} Change
 * @typedef {{example: number, gained: boolean, before: string, now: string, p: (number | null)[]}} Flip
 * @typedef {{task: number, n: number, value: number, interval: number[], dtype: string, device: string,
 *   change: Change | null, flips: Flip[]}} Score
 * @typedef {{sample: number, token: string, p: number | null, gold: number | null, correct: boolean | null}} Answer
 * @typedef {{model: number, ablation: string, words: string, heads: string[], name: string, note: string,
 *   scores: Score[], answers: Answer[]}} State
 * @typedef {{name: string, kind: string, pairs: number}} Task
 * @typedef {{head: string, value: number, delta: ?number, interval: number[]}} RankedHead
 * @typedef {{model: number, task: string, method: string, ablation: string, n: number, heads: RankedHead[]}} Ranking
 * @typedef {[string, string, number, string, number | null, number | null, number | null, string]} Value
 * @typedef {{model: number, kind: string, ablation: string, source: string, summary: string, stored: number,
 *   values: Value[]}} Analysis
 * @typedef {{sample: string, heads: string[], off: string[], reveal: string[] | null}} Scene
 * @typedef {{kind: string, task: string, side: number, low: number, high: number, layer: number | null}} Condition
 * @typedef {{title: string, text: string, question: string, choices: string[], why: string[], right: number,
 *   write: boolean, explanation: string, cover: string[], conditions: Condition[], scene: Scene}} Step
 * @typedef {{id: string, title: string, summary: string, models: string[], steps: Step[]}} Story
 * @typedef {{title: string, version: string, exam: boolean, models: Model[], samples: Sample[], patterns: Pattern[],
 *   tasks: Task[], examples: {task: string, row: number, prompt: string, gold: string}[], states: State[],
 *   rankings: Ranking[], analyses: Analysis[], stories: Record<string, Story[]>, leftOut: {text: string, parts: string[]}[]}} Study
 */

/** Filled by loadStudy(). */
export const study = /** @type {Study} */ ({});
/** @type {Map<string, State>} */
const statesByKey = new Map();
/** @type {Map<string, Pattern>} */
const patternsByKey = new Map();

/** Bytes of a block that was packed with gzip and base64. */
export async function unpacked(/** @type {string} */ id) {
  const text = /** @type {HTMLElement} */ (document.getElementById(id)).textContent ?? '';
  const packed = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new (/** @type {any} */ (globalThis).DecompressionStream)('gzip'));
  return new Response(stream).arrayBuffer();
}

export async function unpackedJson(/** @type {string} */ id) {
  return JSON.parse(new TextDecoder().decode(await unpacked(id)));
}

function stateKey(/** @type {number} */ model, /** @type {string} */ ablation) {
  return `${model} ${ablation}`;
}

function patternKey(/** @type {number} */ model, /** @type {number} */ sample, /** @type {string} */ head) {
  return `${model} ${sample} ${head}`;
}

/** Heads in the order in which canonical texts have them. */
export function sortedHeads(/** @type {string[]} */ heads) {
  const places = heads.map((head) => ({ head, place: (head.match(/\d+/g) ?? []).map(Number) }));
  places.sort((a, b) => a.place[0] - b.place[0] || a.place[1] - b.place[1] || (a.head < b.head ? -1 : 1));
  return places.map((one) => one.head);
}

export async function loadStudy() {
  Object.assign(study, await unpackedJson('data'));
  const bytes = await unpacked('cells');
  let at = 0;
  for (const pattern of study.patterns) {
    pattern.scales = new Float32Array(bytes, at, pattern.rows);
    at += 4 * pattern.rows;
    const last = pattern.rows > 0 ? pattern.cols : 0;
    pattern.lastRow = new Float32Array(bytes, at, last);
    at += 4 * last;
  }
  for (const pattern of study.patterns) {
    pattern.cells = new Uint8Array(bytes, at, pattern.rows * pattern.cols);
    at += pattern.rows * pattern.cols;
    if (pattern.ablation === '') patternsByKey.set(patternKey(pattern.model, pattern.sample, pattern.head), pattern);
  }
  for (const state of study.states) {
    statesByKey.set(stateKey(state.model, state.ablation), state);
    if (state.heads.length > 0) statesByKey.set(stateKey(state.model, sortedHeads(state.heads).join(' ')), state);
  }
}

/** The map of a head with nothing ablated; undefined: the page has none. */
export function patternOf(/** @type {number} */ model, /** @type {number} */ sample, /** @type {string} */ head) {
  return patternsByKey.get(patternKey(model, sample, head));
}

/** `off`: names of heads, or one text that is not a head. Undefined: the state was not measured. */
export function stateOf(/** @type {number} */ model, /** @type {string[]} */ off) {
  return statesByKey.get(stateKey(model, off.join(' '))) ?? statesByKey.get(stateKey(model, sortedHeads(off).join(' ')));
}

export function scoreOf(/** @type {State | undefined} */ state, /** @type {number} */ task) {
  return state?.scores.find((score) => score.task === task);
}

export function headsOf(/** @type {Model} */ model) {
  return model.layers.flat().map((head) => head.name);
}

/** One cell of a map: its value, and whether that is the session's own number. */
export function cellOf(/** @type {Pattern} */ pattern, /** @type {number} */ row, /** @type {number} */ col) {
  if (row === pattern.rows - 1) return { value: pattern.lastRow[col], exact: true };
  const byte = pattern.cells[row * pattern.cols + col];
  const share = pattern.signed ? (byte > 127 ? byte - 256 : byte) / 127 : byte / 255;
  return { value: share * pattern.scales[row], exact: Math.abs(share) === 1 };
}

export function rowOf(/** @type {Pattern} */ pattern, /** @type {number} */ row) {
  return Array.from({ length: pattern.cols }, (_, col) => cellOf(pattern, row, col).value);
}

/** Shares of |row| by column. */
export function sharesOf(/** @type {number[]} */ row) {
  const sum = row.reduce((total, value) => total + Math.abs(value), 0);
  return row.map((value) => (sum > 0 ? Math.abs(value) / sum : 0));
}

/** exp(entropy) of the shares: on how many tokens a row rests. */
export function effectiveTokens(/** @type {number[]} */ shares) {
  return Math.exp(-shares.reduce((sum, share) => sum + (share > 0 ? share * Math.log(share) : 0), 0));
}

/** Token positions that hold the answer. */
export function answerColumns(/** @type {Sample} */ sample) {
  const holds = (/** @type {Piece} */ piece) => piece.target && ['value', 'option', 'answer'].includes(piece.role);
  return sample.pieces.filter(holds).flatMap((piece) => Array.from({ length: piece.end - piece.begin }, (_, i) => piece.begin + i));
}
