// SPDX-License-Identifier: GPL-3.0-or-later
// What is on the page, what is not, and what only the program can do.
import { study } from './data.js';
import { button, byId, el, fill, toast } from './dom.js';
import { onChange } from './view.js';
import { tr } from './words.js';

function modelLine(/** @type {import('./data.js').Model} */ model) {
  return el('li', {}, el('b', {}, model.name), ` ${model.family}, ${model.dtype}, ${model.device}, ${tr('{0} parameters', model.parameters.toLocaleString('en'))}, `,
    el('span', { class: 'token' }, model.hash.slice(0, 16)));
}

export function mountAbout() {
  onChange(() => {
    fill(byId('about'), el('h2', {}, tr('About this page')),
      el('ul', { class: 'plainlist' }, study.models.map(modelLine)),
      el('p', {}, tr('Every number was measured before and is stored in this file: {0} states, {1} maps, {2} prompts, {3} rankings, {4} analyses. Nothing is computed by a model here, and nothing is loaded from a network.',
        study.states.length, study.patterns.length, study.samples.length, study.rankings.length, study.analyses.length)),
      el('p', {}, tr('Maps have 8 bits a cell, in steps of the largest of their row; last rows have every digit. A number that starts with ≈ is such a step.')),
      el('p', {}, tr('Only the program can ablate what was not measured, read other prompts, continue a text, and steer.')),
      study.leftOut.map(({ text, parts }) => el('p', { class: 'quiet' }, tr(text, ...parts))),
      button(tr('Copy a link to this state'), () => {
        navigator.clipboard.writeText(location.href).then(() => toast(tr('Copied')), () => toast(location.href));
      }, { 'data-key': 'link' }), ' ', button(tr('Print'), () => print(), { 'data-key': 'print' }),
      el('p', { class: 'quiet' }, `Headscope ${study.version}`));
  });
}
