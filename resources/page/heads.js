// SPDX-License-Identifier: GPL-3.0-or-later
// The head maps: a row a layer, a cell a head. A click ablates a head; arrow keys look without ablating.
import { cssColour, inkOn } from './colours.js';
import { headsOf, study } from './data.js';
import { copyButton, provenance } from './copying.js';
import { byId, choice, el, fill } from './dom.js';
import { metricNow, metrics } from './metrics.js';
import { change, isOff, modelAt, onChange, sideName, sides, toggleHead, view, withSide } from './view.js';
import { exact, number, tr } from './words.js';

/** "G" or "A"; an exam does not tell. */
function roleOf(/** @type {number} */ side, /** @type {string} */ head) {
  return study.exam ? '' : modelAt(side).roles[head] ?? '';
}

function look(/** @type {number} */ side, /** @type {string} */ head) {
  change({ heads: withSide(view.heads, side, head), side });
}

/** The head that an arrow key leads to. */
function neighbour(/** @type {import('./data.js').Model} */ model, /** @type {string} */ head, /** @type {string} */ key) {
  const layer = model.layers.findIndex((heads) => heads.some((one) => one.name === head));
  const place = model.layers[layer].findIndex((one) => one.name === head);
  const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
  const step = steps[/** @type {keyof typeof steps} */ (key)];
  const row = step && model.layers[layer + step[0]];
  return row ? row[Math.min(place + step[1], row.length - 1)]?.name : undefined;
}

function onKey(/** @type {KeyboardEvent} */ event, /** @type {number} */ side, /** @type {string} */ head) {
  const next = neighbour(modelAt(side), head, event.key);
  if (!next) return;
  event.preventDefault();
  look(side, next);
  /** @type {HTMLElement | null} */ (document.querySelector(`[data-key="head ${side} ${CSS.escape(next)}"]`))?.focus();
}

function spoken(/** @type {number} */ side, /** @type {string} */ head, /** @type {import('./metrics.js').Metric | undefined} */ metric) {
  const model = modelAt(side);
  const role = roleOf(side, head);
  const words = [head, model.labels[head], role === 'G' ? tr('gathers') : role === 'A' ? tr('aggregates') : ''];
  const value = metric?.of(view.models[side], head);
  if (metric) words.push(`${metric.title}: ${value === null ? tr('not measured') : number(value)}`);
  if (isOff(side, head)) words.push(tr('ablated'));
  return words.filter(Boolean).join(', ');
}

function cell(/** @type {number} */ side, /** @type {string} */ head, /** @type {import('./metrics.js').Metric | undefined} */ metric) {
  const value = metric?.of(view.models[side], head) ?? null;
  const share = value === null ? 0 : value / (metric?.most || 1);
  const isShown = view.heads[side] === head;
  return el('button', {
    type: 'button', role: 'gridcell', 'data-key': `head ${side} ${head}`, 'data-head': head, title: spoken(side, head, metric),
    'aria-label': spoken(side, head, metric), 'aria-pressed': isOff(side, head), tabindex: isShown ? 0 : -1,
    class: ['head', metric && value === null ? 'unknown' : '', isShown ? `shown side${side}` : '', isOff(side, head) ? 'off' : ''].filter(Boolean).join(' '),
    style: value === null ? null : `background:${cssColour(share)};color:${inkOn(share)}`,
    on: {
      click: (/** @type {MouseEvent} */ event) => (event.ctrlKey || event.metaKey ? look(side, head) : toggleHead(side, head)),
      keydown: (/** @type {KeyboardEvent} */ event) => onKey(event, side, head),
    },
  }, roleOf(side, head));
}

function map(/** @type {number} */ side, /** @type {import('./metrics.js').Metric | undefined} */ metric) {
  const model = modelAt(side);
  const widest = Math.max(...model.layers.map((heads) => heads.length), 1);
  const off = view.off[side].length;
  const heading = el('h3', { class: `side${side}` }, `${sideName(side)} ${model.name}`, ' ',
    el('span', { class: off ? 'worse right' : 'quiet right' }, off ? tr('{0} off', off) : tr('all on')));
  if (headsOf(model).length === 0) return [heading, el('p', { class: 'quiet' }, tr('The session does not say which heads this model has.'))];
  const columns = el('div', { class: 'headrow numbers', 'aria-hidden': 'true' }, el('span', {}),
    Array.from({ length: widest }, (_, place) => el('span', {}, place)));
  const rows = model.layers.map((heads, layer) => el('div', { class: 'headrow', role: 'row' },
    el('span', { class: 'quiet', 'aria-hidden': 'true' }, `L${layer}`), heads.map((head) => cell(side, head.name, metric))));
  const size = widest > 16 ? 'dense' : '';
  return [heading, el('div', { class: `headmap ${size}`, role: 'grid', 'aria-label': tr('Heads of {0}', model.name), style: `--heads:${widest}` }, columns, rows)];
}

function legend(/** @type {import('./metrics.js').Metric} */ metric) {
  return el('div', { class: 'legend' }, el('span', { class: 'scale', 'aria-hidden': 'true' }),
    el('span', { class: 'quiet' }, metric.low), el('span', { class: 'quiet right' }, metric.high || number(metric.most)));
}

/** A line a head, those of a model above what they were measured on. */
function copied(/** @type {import('./metrics.js').Metric} */ metric) {
  const block = (/** @type {number} */ model) => [...headsOf(study.models[model]).map((head) => `${head}\t${exact(metric.of(model, head))}`), provenance(model, '')];
  return [[metric.title, metric.measuredOn].filter(Boolean).join(', '), ...view.models.flatMap(block)].join('\n');
}

function render() {
  const metric = metricNow();
  const entries = metrics().map((one) => [one.id, one.title]);
  fill(byId('heads'), el('div', { class: 'heading' }, el('h2', {}, tr('Heads')), el('span', { class: 'space' }), metric ? copyButton(() => copied(metric), 'heads') : null),
    metric ? choice(tr('Colour'), entries, metric.id, (/** @type {string} */ value) => change({ colour: value })) : null,
    sides().map((side) => map(side, metric)), metric ? legend(metric) : null,
    el('p', { class: 'quiet' }, tr('Click: ablate or restore. Ctrl+click or arrow keys: only look.')),
    !study.exam && study.models.some((model) => Object.keys(model.roles).length > 0) ? el('p', { class: 'quiet' }, tr('G gathers, A aggregates')) : null);
}

export function mountHeads() {
  onChange(render);
}
