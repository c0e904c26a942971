// SPDX-License-Identifier: GPL-3.0-or-later
// Text of tours: paragraphs, **strong** and *emphasis*, made into elements and never parsed as HTML.
import { el } from './dom.js';

function inline(/** @type {string} */ text) {
  return text.split(/(\*\*[^*]+\*\*|\*[^*]+\*|`[^`]+`)/).filter((part) => part !== '').map((part) => {
    if (part.startsWith('**') && part.endsWith('**') && part.length > 4) return el('strong', {}, part.slice(2, -2));
    if (part.startsWith('*') && part.endsWith('*') && part.length > 2) return el('em', {}, part.slice(1, -1));
    if (part.startsWith('`') && part.endsWith('`') && part.length > 2) return el('code', {}, part.slice(1, -1));
    return part;
  });
}

export function paragraphs(/** @type {string} */ text) {
  return text.split(/\n\s*\n/).filter((one) => one.trim() !== '').map((one) => el('p', {}, inline(one.replaceAll('\n', ' '))));
}
