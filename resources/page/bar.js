// SPDX-License-Identifier: GPL-3.0-or-later
// The bar at the top: models, sample, story, language, light or dark.
import { study } from './data.js';
import { button, byId, choice, el, fill } from './dom.js';
import { change, firstHead, onChange, renderAll, sideName, sides, view, withSide } from './view.js';
import { languageNow, setLanguage, tr } from './words.js';

function modelChip(/** @type {number} */ side) {
  const name = study.models[view.models[side]].name;
  const letter = el('b', {}, sideName(side));
  if (study.models.length <= view.models.length) return el('span', { class: `chip side${side}` }, letter, ' ', name);
  const entries = study.models.map((model, place) => /** @type {[number, string]} */ ([place, model.name]));
  return el('span', { class: `chip side${side}` }, letter, ' ',
    choice(tr('Model {0}', sideName(side)), entries, view.models[side], (/** @type {string} */ value) => change({
      models: withSide(view.models, side, Number(value)),
      heads: withSide(view.heads, side, firstHead(Number(value))),
      off: withSide(view.off, side, []),
    })));
}

function samplePicker() {
  if (study.samples.length === 0) return null;
  const go = (/** @type {number} */ step) => change({
    sample: (view.sample + step + study.samples.length) % study.samples.length, row: -1,
  });
  const entries = study.samples.map((sample, place) => [place, sample.source || tr('prompt {0}', place + 1)]);
  return el('span', { class: 'chip' },
    button('‹', () => go(-1), { 'aria-label': tr('Previous sample'), class: 'plain' }),
    choice(tr('Sample'), entries, view.sample, (/** @type {string} */ value) => change({ sample: Number(value), row: -1 }), 'sample'),
    button('›', () => go(1), { 'aria-label': tr('Next sample'), class: 'plain' }));
}

function storyPicker() {
  if (study.stories.en.length === 0 || study.exam) return null;
  const shown = study.stories[languageNow()] ?? study.stories.en;
  const entries = [[-1, tr('Explore freely')], ...shown.map((story, place) => [place, story.title])];
  return choice(tr('Guided story'), entries, view.story,
    (/** @type {string} */ value) => change({ story: Number(value), step: 0 }), 'story');
}

let isPrinting = false; // on white paper

function isDark() {
  if (isPrinting) return false;
  return view.theme ? view.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
}

/** The chips say it already. */
function isNamedByModels() {
  return study.title === study.models.map((model) => model.name).join(' beside ');
}

function render() {
  document.documentElement.dataset.theme = isDark() ? 'dark' : 'light';
  const other = languageNow() === 'de' ? 'en' : 'de';
  fill(byId('bar'),
    el('h1', { class: isNamedByModels() ? 'aside' : '' }, study.title),
    sides().map(modelChip),
    samplePicker(),
    el('span', { class: 'space' }),
    storyPicker(),
    button(other === 'de' ? 'Deutsch' : 'English', () => {
      setLanguage(other);
      renderAll();
    }, { lang: other, class: 'plain', 'data-key': 'language' }),
    button(isDark() ? '☀' : '☾', () => change({ theme: isDark() ? 'light' : 'dark' }),
      { class: 'plain', 'aria-label': isDark() ? tr('Light colours') : tr('Dark colours'), 'data-key': 'theme' }));
}

export function mountBar() {
  onChange(render);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', renderAll);
  for (const event of ['beforeprint', 'afterprint']) {
    addEventListener(event, () => {
      isPrinting = event === 'beforeprint';
      renderAll();
    });
  }
}
