// SPDX-License-Identifier: GPL-3.0-or-later
// Sorted bars with intervals: rankings, attribution and whatever else is a number a part.
import { el } from './dom.js';
import { number } from './words.js';

/**
 * @typedef {{label: string, value: number | null, low?: number | null, high?: number | null, act?: () => void, isMarked?: boolean}} Bar
 */

const kShownBars = 24;

function ends(/** @type {Bar[]} */ bars) {
  const values = bars.flatMap((bar) => [bar.value, bar.low, bar.high]).map(Number).filter(Number.isFinite);
  return [Math.min(0, ...values), Math.max(0, ...values, 1e-12)];
}

/** @param {Bar[]} bars in their order @param {string} more the text of what opens the rest */
export function barList(bars, more) {
  const [low, high] = ends(bars);
  const place = (/** @type {number} */ value) => (100 * (value - low)) / (high - low);
  const row = (/** @type {Bar} */ bar) => {
    const value = bar.value ?? 0;
    const from = Math.min(place(0), place(value));
    const hasInterval = typeof bar.low === 'number' && typeof bar.high === 'number' && bar.low < bar.high;
    return el('li', { class: bar.isMarked ? 'barrow marked' : 'barrow' },
      bar.act ? el('button', { type: 'button', class: 'link label', 'data-key': `bar ${bar.label}`, on: { click: bar.act } }, bar.label) : el('span', { class: 'label' }, bar.label),
      el('span', { class: 'track', 'aria-hidden': 'true' },
        el('span', { class: low < 0 && value > 0 ? 'fillbar plus' : 'fillbar', style: `left:${from}%;width:${Math.abs(place(value) - place(0))}%` }),
        hasInterval ? el('span', { class: 'whiskerbar', style: `left:${place(Number(bar.low))}%;width:${place(Number(bar.high)) - place(Number(bar.low))}%` }) : null),
      el('span', { class: 'amount' }, number(bar.value, Math.abs(value) < 10 ? 3 : 1)));
  };
  const list = el('ul', { class: 'bars' }, bars.slice(0, kShownBars).map(row));
  if (bars.length <= kShownBars) return list;
  return el('div', {}, list, el('details', {}, el('summary', {}, more), el('ul', { class: 'bars' }, bars.slice(kShownBars).map(row))));
}
