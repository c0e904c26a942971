// SPDX-License-Identifier: GPL-3.0-or-later
// The guided story: steps that show a state, ask, and reveal; the page around it follows.
import { answerCount, answerTo, choiceWords, keepAnswer, rightCount, saveAnswers, startClock } from './answerbook.js';
import { checked } from './condition.js';
import { headsOf, study } from './data.js';
import { button, byId, el, fill } from './dom.js';
import { paragraphs } from './markup.js';
import { change, onChange, sides, view } from './view.js';
import { languageNow, tr } from './words.js';

const kParts = /** @type {Record<string, string>} */ ({
  prompt: 'prompt', mapA: 'heads', mapB: 'heads', heads: 'heads', patternA: 'maps', patternB: 'maps', patterns: 'maps', scores: 'cost', chart: 'curve',
});
const kConfidence = /** @type {[string, string][]} */ ([['guess', 'I guess'], ['think', 'I think so'], ['know', 'I am sure']]);

let shownStep = ''; // whose scene was set up
let chosen = -1;
let readerName = '';

function storyNow() {
  return (study.stories[languageNow()] ?? study.stories.en)[view.story];
}

/** What is asked is the same in both languages. */
function stepNow() {
  return storyNow()?.steps[view.step];
}

function splitOff(/** @type {string} */ text) {
  return text.split(' ').filter((one) => one !== '');
}

/** Shows the whole state that a step declares. */
function setScene(/** @type {import('./data.js').Scene} */ scene, /** @type {string[]} */ off) {
  const sample = study.samples.findIndex((one) => one.source === scene.sample);
  const heads = view.heads.map((head, side) => {
    const named = scene.heads[side];
    return side < view.models.length && headsOf(study.models[view.models[side]]).includes(named) ? named : head;
  });
  change({ sample: sample >= 0 ? sample : view.sample, heads, off: off.map(splitOff), row: -1, side: off[1] && !off[0] ? 1 : 0, flipTask: -1 });
}

function isAnswered() {
  const step = stepNow();
  return !step || (step.choices.length === 0 && step.conditions.length === 0 && !step.write) || answerTo(storyNow().id, view.step) !== undefined;
}

/** Parts that would give the answer away are covered until it is given. */
function cover() {
  const step = stepNow();
  const covered = step && !isAnswered() ? step.cover.map((part) => kParts[part]).filter(Boolean) : [];
  for (const section of document.querySelectorAll('main > section')) section.classList.toggle('covered', covered.includes(section.id));
}

function answerChoice(/** @type {string} */ confidence) {
  const step = stepNow();
  keepAnswer({
    lesson: storyNow().id, step: view.step, question: step.question, kind: 'choice',
    answer: choiceWords(chosen, step.choices[chosen]), correct: chosen === step.right, confidence,
  });
  if (step.scene.reveal) setScene(step.scene, step.scene.reveal);
  else change({});
}

function questionPart(/** @type {import('./data.js').Step} */ step) {
  const past = answerTo(storyNow().id, view.step);
  const choices = step.choices.map((words, place) => el('label', { class: past && place === step.right ? 'choice better' : 'choice' },
    el('input', {
      type: 'radio', name: 'choice', value: place, 'data-key': `choice ${place}`, disabled: past !== undefined,
      checked: past ? past.answer.startsWith(choiceWords(place, '').trim()) : chosen === place,
      on: { change: () => {
        chosen = place;
        render();
      } },
    }), ' ', words));
  const sure = past || chosen < 0 ? null : el('div', { class: 'row', role: 'group', 'aria-label': tr('How sure are you?') }, el('span', { class: 'quiet' }, tr('How sure are you?')),
    kConfidence.map(([key, words]) => button(tr(words), () => answerChoice(key), { 'data-key': key })));
  return el('fieldset', {}, el('legend', {}, step.question), choices, sure);
}

function revealPart(/** @type {import('./data.js').Step} */ step) {
  const past = answerTo(storyNow().id, view.step);
  if (!past) return null;
  const place = past.kind === 'choice' ? past.answer.charCodeAt(0) - 97 : -1;
  const verdict = past.correct === null ? null : el('p', { class: past.correct ? 'says better' : 'says worse' }, past.correct ? tr('Right.') : tr('Not quite.'), ' ', step.why[place] ?? '');
  return el('div', { class: 'reveal', role: 'status' }, verdict, paragraphs(step.explanation));
}

function checkPart(/** @type {import('./data.js').Step} */ step) {
  const results = step.conditions.map(checked);
  return el('ul', { class: 'plainlist' }, results.map((one) => el('li', { class: one.isMet ? 'better' : '' }, one.isMet ? '✓ ' : '○ ', one.words, el('span', { class: 'quiet' }, ` (${one.measured})`))));
}

/** An exercise counts when the reader has brought about all of it, not as the step was opened. */
function noticeDone() {
  const step = stepNow();
  if (!step || step.conditions.length === 0 || answerTo(storyNow().id, view.step)) return;
  const results = step.conditions.map(checked);
  if (!results.every((one) => one.isMet)) return;
  keepAnswer({
    lesson: storyNow().id, step: view.step, question: step.title, kind: 'check', correct: true, confidence: '',
    answer: results.map((one) => `${one.words} (${one.measured})`).join('; '),
  });
}

function writePart(/** @type {import('./data.js').Step} */ step) {
  const past = answerTo(storyNow().id, view.step);
  const area = /** @type {HTMLTextAreaElement} */ (el('textarea', { rows: 3, 'aria-label': tr('Your answer'), 'data-key': 'written', maxlength: 4000 }));
  area.value = past?.answer ?? '';
  return el('div', {}, area, button(tr('Keep answer'), () => {
    if (area.value.trim() === '') return;
    keepAnswer({ lesson: storyNow().id, step: view.step, question: step.title, kind: 'open', answer: area.value.trim(), correct: null, confidence: '' });
    change({});
  }));
}

function goTo(/** @type {number} */ step) {
  change({ step });
}

function handIn() {
  const name = /** @type {HTMLInputElement} */ (el('input', { type: 'text', 'aria-label': tr('Your name'), placeholder: tr('Your name'), 'data-key': 'name', maxlength: 200, on: { input: () => {
    readerName = name.value;
  } } }));
  name.value = readerName;
  return el('div', { class: 'row' }, name, button(tr('Save answers'), () => saveAnswers(readerName), { 'data-key': 'save answers' }),
    el('span', { class: 'quiet' }, tr('{0} answered, {1} right', answerCount(), rightCount())));
}

function render() {
  const story = storyNow();
  const step = stepNow();
  byId('story').hidden = !step;
  cover();
  if (!story || !step) return;
  const isLast = view.step === story.steps.length - 1;
  fill(byId('story'),
    el('div', { class: 'heading' }, el('h2', { tabindex: -1 }, step.title), el('span', { class: 'quiet' }, `${story.title} · ${view.step + 1}/${story.steps.length}`), el('span', { class: 'space' }),
      button(tr('Back'), () => goTo(view.step - 1), { disabled: view.step === 0, 'data-key': 'back' }),
      button(tr('Next'), () => goTo(view.step + 1), { disabled: isLast, class: isAnswered() ? 'primary' : '', 'data-key': 'next' }),
      study.exam ? null : button('×', () => change({ story: -1 }), { 'aria-label': tr('Leave the story'), class: 'plain', 'data-key': 'leave' })),
    el('div', { class: 'storybody' }, el('div', {}, paragraphs(step.text)),
      el('div', {}, step.choices.length > 0 ? questionPart(step) : null, step.conditions.length > 0 ? checkPart(step) : null, step.write ? writePart(step) : null, revealPart(step))),
    isLast || study.exam || answerCount() > 0 ? handIn() : null);
}

function follow() {
  const step = stepNow();
  const key = step ? `${view.story} ${view.step} ${sides().length}` : '';
  if (key !== shownStep) {
    shownStep = key;
    chosen = -1;
    startClock();
    if (step) {
      setScene(step.scene, isAnswered() && step.scene.reveal ? step.scene.reveal : step.scene.off);
      return; // which renders
    }
  } else noticeDone();
  render();
}

export function mountStory() {
  onChange(follow);
}
