// SPDX-License-Identifier: GPL-3.0-or-later
// The prompt with its pieces in colour; the tokens that a row reads most are underlined.
import { patternOf, rowOf, sharesOf } from './data.js';
import { byId, el, fill } from './dom.js';
import { change, onChange, sampleNow, view } from './view.js';
import { tr } from './words.js';

/** A token as it is written; a line end is shown. */
function written(/** @type {string} */ token) {
  return token === '\n' ? '⏎' : token;
}

function tokenNode(/** @type {string} */ token, /** @type {number} */ place, /** @type {import('./data.js').Sample} */ sample, /** @type {number} */ share) {
  const piece = sample.pieces.find((one) => place >= one.begin && place < one.end);
  const classes = ['token', piece ? `role-${piece.role}` : '', piece?.target ? 'target' : '', view.row === place ? 'locked' : ''];
  const node = el('button', {
    type: 'button', class: classes.filter(Boolean).join(' '), 'data-key': `token ${place}`,
    title: tr('Token {0}: click to lock its row', place), 'aria-pressed': view.row === place,
    style: share > 0.02 ? `--share:${share.toFixed(3)}` : null,
    on: { click: () => change({ row: view.row === place ? -1 : place }) },
  }, written(token));
  return [node, ' '];
}

function render() {
  const sample = sampleNow();
  if (!sample) {
    fill(byId('prompt'), el('h2', {}, tr('Prompt')), el('p', { class: 'quiet' }, tr('No prompt was kept in this session.')));
    return;
  }
  const pattern = patternOf(view.models[view.side] ?? view.models[0], view.sample, view.heads[view.side] ?? '');
  const row = view.row >= 0 ? view.row : sample.tokens.length - 1;
  const shares = pattern && row < pattern.rows ? sharesOf(rowOf(pattern, row)) : [];
  fill(byId('prompt'),
    el('h2', { class: 'aside' }, tr('Prompt')),
    el('p', { class: 'tokens' }, sample.tokens.map((token, place) => tokenNode(token, place, sample, shares[place] ?? 0))),
    el('p', { class: 'quiet right' }, tr('{0} tokens · {1}', sample.tokens.length, sample.source)));
}

export function mountPrompt() {
  onChange(render);
}
