// SPDX-License-Identifier: GPL-3.0-or-later
// What an exercise asks the reader to bring about, and how far the page is from it.
import { answerColumns, headsOf, patternOf, rowOf, scoreOf, sharesOf, stateOf, study, effectiveTokens } from './data.js';
import { modelAt, sampleNow, sideName, view } from './view.js';
import { number, taskTitle, tr } from './words.js';

/** The number that a condition is about; null: not measured. */
function measured(/** @type {import('./data.js').Condition} */ condition) {
  const side = condition.side;
  if (side >= view.models.length) return null;
  if (condition.kind === 'score') {
    const task = study.tasks.findIndex((one) => one.name === condition.task);
    return scoreOf(stateOf(view.models[side], view.off[side]), task)?.value ?? null;
  }
  if (condition.kind === 'heads') {
    const heads = view.off[side].filter((head) => headsOf(modelAt(side)).includes(head));
    const isElsewhere = condition.layer !== null && heads.some((head) => Number(head.match(/^L(\d+)/)?.[1]) !== condition.layer);
    return heads.length < view.off[side].length || isElsewhere ? null : heads.length;
  }
  const pattern = patternOf(view.models[side], view.sample, view.heads[side]);
  if (!pattern || pattern.rows === 0) return null;
  const shares = sharesOf(rowOf(pattern, pattern.rows - 1));
  return condition.kind === 'effective' ? effectiveTokens(shares) : answerColumns(sampleNow()).reduce((sum, col) => sum + shares[col], 0);
}

function range(/** @type {import('./data.js').Condition} */ condition) {
  if (condition.high > 1e6) return tr('at least {0}', number(condition.low, 0));
  if (condition.kind === 'heads') return condition.low === condition.high ? String(condition.low) : tr('{0} to {1}', condition.low, condition.high);
  if (condition.low <= 0) return tr('at most {0}', number(condition.high));
  return condition.high >= 1 && condition.kind !== 'effective' ? tr('at least {0}', number(condition.low)) : tr('{0} to {1}', number(condition.low), number(condition.high));
}

function about(/** @type {import('./data.js').Condition} */ condition) {
  const task = study.tasks.find((one) => one.name === condition.task);
  if (condition.kind === 'score') return task ? taskTitle(task) : condition.task;
  if (condition.kind === 'heads') return condition.layer === null ? tr('ablated heads') : tr('ablated heads, all of layer {0}', condition.layer);
  return condition.kind === 'effective' ? tr('effective tokens of the last row') : tr('last row on the answer');
}

/** Whether it holds, in words too. */
export function checked(/** @type {import('./data.js').Condition} */ condition) {
  const value = measured(condition);
  const isMet = value !== null && value >= condition.low && value <= condition.high;
  const digits = condition.kind === 'heads' ? 0 : 2;
  const words = `${about(condition)}: ${range(condition)}${view.models.length > 1 ? ` (${sideName(condition.side)})` : ''}`;
  return { isMet, words, measured: value === null ? tr('not measured') : number(value, digits) };
}
