// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers for the clipboard, each with what it was measured on.
import { study } from './data.js';
import { el, svg, toast } from './dom.js';
import { exact, taskTitle, tr } from './words.js';

/** "tiny-transformer (09ab…), llama, fp32 on cpu; without L2H5; Headscope 1.0". */
export function provenance(/** @type {number} */ model, /** @type {string} */ ablation, dtype = '', device = '') {
  const of = study.models[model];
  const where = `${dtype || of.dtype} · ${device || of.device}`;
  const state = ablation === '' ? tr('nothing ablated') : tr('without {0}', ablation);
  return `${of.name} (${of.hash.slice(0, 12)}), ${of.family}, ${where}; ${state}; Headscope ${study.version}`;
}

/** @param {import('./data.js').Score} score @param {import('./data.js').State} state */
export function scoreText(score, state) {
  const lines = [`${taskTitle(study.tasks[score.task])} (${study.tasks[score.task].name}): ${exact(score.value)}`];
  lines.push(`95 % Wilson [${exact(score.interval[0])}, ${exact(score.interval[1])}], n = ${score.n}`);
  if (score.change) {
    const change = score.change;
    lines.push(`${tr('baseline')} ${exact(change.baseline)}, Δ ${exact(change.delta)}`
      + `, 95 % Tango [${exact(change.interval[0])}, ${exact(change.interval[1])}]`
      + `, McNemar p = ${exact(change.p)}, Holm p = ${exact(change.holm)}, n = ${change.n}`);
  }
  lines.push(provenance(state.model, state.words, score.dtype, score.device));
  return lines.join('\n');
}

async function write(/** @type {string} */ text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = el('textarea', { class: 'aside', 'aria-hidden': 'true' });
    document.body.append(area);
    /** @type {HTMLTextAreaElement} */ (area).value = text;
    /** @type {HTMLTextAreaElement} */ (area).select();
    document.execCommand('copy'); // where the browser knows no clipboard for a file
    area.remove();
  }
  toast(tr('Copied with what it was measured on'));
}

/** The small button beside a number. `text` is asked for when it is pressed. */
export function copyButton(/** @type {() => string} */ text, /** @type {string} */ key) {
  return el('button', {
    type: 'button', class: 'copy', title: tr('Copy with provenance'), 'aria-label': tr('Copy with provenance'),
    'data-key': `copy ${key}`, on: { click: () => write(text()) },
  }, svg('svg', { width: 15, height: 15, viewBox: '0 0 24 24', 'aria-hidden': 'true' },
    svg('path', { d: 'M9 9h11v11H9zM5 15H4V4h11v1', class: 'stroke' })));
}
