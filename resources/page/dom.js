// SPDX-License-Identifier: GPL-3.0-or-later
// Elements made from values. Whatever a session holds becomes text here and nowhere HTML.

const kSvg = 'http://www.w3.org/2000/svg';

/**
 * @param {Element} node
 * @param {Record<string, any>} attributes `on` holds listeners by event; true sets an empty attribute, null none
 * @param {any[]} children elements, texts, numbers; null is left out
 */
function dress(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name === 'on') {
      for (const [event, listener] of Object.entries(value)) node.addEventListener(event, listener);
    } else if (name.startsWith('aria-') && typeof value === 'boolean') {
      node.setAttribute(name, String(value)); // where no attribute is not the same as false
    } else if (value !== null && value !== undefined && value !== false) {
      node.setAttribute(name, value === true ? '' : String(value));
    }
  }
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined) node.append(child instanceof Node ? child : String(child));
  }
  return node;
}

/** @param {string} tag @param {Record<string, any>} [attributes] @param {any[]} children */
export function el(tag, attributes = {}, ...children) {
  return /** @type {HTMLElement} */ (dress(document.createElement(tag), attributes, children));
}

/** @param {string} tag @param {Record<string, any>} [attributes] @param {any[]} children */
export function svg(tag, attributes = {}, ...children) {
  return /** @type {SVGElement} */ (dress(document.createElementNS(kSvg, tag), attributes, children));
}

/** Puts other children into a node. The focus stays with the element of the same data-key. */
export function fill(/** @type {Element} */ node, /** @type {any[]} */ ...children) {
  const active = document.activeElement;
  const key = active && node.contains(active) ? active.getAttribute('data-key') : null;
  node.replaceChildren();
  dress(node, {}, children);
  if (key !== null) {
    const again = [...node.querySelectorAll('[data-key]')].find((one) => one.getAttribute('data-key') === key);
    if (again instanceof HTMLElement) again.focus({ preventScroll: true });
  }
}

export function byId(/** @type {string} */ id) {
  return /** @type {HTMLElement} */ (document.getElementById(id));
}

/**
 * A select of [value, text] pairs.
 * @param {string} label @param {any[][]} entries @param {any} chosen @param {(value: string) => void} act @param {string} [key]
 */
export function choice(label, entries, chosen, act, key = label) {
  const options = entries.map(([value, text]) => el('option', { value, selected: String(value) === String(chosen) }, text));
  const select = el('select', {
    'aria-label': label,
    'data-key': key,
    on: { change: (/** @type {Event} */ event) => act(/** @type {HTMLSelectElement} */ (event.target).value) },
  }, options);
  return select;
}

/** @param {string} text @param {() => void} act @param {Record<string, any>} [attributes] */
export function button(text, act, attributes = {}) {
  return el('button', { type: 'button', 'data-key': text, ...attributes, on: { click: act } }, text);
}

/** Short news for everybody, screen readers included. */
export function toast(/** @type {string} */ text) {
  const node = byId('toast');
  node.textContent = text;
  node.classList.add('shown');
  setTimeout(() => node.classList.remove('shown'), 2500);
}
