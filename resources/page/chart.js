// SPDX-License-Identifier: GPL-3.0-or-later
// Accuracy against the size of the dictionary, of the models and of the states that are shown.
import { copyButton, provenance } from './copying.js';
import { stateOf, study } from './data.js';
import { byId, el, fill, svg } from './dom.js';
import { onChange, sideName, sides, view } from './view.js';
import { exact, interval, number, tr } from './words.js';

const kSize = { width: 320, height: 210, left: 34, right: 66, top: 12, bottom: 34 };
const kLetter = 7; // width of a letter of a label
const kDashes = ['', '7 3', '2 3', '7 3 2 3'];

/** Scores of one state by size, for each kind of dictionary. */
function points(/** @type {import('./data.js').State | undefined} */ state) {
  const found = /** @type {Map<string, {pairs: number, score: import('./data.js').Score}[]>} */ (new Map());
  for (const score of state?.scores ?? []) {
    const { kind, pairs } = study.tasks[score.task];
    if (pairs > 0) found.set(kind, [...(found.get(kind) ?? []), { pairs, score }].sort((a, b) => a.pairs - b.pairs));
  }
  return [...found];
}

/** The lines of the chart: each model as it is, and with what is ablated, on each kind of dictionary. */
function lines() {
  const found = sides().flatMap((side) => {
    const all = [{ side, off: /** @type {string[]} */ ([]), label: sideName(side) }];
    if (view.off[side].length > 0) all.push({ side, off: view.off[side], label: tr('{0} off', sideName(side)) });
    return all.flatMap((one) => points(stateOf(view.models[side], one.off)).map(([kind, list]) => ({ ...one, kind, points: list })));
  });
  const kinds = [...new Set(found.map((one) => one.kind))];
  return found.map((one) => ({ ...one, dash: kinds.indexOf(one.kind), label: kinds.length > 1 ? `${one.label} ${one.kind}` : one.label }));
}

function drawing(/** @type {ReturnType<typeof lines>} */ shown) {
  const { width, height, left, top, bottom } = kSize;
  const right = Math.max(kSize.right, 14 + kLetter * Math.max(...shown.map((one) => one.label.length)));
  const sizes = [...new Set(shown.flatMap((one) => one.points.map((point) => point.pairs)))].sort((a, b) => a - b);
  const most = Math.max(sizes.at(-1) ?? 1, (sizes[0] ?? 0) + 1);
  const x = (/** @type {number} */ pairs) => left + ((width - left - right) * (pairs - sizes[0])) / (most - sizes[0]);
  const y = (/** @type {number} */ value) => top + (height - top - bottom) * (1 - value);
  const nodes = [0, 0.5, 1].flatMap((value) => [svg('line', { x1: left, x2: width - right, y1: y(value), y2: y(value), class: 'axis' }),
    svg('text', { x: left - 6, y: y(value) + 4, class: 'tick end' }, number(value, 1))]);
  nodes.push(...sizes.map((size) => svg('text', { x: x(size), y: height - bottom + 16, class: 'tick middle' }, size)));
  nodes.push(svg('text', { x: left, y: height - 4, class: 'tick' }, tr('pairs in the dictionary')));
  const labels = /** @type {number[]} */ ([]);
  for (const line of shown) {
    const kind = line.off.length > 0 ? 'worse' : `side${line.side}`;
    const path = line.points.map((point, place) => `${place ? 'L' : 'M'}${x(point.pairs).toFixed(1)} ${y(point.score.value).toFixed(1)}`).join('');
    nodes.push(svg('path', { d: path, 'stroke-dasharray': kDashes[line.dash % kDashes.length] || null, class: `curve ${kind} ${line.off.length > 0 && line.side === 1 ? 'dashed' : ''}` }));
    for (const { pairs, score } of line.points) {
      nodes.push(svg('line', { x1: x(pairs), x2: x(pairs), y1: y(score.interval[0]), y2: y(score.interval[1]), class: `whisker ${kind}` }),
        svg('circle', { cx: x(pairs), cy: y(score.value), r: 3.5, class: `point ${kind}` },
          svg('title', {}, `${line.label}, ${tr('{0} pairs', pairs)}: ${number(score.value, 3)} ${interval(score.interval, 3)}, n = ${score.n}`)));
    }
    let place = y(line.points[line.points.length - 1].score.value) + 4;
    const step = place > height / 2 ? -12 : 12;
    while (labels.some((other) => Math.abs(other - place) < 12)) place += step;
    labels.push(place);
    nodes.push(svg('text', { x: width - right + 8, y: place, class: `tick strong ${kind}` }, line.label));
  }
  return svg('svg', { viewBox: `0 0 ${width} ${height}`, class: 'chart', role: 'img', 'aria-label': tr('Accuracy by size of the dictionary') }, nodes);
}

function table(/** @type {ReturnType<typeof lines>} */ shown) {
  const rows = shown.flatMap((line) => line.points.map(({ pairs, score }) => el('tr', {}, el('th', { scope: 'row' }, line.label), el('td', {}, pairs),
    el('td', {}, number(score.value, 3)), el('td', {}, interval(score.interval, 3)), el('td', {}, score.n))));
  return el('details', {}, el('summary', {}, tr('Numbers')), el('div', { class: 'wide' }, el('table', {},
    el('thead', {}, el('tr', {}, [tr('Model'), tr('Pairs'), tr('Accuracy'), tr('95 % (Wilson)'), 'n'].map((text) => el('th', { scope: 'col' }, text)))),
    el('tbody', {}, rows))));
}

function copied(/** @type {ReturnType<typeof lines>} */ shown) {
  return shown.flatMap((line) => [`${line.label}: ${provenance(view.models[line.side], line.off.join(' '))}`,
    ...line.points.map(({ pairs, score }) => `${pairs}\t${exact(score.value)}\t${exact(score.interval[0])}\t${exact(score.interval[1])}\t${score.n}`)]).join('\n');
}

export function mountChart() {
  onChange(() => {
    const shown = lines();
    fill(byId('curve'), el('div', { class: 'heading' }, el('h2', {}, tr('When the dictionary grows')), el('span', { class: 'space' }),
      shown.length > 0 ? copyButton(() => copied(shown), 'curve') : null),
    shown.length > 0 ? [drawing(shown), table(shown)] : el('p', { class: 'quiet' }, tr('Not measured for several sizes.')));
  });
}
