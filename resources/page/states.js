// SPDX-License-Identifier: GPL-3.0-or-later
// States that were measured besides single heads: saved runs, sets of heads, and everything else that can be done.
import { copyButton, scoreText } from './copying.js';
import { study } from './data.js';
import { byId, el, fill } from './dom.js';
import { change, onChange, sideName, sides, view, withSide } from './view.js';
import { number, taskTitle, tr } from './words.js';

const kMostStates = 60;

function apply(/** @type {number} */ side, /** @type {import('./data.js').State} */ state) {
  change({ off: withSide(view.off, side, state.ablation === '' ? [] : state.heads.length > 0 ? state.heads : [state.ablation]), side, flipTask: -1 });
}

function row(/** @type {number} */ side, /** @type {import('./data.js').State} */ state) {
  const isShown = view.off[side].join(' ') === state.ablation || (state.heads.length > 0 && view.off[side].join(' ') === state.heads.join(' '));
  const bars = state.scores.slice(0, 6).map((score) => el('span', {
    class: `meter side${side}`, style: `--share:${Math.min(Math.max(score.value, 0), 1)}`, title: `${taskTitle(study.tasks[score.task])}: ${number(score.value)}`,
  }));
  return el('li', {}, el('button', { type: 'button', class: isShown ? 'state shown' : 'state', 'data-key': `state ${side} ${state.ablation}`, title: state.note || null, on: { click: () => apply(side, state) } },
    el('b', { class: `side${side}` }, sideName(side)), ' ',
    state.name && state.name !== state.words ? `${state.name} ` : '', state.ablation === '' ? tr('all on') : tr('without {0}', state.words),
    el('span', { class: 'meters' }, bars)));
}

export function mountStates() {
  onChange(() => {
    const shown = sides().flatMap((side) => study.states
      .filter((state) => state.model === view.models[side] && (state.ablation === '' || state.name !== '' || state.heads.length !== 1))
      .map((state) => ({ side, state }))).slice(0, kMostStates);
    const copied = () => shown.flatMap(({ state }) => state.scores.map((score) => scoreText(score, state))).join('\n\n');
    const single = study.states.filter((state) => view.models.includes(state.model) && state.heads.length === 1).length;
    fill(byId('states'), el('div', { class: 'heading' }, el('h2', {}, tr('States')), el('span', { class: 'space' }), shown.length > 0 ? copyButton(copied, 'states') : null),
      shown.length > 0 ? el('ul', { class: 'plainlist' }, shown.map(({ side, state }) => row(side, state))) : null,
      el('p', { class: 'quiet' }, tr('{0} states without one head each: click a head above.', single)));
  });
}
