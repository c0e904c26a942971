// SPDX-License-Identifier: GPL-3.0-or-later
// The two scales of all maps: viridis for how much, blue to orange for what has a sign. Zero has one colour.

const kViridis = [
  [68, 1, 84], [72, 35, 116], [64, 67, 135], [52, 94, 141], [41, 120, 142], [32, 144, 140], [34, 167, 132], [68, 190, 112],
  [121, 209, 81], [189, 222, 38], [253, 231, 37],
];
const kDiverging = [[37, 99, 235], [147, 180, 245], [242, 244, 247], [240, 170, 120], [194, 84, 10]];

function between(/** @type {number[][]} */ stops, /** @type {number} */ share) {
  const place = Math.min(Math.max(share, 0), 1) * (stops.length - 1);
  const below = Math.min(Math.floor(place), stops.length - 2);
  return stops[below].map((value, i) => Math.round(value + (stops[below + 1][i] - value) * (place - below)));
}

/** @param {number} share of the largest, 0 to 1; with a sign −1 to 1 */
export function colourOf(share, signed = false) {
  return signed ? between(kDiverging, (share + 1) / 2) : between(kViridis, share);
}

export function cssColour(/** @type {number} */ share, signed = false) {
  return `rgb(${colourOf(share, signed).join(' ')})`;
}

/** Black or white, whichever has more contrast on a colour (WCAG 2.2): at least 4.5. */
export function inkOn(/** @type {number} */ share, signed = false) {
  const [r, g, b] = colourOf(share, signed).map((part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.179 ? '#000000' : '#ffffff';
}
