// SPDX-License-Identifier: GPL-3.0-or-later
// What the state that is shown scores on each benchmark, beside nothing ablated: intervals, p values, n.
import { copyButton, scoreText } from './copying.js';
import { stateOf, study } from './data.js';
import { button, byId, el, fill, svg } from './dom.js';
import { change, modelAt, onChange, sideName, sides, view, withSide } from './view.js';
import { interval, number, pValue, signedNumber, taskTitle, tr } from './words.js';

const kCertain = 0.05;

/** Worse or better after correction over the benchmarks that are shown; else undecided. */
export function verdictOf(/** @type {import('./data.js').Change | null} */ of) {
  if (!of || of.holm >= kCertain) return 'undecided';
  return of.delta < 0 ? 'worse' : 'better';
}

/** The score on a line from 0 to 1: a ring where it was, a dot with its interval where it is. */
function dots(/** @type {import('./data.js').Score} */ score) {
  const x = (/** @type {number} */ value) => `${(2 + 96 * Math.min(Math.max(value, 0), 1)).toFixed(2)}%`;
  const of = score.change;
  return svg('svg', { class: `dots ${verdictOf(of)}`, height: 18, width: '100%', 'aria-hidden': 'true' },
    svg('line', { x1: '2%', x2: '98%', y1: 9, y2: 9, class: 'track' }),
    of ? svg('line', { x1: x(of.baseline), x2: x(score.value), y1: 9, y2: 9, class: 'way' }) : null,
    svg('line', { x1: x(score.interval[0]), x2: x(score.interval[1]), y1: 9, y2: 9, class: 'interval' }),
    of ? svg('circle', { cx: x(of.baseline), cy: 9, r: 4.5, class: 'ring' }) : null,
    svg('circle', { cx: x(score.value), cy: 9, r: 5, class: 'dot' }));
}

function statistics(/** @type {import('./data.js').Score} */ score) {
  const of = score.change;
  if (!of) return tr('95 % {0} (Wilson), n = {1}', interval(score.interval), score.n);
  return `Δ ${signedNumber(of.delta)} ${interval(of.interval)} (Tango), ${pValue(of.p)}, n = ${of.n}`;
}

/** "250 of 256 now wrong". */
export function lostText(/** @type {import('./data.js').Change} */ of) {
  if (of.lost === 0 && of.gained === 0) return tr('no answer changed on {0} examples', of.n);
  const lost = tr('{0} of {1} now wrong', of.lost, of.n);
  return of.gained > 0 ? `${lost}, ${tr('{0} now right', of.gained)}` : lost;
}

function line(/** @type {import('./data.js').Score} */ score, /** @type {import('./data.js').State} */ state) {
  const of = score.change;
  const task = study.tasks[score.task];
  const isChanged = of && of.delta !== 0;
  return el('li', { class: 'score', 'data-task': task.name, 'data-value': score.value },
    el('div', { class: 'heading' }, el('span', { title: task.name }, taskTitle(task)), el('span', { class: 'space' }),
      isChanged ? el('s', { class: 'quiet', title: tr('baseline') }, number(of.baseline)) : null,
      el('strong', { class: `value ${verdictOf(of)}` }, number(score.value)),
      copyButton(() => scoreText(score, state), `score ${task.name}`)),
    dots(score),
    el('div', { class: 'quiet statistics' }, statistics(score)),
    of ? el('div', { class: 'heading quiet' }, lostText(of), el('span', { class: 'space' }),
      score.flips.length > 0 ? button(tr('see them'), () => seeFlips(score.task), { class: 'link', 'data-key': `flips ${task.name}` }) : null) : null);
}

function seeFlips(/** @type {number} */ task) {
  change({ flipTask: task });
  byId('flips').scrollIntoView({ block: 'nearest' });
  byId('flips').querySelector('h2')?.focus();
}

/** "Without L2H5 these scores fall: KV retrieval, 8 pairs." */
function summary(/** @type {import('./data.js').State} */ state) {
  const named = (/** @type {string} */ kind) => state.scores.filter((score) => verdictOf(score.change) === kind).map((score) => taskTitle(study.tasks[score.task]));
  const worse = named('worse');
  const better = named('better');
  const words = worse.length === 0 && better.length === 0
    ? tr('Without {0} no score changes by more than chance.', state.words)
    : [worse.length > 0 ? tr('Without {0} these scores fall: {1}.', state.words, worse.join('; ')) : '',
      better.length > 0 ? tr('Higher than before: {0}.', better.join('; ')) : ''].filter(Boolean).join(' ');
  return el('p', { class: `says ${worse.length > 0 ? 'worse' : ''}` }, words);
}

function restore(/** @type {number} */ side) {
  return button(tr('Restore all heads'), () => change({ off: withSide(view.off, side, []), flipTask: -1 }), { class: 'link', 'data-key': 'restore' });
}

function content(/** @type {number} */ side) {
  const off = view.off[side];
  const state = stateOf(view.models[side], off);
  if (off.length > 0 && !state) {
    return [el('p', { class: 'says', id: 'unmeasured' }, tr('Not measured: {0}.', off.join(' '))),
      el('p', { class: 'quiet' }, tr('A page shows what its session holds and computes nothing. In the program, this state is measured when you click.')), restore(side)];
  }
  if (!state) return [el('p', { class: 'quiet' }, tr('No score of this model was measured.'))];
  return [off.length > 0 ? summary(state) : el('p', { class: 'quiet' }, tr('Nothing is ablated. Click a head to see what it costs.')),
    el('ul', { class: 'scores' }, state.scores.map((score) => line(score, state))),
    off.length > 0 ? restore(side) : null];
}

function render() {
  const side = Math.min(view.side, view.models.length - 1);
  const tabs = view.models.length < 2 ? null : el('span', { class: 'tabs', role: 'group', 'aria-label': tr('Model') },
    sides().map((one) => el('button', {
      type: 'button', class: `side${one}`, 'aria-pressed': one === side, 'data-key': `cost ${one}`, title: modelAt(one).name,
      on: { click: () => change({ side: one, flipTask: -1 }) },
    }, sideName(one))));
  fill(byId('cost'), el('div', { class: 'heading' }, el('h2', {}, tr('What it costs')), el('span', { class: 'space' }), tabs), content(side));
}

export function mountCost() {
  onChange(render);
}
