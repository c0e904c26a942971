// SPDX-License-Identifier: GPL-3.0-or-later
// One row of a map as bars below it, each below its column.
import { answerColumns, sharesOf } from './data.js';
import { svg } from './dom.js';
import { percent } from './words.js';

const kHeight = 70;
const kTop = 8;

/**
 * @param {number[]} row
 * @param {{width: number, margin: number, cell: number, x: number}} place of the map above
 * @param {import('./data.js').Sample} sample
 * @param {number} side
 */
export function profile(row, place, sample, side) {
  const shares = sharesOf(row);
  const most = Math.max(...shares, 1e-30);
  const ceiling = most > 0.5 ? 1 : most;
  const answers = answerColumns(sample);
  const largest = shares.indexOf(Math.max(...shares));
  const bars = shares.map((share, col) => {
    const height = (kHeight * share) / ceiling;
    const left = place.x + col * place.cell;
    if (share < 0.002 || left < place.margin - place.cell || left > place.width) return null;
    return svg('rect', {
      x: left + 0.1 * place.cell, y: kTop + kHeight - height, width: Math.max(0.8 * place.cell, 1), height,
      class: answers.includes(col) ? `bar side${side}` : `bar pale side${side}`,
    }, svg('title', {}, `${sample.tokens[col]}: ${percent(share)}`));
  });
  const middle = Math.min(Math.max(place.x + (largest + 0.5) * place.cell, place.margin + 12), place.width - 12);
  return svg('svg', { viewBox: `0 0 ${place.width} ${kHeight + kTop + 18}`, width: place.width, role: 'img', 'aria-label': `${sample.tokens[largest]}: ${percent(shares[largest])}` },
    svg('line', { x1: place.margin, x2: place.width, y1: kTop + kHeight, y2: kTop + kHeight, class: 'axis' }),
    svg('text', { x: place.margin - 6, y: kTop + 4, class: 'tick end' }, percent(ceiling)),
    svg('text', { x: place.margin - 6, y: kTop + kHeight, class: 'tick end' }, '0'),
    bars,
    svg('text', { x: middle, y: kTop + kHeight + 14, class: 'tick middle strong' }, sample.tokens[largest] === '\n' ? '⏎' : sample.tokens[largest].slice(0, 14)));
}
