// SPDX-License-Identifier: GPL-3.0-or-later
// Edges between parts of a model: parts in their layers, edges as thick as their share, the answer at the top.
import { svg } from './dom.js';
import { number } from './words.js';

/** @typedef {{from: string, into: string, share: number}} Edge */

const kRow = 46;
const kWidth = 560;
const kShownEdges = 24;

/** Layer of a part: the embedding below all, the logits above. */
function layerOf(/** @type {string} */ part) {
  if (part === 'embed') return -1;
  const found = part.match(/^L(\d+)/);
  return found ? Number(found[1]) + (part.endsWith('.mlp') ? 0.5 : 0) : Infinity;
}

/** @param {Edge[]} all @param {string} label */
export function graphOf(all, label) {
  const edges = [...all].filter((edge) => Number.isFinite(edge.share)).sort((a, b) => Math.abs(b.share) - Math.abs(a.share)).slice(0, kShownEdges);
  const parts = [...new Set(edges.flatMap((edge) => [edge.from, edge.into.split('.').slice(0, edge.into.endsWith('.mlp') ? 2 : 1).join('.')]))];
  const layers = [...new Set(parts.map(layerOf))].sort((a, b) => b - a);
  const place = new Map(parts.map((part) => {
    const row = parts.filter((other) => layerOf(other) === layerOf(part));
    return [part, [(kWidth * (row.indexOf(part) + 1)) / (row.length + 1), kRow * (layers.indexOf(layerOf(part)) + 0.5)]];
  }));
  const isSigned = edges.some((edge) => edge.share < 0); // then as in a grid: blue for less, orange for more
  const most = Math.max(...edges.map((edge) => Math.abs(edge.share)), 1e-12);
  const at = (/** @type {string} */ part) => place.get(part) ?? place.get(part.split('.')[0]) ?? [0, 0];
  const paths = edges.map((edge) => {
    const [x1, y1] = at(edge.from);
    const [x2, y2] = at(edge.into);
    return svg('path', {
      d: `M${x1} ${y1 - 9}C${x1} ${(y1 + y2) / 2},${x2} ${(y1 + y2) / 2},${x2} ${y2 + 9}`, class: isSigned && edge.share > 0 ? 'edge plus' : 'edge',
      'stroke-width': Math.max((9 * Math.abs(edge.share)) / most, 0.5), opacity: Math.max(Math.abs(edge.share) / most, 0.15),
    }, svg('title', {}, `${edge.from} → ${edge.into}: ${number(edge.share, 3)}`));
  });
  const nodes = parts.map((part) => svg('g', {}, svg('rect', { x: at(part)[0] - 28, y: at(part)[1] - 10, width: 56, height: 20, rx: 6, class: 'part' }),
    svg('text', { x: at(part)[0], y: at(part)[1] + 4, class: 'tick middle' }, part)));
  return svg('svg', { viewBox: `0 0 ${kWidth} ${kRow * layers.length}`, class: 'graph', role: 'img', 'aria-label': label }, paths, nodes);
}
