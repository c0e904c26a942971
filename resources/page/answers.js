// SPDX-License-Identifier: GPL-3.0-or-later
// What each model answers in the state that is shown, and what it answered before.
import { stateOf } from './data.js';
import { byId, el, fill } from './dom.js';
import { copyButton, provenance } from './copying.js';
import { exact, percent, tr } from './words.js';
import { onChange, sampleNow, sideName, sides, view } from './view.js';

/** @param {import('./data.js').State | undefined} state */
function answerIn(state) {
  return state?.answers.find((answer) => answer.sample === view.sample);
}

function verdict(/** @type {boolean | null | undefined} */ now, /** @type {boolean | null | undefined} */ before, /** @type {boolean} */ ablated) {
  if (now === null || now === undefined) return null;
  if (now) return el('span', { class: 'better' }, tr('right'));
  return el('span', { class: 'worse' }, ablated && before ? tr('was right') : tr('wrong'));
}

function sure(/** @type {string} */ label, /** @type {number | null} */ share, /** @type {number} */ side) {
  if (share === null) return null;
  return el('span', { class: 'sure' }, el('span', { class: 'token' }, label), ' ', percent(share),
    el('span', { class: `meter side${side}`, style: `--share:${Math.min(Math.max(share, 0), 1)}` }));
}

function line(/** @type {number} */ side) {
  const state = stateOf(view.models[side], view.off[side]);
  const now = answerIn(state);
  const before = answerIn(stateOf(view.models[side], []));
  const ablated = view.off[side].length > 0;
  const head = el('b', { class: `letter side${side}` }, sideName(side));
  if (!now) {
    return el('div', { class: 'answer', 'data-side': side }, head,
      el('span', { class: 'quiet' }, state ? tr('answer not measured') : tr('state not measured')));
  }
  const gold = sampleNow().gold.trim();
  const said = now.token.trim() || (now.correct ? gold : '');
  const earlier = before?.token.trim() || (before?.correct ? gold : '');
  return el('div', { class: 'answer', 'data-side': side }, head, el('span', { class: 'quiet' }, tr('answers')),
    el('strong', { class: now.correct === null ? 'said' : now.correct ? 'said better' : 'said worse' }, said || '?'),
    ablated && earlier && earlier !== said ? el('s', { class: 'quiet' }, earlier) : null,
    sure(said || '?', now.p, side),
    gold && gold !== said ? sure(gold, now.gold, side) : null,
    verdict(now.correct, before?.correct, ablated),
    copyButton(() => [`${sampleNow().source}: "${said}", p = ${exact(now.p)}; "${gold}", p = ${exact(now.gold)}`,
      provenance(view.models[side], state?.words ?? '')].join('\n'), `answer ${side}`));
}

export function mountAnswers() {
  onChange(() => {
    const sample = sampleNow();
    fill(byId('answers'), el('h2', { class: 'aside' }, tr('Answers')),
      sample ? sides().map(line) : el('p', { class: 'quiet' }, tr('No answers without a prompt.')),
      sample?.gold ? el('p', { class: 'quiet' }, tr('The right answer is {0}.', sample.gold.trim())) : null);
  });
}
