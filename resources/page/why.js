// SPDX-License-Identifier: GPL-3.0-or-later
// Stored analyses: lens, attribution, patching, edges and others, in the three kinds of view of the window.
import { barList } from './bars.js';
import { copyButton, provenance } from './copying.js';
import { study } from './data.js';
import { byId, choice, el, fill } from './dom.js';
import { graphOf } from './graph.js';
import { gridOf } from './grid.js';
import { change, onChange, view } from './view.js';
import { exact, percent, tr } from './words.js';

/** A value of the data by name. */
function named(/** @type {import('./data.js').Value} */ value) {
  const [part, receiver, position, measure, amount, low, high, words] = value;
  return { part, receiver, position, measure, amount, low, high, words };
}

const kNames = {
  lens: 'Logit lens', attribution: 'Attribution', patching: 'Patching', edges: 'Edges', knockout: 'Knockout', probe: 'Probes', weights: 'Weights',
};

function titleOf(/** @type {import('./data.js').Analysis} */ analysis) {
  const kind = tr(kNames[/** @type {keyof typeof kNames} */ (analysis.kind)] ?? analysis.kind);
  return [kind, study.models[analysis.model].name, analysis.source, analysis.ablation ? tr('without {0}', analysis.ablation) : ''].filter(Boolean).join(' · ');
}

/** "L2H5" is of row "L2" and column "5"; other parts have none. */
function cellOfHead(/** @type {string} */ part) {
  const found = part.match(/^(L\d+)[A-Z](\d+)$/);
  return found ? { row: found[1], col: found[2] } : null;
}

function lensView(/** @type {ReturnType<typeof named>[]} */ values) {
  const tokens = new Map(values.filter((value) => value.measure === 'token').map((value) => [value.position, value.words]));
  const cells = values.filter((value) => value.measure === 'probability').map((value) => ({
    row: value.part, col: `${value.position} ${tokens.get(value.position) ?? ''}`.trim(), value: value.amount, words: value.words.slice(0, 10),
    title: `${value.part}, ${value.position}: ${value.words} ${percent(value.amount)}`,
  }));
  return [gridOf(cells, { signed: false, label: tr('Most probable token by layer and position') }),
    el('p', { class: 'quiet' }, tr('The most probable token in the stream before each layer; the last row is the output. Brighter: more probable.'))];
}

function headGrid(/** @type {ReturnType<typeof named>[]} */ values, /** @type {string} */ measure) {
  const cells = values.filter((value) => value.measure === measure && cellOfHead(value.part) && value.position < 0).map((value) => ({
    .../** @type {{row: string, col: string}} */ (cellOfHead(value.part)), value: value.amount, words: '', title: `${value.part}: ${exact(value.amount)}`,
  }));
  return cells.length > 1 ? gridOf(cells, { signed: true, label: tr('Heads by layer') }) : null;
}

function positionGrid(/** @type {ReturnType<typeof named>[]} */ values, /** @type {string} */ measure) {
  const tokens = new Map(values.filter((value) => value.measure === 'token').map((value) => [value.position, value.words]));
  const cells = values.filter((value) => value.measure === measure && value.position >= 0).map((value) => ({
    row: value.part, col: `${value.position} ${tokens.get(value.position) ?? ''}`.trim(), value: value.amount, words: '', title: `${value.part}, ${value.position}: ${exact(value.amount)}`,
  }));
  return cells.length > 0 ? gridOf(cells, { signed: true, label: tr('By layer and position') }) : null;
}

function barsOf(/** @type {ReturnType<typeof named>[]} */ values, /** @type {string} */ measure) {
  const bars = values.filter((value) => value.measure === measure && value.position < 0 && value.part !== 'sum' && value.amount !== null)
    .map((value) => ({ label: value.receiver ? `${value.part} → ${value.receiver}` : value.part, value: value.amount, low: value.low, high: value.high }));
  bars.sort((a, b) => Math.abs(Number(b.value)) - Math.abs(Number(a.value)));
  return bars.length > 0 ? barList(bars, tr('All parts')) : null;
}

function edgesView(/** @type {ReturnType<typeof named>[]} */ values, /** @type {string} */ label) {
  const edges = values.filter((value) => value.measure === 'share' && value.amount !== null).map((value) => ({ from: value.part, into: value.receiver, share: Number(value.amount) }));
  return [edges.length > 0 ? graphOf(edges, label) : null, barsOf(values, 'share')];
}

/** The two prompts that are compared, where there are two. */
function pairOf(/** @type {ReturnType<typeof named>[]} */ values) {
  const part = (/** @type {string} */ name) => values.find((value) => value.measure === 'pair' && value.position === 0 && value.part === name)?.words;
  if (!part('clean')) return null;
  return el('details', {}, el('summary', {}, tr('The two prompts: {0} or {1}', part('answer') ?? '', part('distractor') ?? '')), el('pre', {}, part('clean') ?? ''), el('pre', {}, part('corrupt') ?? ''));
}

function content(/** @type {import('./data.js').Analysis} */ analysis) {
  const values = analysis.values.map(named);
  if (analysis.kind === 'lens') return lensView(values);
  if (analysis.kind === 'edges') return [edgesView(values, titleOf(analysis)), pairOf(values)];
  const measures = [...new Set(values.map((value) => value.measure))].filter((measure) => !['token', 'pair'].includes(measure));
  const first = analysis.kind === 'patching' ? 'share' : analysis.kind === 'attribution' ? 'adds' : measures[0];
  const others = analysis.kind === 'probe' ? measures.slice(1) : [];
  return [headGrid(values, first), positionGrid(values, first), barsOf(values, first),
    others.map((measure) => [el('h3', {}, measure), headGrid(values, measure)]), pairOf(values)];
}

function copied(/** @type {import('./data.js').Analysis} */ analysis) {
  return [titleOf(analysis), ...analysis.values.map((value) => value.map((field) => (field === null ? '' : String(field))).join('\t')), provenance(analysis.model, analysis.ablation)].join('\n');
}

export function mountWhy() {
  onChange(() => {
    const analysis = study.analyses[view.analysis];
    byId('why').hidden = !analysis;
    if (!analysis) return;
    const entries = study.analyses.map((one, place) => [place, titleOf(one)]);
    fill(byId('why'), el('div', { class: 'heading' }, el('h2', {}, tr('Why')), el('span', { class: 'space' }), copyButton(() => copied(analysis), 'analysis')),
      choice(tr('Analysis'), entries, view.analysis, (/** @type {string} */ value) => change({ analysis: Number(value) })),
      el('p', { class: 'says' }, analysis.summary), content(analysis),
      analysis.stored > analysis.values.length ? el('p', { class: 'quiet' }, tr('{0} of {1} stored numbers are on this page.', analysis.values.length, analysis.stored)) : null);
  });
}
