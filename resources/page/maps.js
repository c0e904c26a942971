// SPDX-License-Identifier: GPL-3.0-or-later
// The maps of the heads that are looked at, side by side: what each row reads, with a crosshair, zoom, and the row below.
import { colourOf } from './colours.js';
import { answerColumns, cellOf, effectiveTokens, patternOf, rowOf, sharesOf } from './data.js';
import { button, byId, el, fill } from './dom.js';
import { copyButton, provenance } from './copying.js';
import { profile } from './profile.js';
import { change, isOff, modelAt, onChange, sampleNow, sideName, sides, view, withSide } from './view.js';
import { exact, number, percent, tr } from './words.js';

/** How the maps are drawn, shared by both so that they can be compared. */
const drawing = { zoom: 1, left: 0, top: 0, cross: /** @type {number[] | null} */ (null), isDragged: false };

const kMargin = 46; // for the tokens of the rows
const kMostThumbnails = 32;
/** What sessions say of a map's numbers (core/analysis/convention.cpp), longer phrases first. */
const kMeanings = ['softmax attention', 'hidden attention of a channel', 'hidden attention', 'without dt', 'without D', 'with D', 'times the gate',
  'signed, rows do not sum to 1', 'rows sum to 1', 'another matrix', 'times the norm of what is taken', 'now minus baseline'];

/** @param {import('./data.js').Pattern} pattern */
function imageOf(pattern) {
  const image = new ImageData(pattern.cols, pattern.rows);
  const most = Math.max(...pattern.scales, 1e-30);
  const isSigned = view.sign && pattern.signed;
  for (let row = 0; row < pattern.rows; row++) {
    const scale = view.raw ? pattern.scales[row] / most : 1;
    for (let col = 0; col < pattern.cols; col++) {
      const byte = pattern.cells[row * pattern.cols + col];
      const share = scale * (pattern.signed ? (byte > 127 ? byte - 256 : byte) / 127 : byte / 255);
      const isAhead = col > row && byte === 0; // a token that the row cannot read
      const rgb = colourOf(isSigned ? share : Math.abs(share), isSigned);
      image.data.set(isAhead ? [0, 0, 0, 0] : [...rgb, 255], 4 * (row * pattern.cols + col));
    }
  }
  return image;
}

/** The whole map, a pixel a cell. */
function pictureOf(/** @type {import('./data.js').Pattern} */ pattern) {
  const picture = /** @type {HTMLCanvasElement} */ (el('canvas', { width: pattern.cols, height: pattern.rows, 'aria-hidden': 'true' }));
  /** @type {CanvasRenderingContext2D} */ (picture.getContext('2d')).putImageData(imageOf(pattern), 0, 0);
  return picture;
}

/** @param {HTMLCanvasElement} canvas @param {import('./data.js').Pattern} pattern */
function geometry(canvas, pattern) {
  const size = Math.max(canvas.clientWidth - kMargin, 50);
  const cell = (size / pattern.cols) * drawing.zoom;
  return { size, cell, x: kMargin - drawing.left * cell, y: -drawing.top * cell };
}

/** @param {HTMLCanvasElement} canvas @param {import('./data.js').Pattern} pattern @param {number} side */
function draw(canvas, pattern, side) {
  const { size, cell, x, y } = geometry(canvas, pattern);
  const ratio = devicePixelRatio || 1;
  const height = Math.round((size * pattern.rows) / pattern.cols);
  canvas.style.height = `${height}px`;
  canvas.style.touchAction = drawing.zoom > 1 ? 'none' : 'auto'; // a finger pans the map or scrolls the page
  canvas.width = canvas.clientWidth * ratio;
  canvas.height = height * ratio;
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
  const style = getComputedStyle(document.documentElement);
  context.scale(ratio, ratio);
  const source = pictureOf(pattern);
  context.save();
  context.beginPath();
  context.rect(kMargin, 0, size, height);
  context.clip();
  context.fillStyle = style.getPropertyValue('--ahead');
  context.fillRect(kMargin, 0, size, height);
  context.imageSmoothingEnabled = false;
  context.globalAlpha = isOff(side, pattern.head) ? 0.55 : 1;
  context.drawImage(source, x, y, cell * pattern.cols, cell * pattern.rows);
  context.globalAlpha = 1;
  drawMarks(context, pattern, { cell, x, y, size, height }, style.getPropertyValue(`--side${side}`));
  context.restore();
  drawTokens(context, pattern, { cell, y, height }, style, side);
}

/**
 * The row that is shown below, and the crosshair.
 * @param {CanvasRenderingContext2D} context @param {import('./data.js').Pattern} pattern
 * @param {{cell: number, x: number, y: number, size: number, height: number}} place @param {string} colour
 */
function drawMarks(context, pattern, place, colour) {
  const row = shownRow(pattern);
  context.strokeStyle = colour;
  context.lineWidth = 2;
  context.strokeRect(kMargin + 1, place.y + row * place.cell, place.size - 2, Math.max(place.cell, 3));
  if (!drawing.cross) return;
  context.lineWidth = 1;
  context.globalAlpha = 0.8;
  context.strokeRect(place.x + drawing.cross[1] * place.cell, 0, place.cell, place.height);
  context.strokeRect(kMargin, place.y + drawing.cross[0] * place.cell, place.size, place.cell);
  context.globalAlpha = 1;
}

/**
 * Beside the rows: every token where there is room, else those of the answer and of the row that is shown.
 * @param {CanvasRenderingContext2D} context @param {import('./data.js').Pattern} pattern
 * @param {{cell: number, y: number, height: number}} place @param {CSSStyleDeclaration} style @param {number} side
 */
function drawTokens(context, pattern, place, style, side) {
  const sample = sampleNow();
  const answers = answerColumns(sample);
  const row = shownRow(pattern);
  const every = Math.max(1, Math.ceil(13 / place.cell));
  context.textAlign = 'right';
  context.textBaseline = 'middle';
  sample.tokens.slice(0, pattern.rows).forEach((token, at) => {
    const isMarked = at === row || answers.includes(at);
    const isNear = Math.abs(at - row) * place.cell < 13 || answers.some((one) => Math.abs(at - one) * place.cell < 13);
    const top = place.y + (at + 0.5) * place.cell;
    if (top < 0 || top > place.height || (!isMarked && (at % every !== 0 || isNear))) return;
    context.font = `${isMarked ? '600 ' : ''}11px ui-monospace, monospace`;
    context.fillStyle = at === row ? style.getPropertyValue(`--side${side}`) : style.getPropertyValue(isMarked ? '--ink' : '--quiet');
    context.fillText(token === '\n' ? '⏎' : token.slice(0, 6), kMargin - 5, Math.min(Math.max(top, 6), place.height - 6));
  });
}

/** The locked row, else that under the crosshair, else the last. */
function shownRow(/** @type {import('./data.js').Pattern} */ pattern) {
  const row = view.row >= 0 ? view.row : drawing.cross ? drawing.cross[0] : pattern.rows - 1;
  return Math.min(row, pattern.rows - 1);
}

function cellAt(/** @type {MouseEvent} */ event, /** @type {HTMLCanvasElement} */ canvas, /** @type {import('./data.js').Pattern} */ pattern) {
  const box = canvas.getBoundingClientRect();
  const { cell, x, y } = geometry(canvas, pattern);
  const col = Math.floor((event.clientX - box.left - x) / cell);
  const row = Math.floor((event.clientY - box.top - y) / cell);
  return row >= 0 && col >= 0 && row < pattern.rows && col < pattern.cols ? [row, col] : null;
}

/** Zooms about a cell, both maps alike. */
function zoomTo(/** @type {number} */ zoom, /** @type {import('./data.js').Pattern} */ pattern, /** @type {number[]} */ about) {
  const before = drawing.zoom;
  drawing.zoom = Math.min(Math.max(zoom, 1), Math.max(pattern.cols / 8, 1));
  const most = pattern.cols - pattern.cols / drawing.zoom;
  drawing.left = Math.min(Math.max(about[1] - (about[1] - drawing.left) * (before / drawing.zoom), 0), most);
  drawing.top = Math.min(Math.max(about[0] - (about[0] - drawing.top) * (before / drawing.zoom), 0), most);
  redraw();
}

function pan(/** @type {number} */ rows, /** @type {number} */ cols, /** @type {import('./data.js').Pattern} */ pattern) {
  const most = pattern.cols - pattern.cols / drawing.zoom;
  drawing.top = Math.min(Math.max(drawing.top + rows, 0), most);
  drawing.left = Math.min(Math.max(drawing.left + cols, 0), most);
  redraw();
}

function onMapKey(/** @type {KeyboardEvent} */ event, /** @type {import('./data.js').Pattern} */ pattern) {
  const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
  const step = steps[/** @type {keyof typeof steps} */ (event.key)];
  const cross = drawing.cross ?? [shownRow(pattern), pattern.cols - 1];
  if (step && event.shiftKey) pan(step[0], step[1], pattern);
  else if (step) {
    drawing.cross = [Math.min(Math.max(cross[0] + step[0], 0), pattern.rows - 1), Math.min(Math.max(cross[1] + step[1], 0), pattern.cols - 1)];
    redraw();
  } else if (event.key === 'Enter' || event.key === ' ') change({ row: view.row === cross[0] ? -1 : cross[0] });
  else if (event.key === '+' || event.key === '=') zoomTo(drawing.zoom * 1.5, pattern, cross);
  else if (event.key === '-') zoomTo(drawing.zoom / 1.5, pattern, cross);
  else if (event.key === 'Escape') {
    drawing.cross = null;
    change({ row: -1 });
  } else return;
  event.preventDefault();
}

/** "row 53 “is” reads 9 “80”: 0.9971". */
function readout(/** @type {import('./data.js').Pattern} */ pattern) {
  const row = shownRow(pattern);
  const tokens = sampleNow().tokens;
  if (!drawing.cross) return tr('Row {0} “{1}”. Point at a cell to read it.', row, tokens[row]);
  const [at, col] = drawing.cross;
  const { value, exact: isExact } = cellOf(pattern, at, col);
  return tr('Row {0} “{1}” reads {2} “{3}”: {4}', at, tokens[at], col, tokens[col], `${isExact ? '' : '≈ '}${number(value, 4)}`);
}

/** What the numbers of a map are, in the reader's language. */
function meaningOf(/** @type {import('./data.js').Pattern} */ pattern) {
  return kMeanings.reduce((text, words) => text.replace(words, () => tr(words)), pattern.meaning);
}

/** What the shown row reads, in a sentence. */
function sentence(/** @type {import('./data.js').Pattern} */ pattern) {
  const row = shownRow(pattern);
  const shares = sharesOf(rowOf(pattern, row));
  const tokens = sampleNow().tokens;
  const count = Math.max(1, Math.round(effectiveTokens(shares)));
  const most = tokens[shares.indexOf(Math.max(...shares))];
  const onAnswer = answerColumns(sampleNow()).reduce((sum, col) => sum + (shares[col] ?? 0), 0);
  return [
    el('p', { class: 'says' }, count === 1 ? tr('“{0}” reads one token: {1}', tokens[row], most) : tr('“{0}” reads {1} tokens, {2} most', tokens[row], count, most)),
    el('p', { class: 'quiet' }, answerColumns(sampleNow()).length > 0 ? tr('{0} on the asked value', percent(onAnswer)) : meaningOf(pattern)),
  ];
}

function copied(/** @type {number} */ side, /** @type {import('./data.js').Pattern} */ pattern) {
  const row = shownRow(pattern);
  const values = rowOf(pattern, row).map((value, col) => `${sampleNow().tokens[col]}\t${exact(value)}`);
  const note = row === pattern.rows - 1 ? '' : `; ${tr('8 bits a cell, scale {0}', exact(pattern.scales[row]))}`;
  return [`${pattern.head}, ${tr('row {0}', row)}, ${sampleNow().source}${note}`, ...values, provenance(view.models[side], pattern.ablation)].join('\n');
}

function card(/** @type {number} */ side) {
  const head = view.heads[side];
  const pattern = patternOf(view.models[side], view.sample, head);
  const title = el('h2', { class: `side${side}` }, `${sideName(side)} ${head}`, ' ', el('span', { class: 'quiet' }, modelAt(side).name));
  if (!pattern || pattern.rows === 0) {
    return el('div', { class: 'card map' }, title, el('p', { class: 'quiet' }, tr('The map of {0} on this prompt was not measured.', head)));
  }
  const isPeaked = pattern.effective <= 3;
  const canvas = /** @type {HTMLCanvasElement} */ (el('canvas', {
    tabindex: 0, role: 'img', 'data-key': `map ${side}`, 'data-side': side,
    'aria-label': tr('Map of {0}. Arrow keys move the crosshair, Enter locks a row, + and − zoom, Shift with arrows pans.', head),
  }));
  canvas.addEventListener('pointerdown', (event) => {
    drawing.isDragged = false;
    if (drawing.zoom > 1) canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener('pointermove', (event) => {
    drawing.cross = cellAt(event, canvas, pattern);
    if (event.buttons === 1 && drawing.zoom > 1 && (drawing.isDragged || Math.hypot(event.movementX, event.movementY) > 1)) {
      drawing.isDragged = true;
      pan(-event.movementY / geometry(canvas, pattern).cell, -event.movementX / geometry(canvas, pattern).cell, pattern);
    } else redraw();
  });
  canvas.addEventListener('pointerleave', () => {
    drawing.cross = null;
    redraw();
  });
  canvas.addEventListener('click', (event) => {
    const at = drawing.isDragged ? null : cellAt(event, canvas, pattern);
    if (at) change({ row: view.row === at[0] ? -1 : at[0], side });
  });
  canvas.addEventListener('wheel', (event) => {
    const at = cellAt(event, canvas, pattern);
    if (!at || (!event.ctrlKey && drawing.zoom === 1)) return; // the page scrolls
    event.preventDefault();
    zoomTo(drawing.zoom * (event.deltaY < 0 ? 1.25 : 0.8), pattern, at);
  }, { passive: false });
  canvas.addEventListener('keydown', (event) => onMapKey(event, pattern));
  return el('div', { class: 'card map', 'data-side': side },
    el('div', { class: 'heading' }, title, el('span', { class: 'space' }), copyButton(() => copied(side, pattern), `map ${side}`)),
    el('div', { class: 'row' }, el('span', { class: `pill side${side}` }, isPeaked ? tr('peaked') : tr('diffuse')),
      isOff(side, head) ? el('span', { class: 'pill worse' }, tr('ablated')) : null),
    canvas, el('p', { class: 'readout', 'data-side': side }), el('div', { class: 'profile', 'data-side': side }),
    el('div', { class: 'sentence', 'data-side': side }),
    el('p', { class: 'quiet meaning' }, meaningOf(pattern)), thumbnails(side));
}

/** The maps of a layer, small: a click looks at a head without ablating it. */
function thumbnails(/** @type {number} */ side) {
  const layer = modelAt(side).layers.find((heads) => heads.some((head) => head.name === view.heads[side])) ?? [];
  const shown = layer.map((head) => patternOf(view.models[side], view.sample, head.name)).filter((pattern) => pattern && pattern.rows > 0);
  if (shown.length < 2 || shown.length > kMostThumbnails) return null;
  return el('div', { class: 'thumbnails', role: 'group', 'aria-label': tr('Maps of the layer') }, shown.map((pattern) => {
    const { head } = /** @type {import('./data.js').Pattern} */ (pattern);
    return el('button', {
      type: 'button', class: head === view.heads[side] ? `shown side${side}` : '', 'data-key': `thumbnail ${side} ${head}`,
      on: { click: () => change({ heads: withSide(view.heads, side, head), side }) },
    }, pictureOf(/** @type {any} */ (pattern)), head);
  }));
}

/** What changes with the crosshair alone; cards stay. */
function redraw() {
  for (const side of sides()) {
    const pattern = patternOf(view.models[side], view.sample, view.heads[side]);
    const canvas = /** @type {HTMLCanvasElement | null} */ (document.querySelector(`.map > canvas[data-side="${side}"]`));
    if (!pattern || !canvas || pattern.rows === 0) continue;
    draw(canvas, pattern, side);
    const row = shownRow(pattern);
    const part = (/** @type {string} */ name) => /** @type {HTMLElement} */ (document.querySelector(`.${name}[data-side="${side}"]`));
    part('readout').textContent = readout(pattern);
    const { cell, x } = geometry(canvas, pattern);
    fill(part('profile'), profile(rowOf(pattern, row), { width: canvas.clientWidth, margin: kMargin, cell, x }, sampleNow(), side));
    fill(part('sentence'), sentence(pattern));
  }
}

/** Buttons that hold for both maps. */
function tools() {
  const pattern = sides().map((side) => patternOf(view.models[side], view.sample, view.heads[side])).find(Boolean);
  if (!pattern) return null;
  const middle = [drawing.top + pattern.rows / drawing.zoom / 2, drawing.left + pattern.cols / drawing.zoom / 2];
  return el('div', { class: 'tools', role: 'toolbar', 'aria-label': tr('Maps') },
    button(tr('Rows alike'), () => change({ raw: !view.raw }), { title: tr('Colours by the largest of each row, or of the whole map'), 'data-key': 'raw', 'aria-pressed': !view.raw }),
    button(tr('Sign'), () => change({ sign: !view.sign }), { title: tr('Shows the sign of maps that have one'), 'data-key': 'sign', 'aria-pressed': view.sign }),
    button('−', () => zoomTo(drawing.zoom / 1.5, pattern, middle), { 'aria-label': tr('Zoom out') }),
    button('+', () => zoomTo(drawing.zoom * 1.5, pattern, middle), { 'aria-label': tr('Zoom in') }));
}

export function mountMaps() {
  onChange(() => {
    if (!sampleNow()) {
      fill(byId('maps'), el('div', { class: 'card' }, el('h2', {}, tr('Maps')), el('p', { class: 'quiet' }, tr('No map was kept in this session.'))));
      return;
    }
    fill(byId('maps'), tools(), sides().map(card));
    redraw();
  });
  addEventListener('resize', redraw);
}
