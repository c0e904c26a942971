// SPDX-License-Identifier: GPL-3.0-or-later
// The page's own words in English and German, and how numbers are written.
import { study } from './data.js';

/** @type {Record<string, string>} */
let germanWords = {};
let language = 'en';

export function setWords(/** @type {Record<string, string>} */ words) {
  germanWords = words;
}

export function setLanguage(/** @type {string} */ code) {
  language = code === 'de' ? 'de' : 'en';
  document.documentElement.lang = language;
}

export function languageNow() {
  return language;
}

/** The text in the reader's language, with {0}, {1} replaced. */
export function tr(/** @type {string} */ text, /** @type {any[]} */ ...parts) {
  const found = language === 'de' && Object.hasOwn(germanWords, text) ? germanWords[text] : text;
  return found.replace(/\{(\d)\}/g, (_, place) => String(parts[Number(place)]));
}

function withComma(/** @type {string} */ digits) {
  return language === 'de' ? digits.replace('.', ',') : digits;
}

function isNumber(/** @type {any} */ value) {
  return typeof value === 'number' && Number.isFinite(value);
}

/** @param {any} value @param {number} [digits] */
export function number(value, digits = 2) {
  if (!isNumber(value)) return '–';
  const size = Math.abs(value);
  if (size >= 1e6 || (size !== 0 && size < 1e-4)) return withComma(value.toExponential(1).replaceAll('-', '−'));
  const plain = size !== 0 && size < 0.5 * 10 ** -digits ? value.toPrecision(1) : value.toFixed(digits);
  return withComma(plain.replace('-', '−'));
}

export function signedNumber(/** @type {any} */ value, digits = 2) {
  return isNumber(value) && value > 0 ? `+${number(value, digits)}` : number(value, digits);
}

/** A share as a percentage with one digit where that says something. */
export function percent(/** @type {any} */ share) {
  if (!isNumber(share)) return '–';
  const value = 100 * share;
  return `${withComma(value.toFixed(value > 0 && (value < 10 || value > 99) && value < 100 ? 1 : 0))} %`;
}

export function pValue(/** @type {any} */ p) {
  if (!isNumber(p)) return 'p –';
  if (p < 0.001) return `p = ${withComma(p.toExponential(0).replace('-', '−'))}`;
  return `p = ${withComma(p.toFixed(p < 0.1 ? 3 : 2))}`;
}

/** Every digit, for what is copied and for tests. */
export function exact(/** @type {any} */ value) {
  return isNumber(value) ? String(value) : 'not a number';
}

export function interval(/** @type {any[]} */ ends, digits = 2) {
  return `[${number(ends[0], digits)}, ${number(ends[1], digits)}]`;
}

const kMethods = { gather: 'Gather', aggregate: 'Aggregate' };

/** What a ranking's method is called, as in "Gather score". */
export function methodName(/** @type {string} */ method) {
  return Object.hasOwn(kMethods, method) ? tr(kMethods[/** @type {keyof typeof kMethods} */ (method)]) : method;
}

const kTitles = {
  toy_mc: 'MC (4 options)',
  toy_knowledge: 'Knowledge',
  passage_mc: 'MC on a passage',
  ioi: 'Names',
  facts: 'Made-up facts',
  cloze: 'Last word of a paragraph',
  induction: 'Induction',
};

function isDictionary(/** @type {import('./data.js').Task} */ task) {
  return /^(toy_kv|word_kv|kv_retrieval)/.test(task.kind);
}

/** What a benchmark is called; `task` is an entry of the data's tasks. Dictionaries of several kinds are told apart. */
export function taskTitle(/** @type {import('./data.js').Task} */ task) {
  if (isDictionary(task)) {
    const title = task.pairs > 0 ? tr('KV retrieval, {0} pairs', task.pairs) : tr('KV retrieval');
    return study.tasks.some((one) => isDictionary(one) && one.kind !== task.kind) ? `${title} (${task.kind})` : title;
  }
  return Object.hasOwn(kTitles, task.kind) ? tr(kTitles[/** @type {keyof typeof kTitles} */ (task.kind)]) : task.name;
}
