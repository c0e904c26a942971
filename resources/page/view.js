// SPDX-License-Identifier: GPL-3.0-or-later
// What the page shows now, as one value with listeners, and the address that leads back to it.
import { headsOf, study } from './data.js';
import { languageNow, setLanguage } from './words.js';

/**
 * @typedef {{models: number[], sample: number, heads: string[], off: string[][], row: number, colour: string,
 *   ranking: number, analysis: number, side: number, flipTask: number, story: number, step: number, theme: string, raw: boolean,
 *   sign: boolean}} View
 */

/** @type {View} */
export const view = {
  models: [0], sample: 0, heads: ['', ''], off: [[], []], row: -1, colour: '', ranking: -1, analysis: 0, side: 0,
  flipTask: -1, story: -1, step: 0, theme: '', raw: false, sign: false,
};

/** @type {(() => void)[]} */
const listeners = [];

export function onChange(/** @type {() => void} */ listener) {
  listeners.push(listener);
}

export function change(/** @type {Partial<View>} */ patch) {
  Object.assign(view, patch);
  for (const listener of listeners) listener();
  writeAddress();
}

/** Sets one side of a pair of the view, such as heads or off. */
export function withSide(/** @type {any[]} */ pair, /** @type {number} */ side, /** @type {any} */ value) {
  const copy = [...pair];
  copy[side] = value;
  return copy;
}

export function sideName(/** @type {number} */ side) {
  return side === 0 ? 'A' : 'B';
}

export function sides() {
  return view.models.map((_, side) => side);
}

export function modelAt(/** @type {number} */ side) {
  return study.models[view.models[side]];
}

export function sampleNow() {
  return study.samples[view.sample];
}

export function isOff(/** @type {number} */ side, /** @type {string} */ head) {
  return view.off[side].includes(head);
}

/** A click on a head: ablates or restores it, and shows its map. */
export function toggleHead(/** @type {number} */ side, /** @type {string} */ head) {
  const others = view.off[side].filter((one) => headsOf(modelAt(side)).includes(one) && one !== head);
  const off = isOff(side, head) ? others : [...others, head];
  change({ off: withSide(view.off, side, off), heads: withSide(view.heads, side, head), side, flipTask: -1 });
}

const kKeys = /** @type {[string, string][]} */ ([['a', 'off'], ['b', 'offb']]);

/** The part of the address behind #, for a state that a talk or a mail may point to. */
export function addressNow() {
  const parts = new URLSearchParams();
  sides().forEach((side) => {
    if (view.heads[side]) parts.set(kKeys[side][0], view.heads[side]);
  });
  if (view.row >= 0) parts.set('row', String(view.row));
  sides().forEach((side) => {
    if (view.off[side].length > 0) parts.set(kKeys[side][1], view.off[side].join(' '));
  });
  if (view.sample > 0) parts.set('sample', String(view.sample));
  if (study.models.length > 2) parts.set('models', view.models.join(' '));
  if (view.colour) parts.set('colour', view.colour);
  if (view.analysis > 0) parts.set('analysis', String(view.analysis));
  if (view.ranking >= 0) parts.set('ranking', String(view.ranking));
  if (view.flipTask >= 0) parts.set('flips', String(view.flipTask));
  if (view.side > 0) parts.set('side', sideName(view.side));
  if (view.raw) parts.set('rows', 'map');
  if (view.sign) parts.set('sign', '1');
  if (view.story >= 0) {
    parts.set('story', study.stories.en[view.story].id);
    parts.set('step', String(view.step + 1));
  }
  if (languageNow() === 'de') parts.set('lang', 'de');
  if (view.theme) parts.set('theme', view.theme);
  return parts.toString().replaceAll('+', '%20');
}

function writeAddress() {
  history.replaceState(null, '', `#${addressNow()}`);
}

function placeIn(/** @type {string | null} */ text, /** @type {number} */ count, /** @type {number} */ otherwise) {
  const place = text === null || text === '' ? NaN : Number(text);
  return Number.isInteger(place) && place >= 0 && place < count ? place : otherwise;
}

function modelsOf(/** @type {string | null} */ text) {
  const places = (text ?? '').split(' ').map((one) => placeIn(one, study.models.length, -1)).filter((place) => place >= 0);
  return places.length > 0 ? places.slice(0, 2) : study.models.slice(0, 2).map((_, place) => place);
}

/** The head that a page opens with: the one that aggregates, else the first of a ranking, else the first. */
export function firstHead(/** @type {number} */ model) {
  if (study.exam) return headsOf(study.models[model])[0] ?? '';
  const roles = Object.entries(study.models[model].roles);
  const role = roles.find(([, letter]) => letter === 'A') ?? roles[0];
  const ranked = study.rankings.find((ranking) => ranking.model === model && ranking.method === 'exact');
  return role?.[0] ?? ranked?.heads[0]?.head ?? headsOf(study.models[model])[0] ?? '';
}

/** What an address says; what it does not say is as on a page just opened. */
export function readAddress() {
  const parts = new URLSearchParams(location.hash.slice(1));
  const models = modelsOf(parts.get('models'));
  const headOf = (/** @type {string} */ key, /** @type {number} */ side) => {
    if (side >= models.length) return '';
    const named = parts.get(key) ?? '';
    return headsOf(study.models[models[side]]).includes(named) ? named : firstHead(models[side]);
  };
  const offOf = (/** @type {string} */ key) => (parts.get(key) ?? '').split(' ').filter((one) => one !== '');
  const sample = placeIn(parts.get('sample'), study.samples.length, 0);
  setLanguage(parts.get('lang') ?? (navigator.language.startsWith('de') ? 'de' : 'en'));
  const story = Math.max(study.stories.en.findIndex((one) => one.id === parts.get('story')), study.exam ? 0 : -1);
  change({
    models,
    sample,
    heads: [headOf('a', 0), headOf('b', 1)],
    off: [offOf('off'), offOf('offb')],
    row: placeIn(parts.get('row'), study.samples[sample]?.tokens.length ?? 0, -1),
    colour: parts.get('colour') ?? '',
    analysis: placeIn(parts.get('analysis'), study.analyses.length, 0),
    ranking: placeIn(parts.get('ranking'), study.rankings.length, -1),
    flipTask: placeIn(parts.get('flips'), study.tasks.length, -1),
    side: models.length > 1 && parts.get('side') === 'B' ? 1 : 0,
    raw: parts.get('rows') === 'map',
    sign: parts.get('sign') === '1',
    theme: ['light', 'dark'].includes(parts.get('theme') ?? '') ? String(parts.get('theme')) : '',
    story,
    step: story < 0 ? 0 : placeIn(String(Number(parts.get('step') ?? 1) - 1), study.stories.en[story].steps.length, 0),
  });
}

/** Renders everything without a change of what is shown, as after another language. */
export function renderAll() {
  change({});
}
