// SPDX-License-Identifier: GPL-3.0-or-later
// By what a head map can be coloured: what a head costs on a benchmark, a ranking, or a number of its map.
import { headsOf, patternOf, scoreOf, stateOf, study } from './data.js';
import { view } from './view.js';
import { methodName, taskTitle, tr } from './words.js';

/**
 * @typedef {{id: string, title: string, measuredOn: string, of: (model: number, head: string) => number | null, most: number, low: string,
 *   high: string}} Metric
 */

/** What removing a head alone costs on a benchmark; null: not measured. */
export function costOf(/** @type {number} */ model, /** @type {string} */ head, /** @type {number} */ task) {
  const change = scoreOf(stateOf(model, [head]), task)?.change;
  return change ? -change.delta : null;
}

function isMeasured(/** @type {number} */ task) {
  return study.states.some((state) => state.heads.length === 1 && scoreOf(state, task)?.change);
}

function costMetric(/** @type {import('./data.js').Task} */ task, /** @type {number} */ place) {
  return {
    id: `cost ${task.name}`, measuredOn: task.name, title: tr('Cost on {0}', taskTitle(task)), most: 1,
    of: (/** @type {number} */ model, /** @type {string} */ head) => costOf(model, head, place),
    low: tr('costs nothing'), high: tr('costs all'),
  };
}

/** The ranking of that task and method on each model that has one. */
function rankingMetric(/** @type {import('./data.js').Ranking} */ ranking) {
  const same = study.rankings.filter((one) => one.task === ranking.task && one.method === ranking.method && one.ablation === ranking.ablation);
  const task = study.tasks.find((one) => one.name === ranking.task);
  const values = same.flatMap((one) => one.heads.map((head) => head.value)).filter(Number.isFinite);
  return {
    id: `rank ${ranking.method} ${ranking.task} ${ranking.ablation}`.trim(), measuredOn: `${ranking.task}, n = ${ranking.n}`,
    title: tr('{0} score on {1}', methodName(ranking.method), task ? taskTitle(task) : ranking.task), most: Math.max(...values, 1e-9),
    of: (/** @type {number} */ model, /** @type {string} */ head) =>
      same.find((one) => one.model === model)?.heads.find((one) => one.head === head)?.value ?? null,
    low: '0', high: '',
  };
}

function mapMetric(/** @type {'target' | 'effective' | 'sink'} */ key, /** @type {string} */ title, /** @type {number} */ most) {
  return {
    id: `map ${key}`, measuredOn: study.samples[view.sample]?.source ?? '', title, most, low: '0', high: String(most),
    of: (/** @type {number} */ model, /** @type {string} */ head) => patternOf(model, view.sample, head)?.[key] ?? null,
  };
}

/** Every colouring that the page has numbers for; an exam's head map has none. */
export function metrics() {
  if (study.exam) return /** @type {Metric[]} */ ([]);
  const places = study.tasks.map((_, place) => place).filter(isMeasured);
  places.sort((a, b) => study.tasks[a].pairs - study.tasks[b].pairs);
  const found = places.map((place) => costMetric(study.tasks[place], place));
  const seen = new Set();
  for (const ranking of study.rankings) {
    const metric = rankingMetric(ranking);
    if (ranking.method !== 'exact' && !seen.has(metric.id)) found.push(metric);
    seen.add(metric.id);
  }
  if (study.patterns.length > 0) {
    const tokens = study.samples[view.sample]?.tokens.length ?? 1;
    found.push(mapMetric('target', tr('Last row on the answer'), 1), mapMetric('effective', tr('Effective tokens of the last row'), tokens),
      mapMetric('sink', tr('Last row on the first token'), 1));
  }
  return found;
}

/** The colouring that is chosen; without a choice the costs on the second size of dictionary, as in the window. */
export function metricNow() {
  const all = metrics();
  const kv = all.filter((metric) => metric.id.startsWith('cost') && metric.id.includes('pairs='));
  return all.find((metric) => metric.id === view.colour) ?? kv[1] ?? kv[0] ?? all[0];
}

/** Heads of a model, those with the largest value first. */
export function ranked(/** @type {number} */ model, /** @type {Metric} */ metric) {
  return headsOf(study.models[model]).map((head) => ({ head, value: metric.of(model, head) }))
    .filter((one) => one.value !== null).sort((a, b) => Number(b.value) - Number(a.value));
}
