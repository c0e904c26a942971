// SPDX-License-Identifier: GPL-3.0-or-later
// Examples whose answer the shown ablation made wrong or right.
import { copyButton, provenance } from './copying.js';
import { stateOf, study } from './data.js';
import { byId, choice, el, fill } from './dom.js';
import { change, onChange, view } from './view.js';
import { exact, percent, taskTitle, tr } from './words.js';

/** An answer in words, or how probable the right one is. */
function said(/** @type {string} */ words, /** @type {number | null} */ gold) {
  const share = gold === null ? '' : tr('right answer {0}', percent(gold));
  return [words ? el('span', { class: 'token' }, words.trim()) : null, words && share ? ', ' : '', share];
}

function row(/** @type {import('./data.js').Flip} */ flip) {
  const example = study.examples[flip.example];
  return el('details', { class: 'flip' },
    el('summary', {}, el('span', { class: flip.gained ? 'better' : 'worse' }, flip.gained ? tr('now right') : tr('now wrong')), ' ',
      el('span', { class: 'quiet' }, tr('row {0}', example.row)), ' ', el('span', { class: 'token' }, example.gold.trim()), ' ',
      el('span', {}, said(flip.before, flip.p[0])), ' → ', el('span', {}, said(flip.now, flip.p[1]))),
    el('pre', {}, example.prompt));
}

function copied(/** @type {import('./data.js').Score} */ score, /** @type {import('./data.js').State} */ state) {
  const line = (/** @type {import('./data.js').Flip} */ flip) => [study.examples[flip.example].row, study.examples[flip.example].gold.trim(), flip.before, exact(flip.p[0]), flip.now, exact(flip.p[1])].join('\t');
  return [study.tasks[score.task].name, ...score.flips.map(line), provenance(state.model, state.words, score.dtype, score.device)].join('\n');
}

function render() {
  const side = Math.min(view.side, view.models.length - 1);
  const state = stateOf(view.models[side], view.off[side]);
  const flipped = (state?.scores ?? []).filter((score) => score.flips.length > 0);
  const heading = el('h2', { tabindex: -1 }, tr('Changed answers'));
  if (!state || flipped.length === 0) {
    fill(byId('flips'), heading, el('p', { class: 'quiet' }, view.off[side].length === 0 ? tr('Ablate a head to see which answers change.')
      : state ? tr('No answer changed.') : tr('Not measured: {0}.', view.off[side].join(' '))));
    return;
  }
  const score = flipped.find((one) => one.task === view.flipTask) ?? flipped[0];
  const entries = flipped.map((one) => [one.task, taskTitle(study.tasks[one.task])]);
  const all = (score.change?.lost ?? 0) + (score.change?.gained ?? 0);
  fill(byId('flips'), el('div', { class: 'heading' }, heading, el('span', { class: 'space' }), copyButton(() => copied(score, state), 'flips')),
  choice(tr('Benchmark'), entries, score.task, (/** @type {string} */ value) => change({ flipTask: Number(value) })),
  score.flips.map(row),
  all > score.flips.length ? el('p', { class: 'quiet' }, tr('{0} of {1} changed answers are on this page.', score.flips.length, all)) : null);
}

export function mountFlips() {
  onChange(render);
}
