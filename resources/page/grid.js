// SPDX-License-Identifier: GPL-3.0-or-later
// A table of cells with colour and number: layers by heads, or layers by positions.
import { cssColour, inkOn } from './colours.js';
import { el } from './dom.js';
import { number } from './words.js';

/** @typedef {{row: string, col: string, value: number | null, words: string, title: string}} Cell */

/** @param {Cell[]} cells @param {{signed: boolean, label: string}} how */
export function gridOf(cells, how) {
  const rows = [...new Set(cells.map((cell) => cell.row))];
  const cols = [...new Set(cells.map((cell) => cell.col))];
  const by = new Map(cells.map((cell) => [`${cell.row}\n${cell.col}`, cell]));
  const most = how.signed ? Math.max(...cells.map((cell) => Math.abs(cell.value ?? 0)), 1e-12) : Math.max(...cells.map((cell) => cell.value ?? 0), 1e-12);
  const node = (/** @type {Cell | undefined} */ cell) => {
    if (!cell || cell.value === null) return el('td', { class: 'unknown' });
    const share = cell.value / most;
    return el('td', { style: `background:${cssColour(share, how.signed)};color:${inkOn(share, how.signed)}`, title: cell.title }, cell.words || number(cell.value));
  };
  return el('div', { class: 'wide', tabindex: 0, role: 'region', 'aria-label': how.label }, el('table', { class: cols.length > 24 ? 'grid many' : 'grid' },
    el('thead', {}, el('tr', {}, el('td', {}), cols.map((col) => el('th', { scope: 'col' }, col)))),
    el('tbody', {}, rows.map((row) => el('tr', {}, el('th', { scope: 'row' }, row), cols.map((col) => node(by.get(`${row}\n${col}`))))))));
}
