/** Builds elements from text alone, never from markup. */
import { shortName, visible } from './visible.js';

/** @typedef {Node | string | number | null | undefined | false} Child */

/**
 * An element. Strings become text; names of attributes are the program's own, never from data.
 * @param {string} tag
 * @param {Readonly<Record<string, string | number | boolean | null | undefined>>} attributes `true`: present; null, undefined and false: absent
 * @param {...(Child | readonly Child[])} children
 * @returns {HTMLElement}
 */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    element.setAttribute(name, value === true ? '' : String(value));
  }
  for (const child of children.flat()) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return element;
}

/**
 * A name out of the logs: on its own for the direction of writing, short, and whole in its tooltip.
 * @param {string} text
 */
export function name(text) {
  const short = shortName(text);
  const whole = visible(text);
  return h('bdi', { class: 'name', title: short === whole ? null : whole }, short);
}

/**
 * @param {string} source
 * @param {string} destination
 */
export function edge(source, destination) {
  return h('span', { class: 'edge' }, name(source), ' → ', name(destination));
}

/** Outlines within 16 × 16: each state has a shape of its own, so that colour is never needed. */
const SHAPES = {
  critical: 'M5 1h6l4 4v6l-4 4H5l-4-4V5zM7 4v5h2V4zM7 10.5v2h2v-2z',
  warning: 'M8 1l7.5 14H.5zM7.2 6v4.5h1.6V6zM7.2 11.6v1.7h1.6v-1.7z',
  info: 'M8 1a7 7 0 1 1 0 14A7 7 0 0 1 8 1zM7.2 7v5h1.6V7zM7.2 4v1.8h1.6V4z',
  ok: 'M2.2 8.2l1.6-1.6L6.6 9.400l5.700-5.700 1.600 1.600-7.300 7.300z',
  failing:
    'M3.400 2L8 6.600 12.600 2 14 3.400 9.400 8l4.600 4.600-1.400 1.400L8 9.400 3.400 14 2 12.600 6.600 8 2 3.400z',
  missing: 'M8 1a7 7 0 1 1 0 14A7 7 0 0 1 8 1zM8 3a5 5 0 1 0 0 10A5 5 0 0 0 8 3z',
  unknown: 'M2 7h3v2H2zM6.500 7h3v2h-3zM11 7h3v2h-3z',
  live: 'M8 3a5 5 0 1 1 0 10A5 5 0 0 1 8 3z',
  'catching-up': 'M8 2v12a6 6 0 0 1 0-12zM9.500 2.200a6 6 0 0 1 0 11.600v-1.600a4.500 4.500 0 0 0 0-8.400z',
  starting: 'M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2zM8 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8z',
  stopping: 'M3.500 3.500h9v9h-9z',
};
const SVG = 'http://www.w3.org/2000/svg';

/**
 * A shape that stands beside its word, hence silent for screen readers.
 * @param {keyof typeof SHAPES} shape
 */
export function icon(shape) {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', '0 0 16 16');
  svg.setAttribute('class', 'icon');
  svg.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS(SVG, 'path');
  path.setAttribute('d', SHAPES[shape]);
  path.setAttribute('fill-rule', 'evenodd');
  svg.append(path);
  return svg;
}
