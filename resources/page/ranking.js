// SPDX-License-Identifier: GPL-3.0-or-later
// Rankings of heads as sorted bars.
import { barList } from './bars.js';
import { copyButton, provenance } from './copying.js';
import { headsOf, study } from './data.js';
import { byId, choice, el, fill } from './dom.js';
import { change, modelAt, onChange, sides, toggleHead, view } from './view.js';
import { isOfLosses, worthOf } from './metrics.js';
import { exact, methodName, taskTitle, tr } from './words.js';

/** What is lost by the methods of rankings that are of losses. */
const kLosses = new Map([
  ['exact', 'loss without the head'], ['race', 'loss without the head (race)'], ['estimate', 'estimated loss without the head'],
  ['greedy', 'loss without the head and those above'], ['pairs', 'loss without both heads'], ['random', 'loss without random heads'],
]);

function titleOf(/** @type {import('./data.js').Ranking} */ ranking) {
  const task = study.tasks.find((one) => one.name === ranking.task);
  const what = kLosses.has(ranking.method) ? tr(kLosses.get(ranking.method) ?? '') : tr('{0} score', methodName(ranking.method));
  return `${study.models[ranking.model].name} · ${task ? taskTitle(task) : ranking.task} · ${what}${ranking.ablation ? ` · ${ranking.ablation}` : ''}`;
}

function shownRankings() {
  return study.rankings.map((ranking, place) => ({ ranking, place })).filter((one) => view.models.includes(one.ranking.model));
}

/** What the ranking is by, with its interval; scores of patterns have none. */
function numberOf(/** @type {import('./data.js').Ranking} */ ranking, /** @type {import('./data.js').RankedHead} */ head) {
  const isLoss = isOfLosses(ranking.method);
  return { value: worthOf(ranking, head), low: isLoss ? -head.interval[1] : null, high: isLoss ? -head.interval[0] : null };
}

function barsOf(/** @type {import('./data.js').Ranking} */ ranking) {
  const side = sides().find((one) => view.models[one] === ranking.model) ?? 0;
  return ranking.heads.map((head) => ({
    label: head.head, ...numberOf(ranking, head), isMarked: view.off[side].includes(head.head),
    act: headsOf(modelAt(side)).includes(head.head) ? () => toggleHead(side, head.head) : undefined,
  }));
}

function copied(/** @type {import('./data.js').Ranking} */ ranking) {
  const line = (/** @type {import('./data.js').RankedHead} */ head) => {
    const { value, low, high } = numberOf(ranking, head);
    return [head.head, exact(value), low === null ? '' : exact(low), high === null ? '' : exact(high)].join('\t');
  };
  return [titleOf(ranking), ...ranking.heads.map(line),
    `n = ${ranking.n}; ${provenance(ranking.model, ranking.ablation)}`].join('\n');
}

export function mountRanking() {
  onChange(() => {
    const all = shownRankings();
    const isKv = (/** @type {{ranking: import('./data.js').Ranking}} */ one) => one.ranking.method === 'exact' && one.ranking.task.includes('pairs=8');
    const chosen = all.find((one) => one.place === view.ranking) ?? all.find(isKv) ?? all[0];
    if (!chosen) {
      fill(byId('ranking'), el('h2', {}, tr('Ranking')), el('p', { class: 'quiet' }, tr('No ranking was stored.')));
      return;
    }
    const entries = all.map((one) => [one.place, titleOf(one.ranking)]);
    fill(byId('ranking'), el('div', { class: 'heading' }, el('h2', {}, tr('Ranking')), el('span', { class: 'space' }), copyButton(() => copied(chosen.ranking), 'ranking')),
      choice(tr('Ranking'), entries, chosen.place, (/** @type {string} */ value) => change({ ranking: Number(value) })),
      barList(barsOf(chosen.ranking), tr('All heads')),
      el('p', { class: 'quiet' }, chosen.ranking.method === 'exact' ? tr('What is lost without each head, with 95 % intervals (Tango), n = {0}. Click a head to ablate it.', chosen.ranking.n)
        : tr('n = {0}. Click a head to ablate it.', chosen.ranking.n)));
  });
}
