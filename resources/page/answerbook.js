// SPDX-License-Identifier: GPL-3.0-or-later
// The reader's answers: kept in memory, offered as a small file that `headscope-cli class` reads.
import { study } from './data.js';

/**
 * @typedef {{lesson: string, step: number, question: string, kind: 'choice' | 'check' | 'open', answer: string,
 *   correct: boolean | null, confidence: string, seconds: number}} Given
 */

/** @type {Map<string, Given>} */
const given = new Map();
let askedAt = performance.now();

function keyOf(/** @type {string} */ lesson, /** @type {number} */ step) {
  return `${lesson} ${step}`;
}

/** The clock of an answer begins. */
export function startClock() {
  askedAt = performance.now();
}

export function answerTo(/** @type {string} */ lesson, /** @type {number} */ step) {
  return given.get(keyOf(lesson, step));
}

/** The first answer to a choice counts; what is written may be changed. */
export function keepAnswer(/** @type {Omit<Given, 'seconds'>} */ answer) {
  const key = keyOf(answer.lesson, answer.step);
  if (given.has(key) && answer.kind !== 'open') return;
  given.set(key, { ...answer, seconds: Math.round((performance.now() - askedAt) / 100) / 10 });
}

export function answerCount() {
  return given.size;
}

export function rightCount() {
  return [...given.values()].filter((answer) => answer.correct === true).length;
}

/** "b) both": a choice as it is stored, the same in every language up to the bracket. */
export function choiceWords(/** @type {number} */ choice, /** @type {string} */ words) {
  return `${String.fromCharCode(97 + choice)}) ${words}`;
}

export function answersFile(/** @type {string} */ name) {
  return JSON.stringify({ headscope_answers: 1, name, page: study.title, answers: [...given.values()] }, null, 1);
}

/** Offers the file to be saved. */
export function saveAnswers(/** @type {string} */ name) {
  const url = URL.createObjectURL(new Blob([answersFile(name)], { type: 'application/json' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = `${name.replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-+|-+$/g, '') || 'answers'}.answers.json`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}
