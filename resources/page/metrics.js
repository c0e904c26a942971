// SPDX-License-Identifier: GPL-3.0-or-later
// By what a head map can be coloured: what a head costs on a benchmark, a ranking, or a number of its map.
import { headsOf, patternOf, scoreOf, stateOf, study } from './data.js';
import { view } from './view.js';
import { methodName, taskTitle, tr } from './words.js';

/**
 * @typedef {{id: string, title: string, measuredOn: string, of: (model: number, head: string) => number | null, most: number, low: string,
 *   high: string}} Metric
 */

const kMeasuring = ['exact', 'race', 'pairs', 'greedy', 'random'];

/** Whether a ranking is by what is lost, measured or estimated; others are by scores of patterns. */
export function isOfLosses(/** @type {string} */ method) {
  return kMeasuring.includes(method) || method === 'estimate';
}

/** What is lost without a head by a ranking, else its score; null: unknown. */
export function worthOf(/** @type {import('./data.js').Ranking} */ ranking, /** @type {import('./data.js').RankedHead} */ head) {
  const value = kMeasuring.includes(ranking.method) ? head.delta : head.value;
  return value !== null && isOfLosses(ranking.method) ? -value : value;
}

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
  const worths = same.map((one) => ({ model: one.model, heads: new Map(one.heads.map((head) => [head.head, worthOf(one, head)])) }));
  const values = worths.flatMap((one) => [...one.heads.values()]).map(Number).filter(Number.isFinite);
  const on = task ? taskTitle(task) : ranking.task;
  return {
    id: `rank ${ranking.method} ${ranking.task} ${ranking.ablation}`.trim(), measuredOn: `${ranking.task}, n = ${ranking.n}`,
    title: ranking.method === 'race' ? tr('Loss (race) on {0}', on) : ranking.method === 'estimate' ? tr('Estimated loss on {0}', on)
      : tr('{0} score on {1}', methodName(ranking.method), on),
    most: Math.max(...values, 1e-9),
    of: (/** @type {number} */ model, /** @type {string} */ head) => worths.find((one) => one.model === model)?.heads.get(head) ?? null,
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
    const isShown = ranking.method === 'race' || !kMeasuring.includes(ranking.method); // not: exact, the costs above; several heads together
    if (isShown && !seen.has(metric.id)) found.push(metric);
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
