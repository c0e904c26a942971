// SPDX-License-Identifier: GPL-3.0-or-later
// Rankings of heads as sorted bars.
import { barList } from './bars.js';
import { copyButton, provenance } from './copying.js';
import { headsOf, study } from './data.js';
import { byId, choice, el, fill } from './dom.js';
import { change, modelAt, onChange, sides, toggleHead, view } from './view.js';
import { exact, methodName, taskTitle, tr } from './words.js';

function titleOf(/** @type {import('./data.js').Ranking} */ ranking) {
  const task = study.tasks.find((one) => one.name === ranking.task);
  const what = ranking.method === 'exact' ? tr('loss without the head') : tr('{0} score', methodName(ranking.method));
  return `${study.models[ranking.model].name} · ${task ? taskTitle(task) : ranking.task} · ${what}${ranking.ablation ? ` · ${ranking.ablation}` : ''}`;
}

function shownRankings() {
  return study.rankings.map((ranking, place) => ({ ranking, place })).filter((one) => view.models.includes(one.ranking.model));
}

/** Of a measured ranking what is lost, else the score. */
function barsOf(/** @type {import('./data.js').Ranking} */ ranking) {
  const isExact = ranking.method === 'exact' || ranking.method === 'race';
  const side = sides().find((one) => view.models[one] === ranking.model) ?? 0;
  return ranking.heads.map((head) => ({
    label: head.head, value: isExact ? -(head.delta ?? 0) : head.value, low: isExact ? -head.interval[1] : null, high: isExact ? -head.interval[0] : null,
    isMarked: view.off[side].includes(head.head),
    act: headsOf(modelAt(side)).includes(head.head) ? () => toggleHead(side, head.head) : undefined,
  }));
}

function copied(/** @type {import('./data.js').Ranking} */ ranking) {
  return [titleOf(ranking), ...ranking.heads.map((head) => `${head.head}\t${exact(head.value)}\t${head.delta === null ? '' : exact(head.delta)}\t${exact(head.interval[0])}\t${exact(head.interval[1])}`),
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
