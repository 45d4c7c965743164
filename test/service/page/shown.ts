/** What the page is to show, and how it looks in a browser. */
import { fileURLToPath } from 'node:url';
import { analyze } from '../../../src/index.js';
import type { Analysis } from '../../../src/model/analysis.js';

const SAMPLES = fileURLToPath(new URL('../../../samples', import.meta.url));

/** What the real analysis says of one of the recorded runs. */
export function analyzeSample(name: string): Promise<Analysis> {
  return analyze([`${SAMPLES}/${name}`]);
}

/** How far the page is wider than its window, in pixels. */
export const OVERFLOW = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';

/** Texts on the page whose colour stands out too little from the ground behind it, with the ratio; AA asks for 4.5. */
export const FAINT = `(() => {
  const channels = (color) => color.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b]
    .map((value) => value / 255)
    .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
    .reduce((sum, value, at) => sum + value * [0.2126, 0.7152, 0.0722][at], 0);
  const ground = (element) => {
    for (let at = element; at !== null; at = at.parentElement) {
      const color = channels(getComputedStyle(at).backgroundColor);
      if (color.length === 3 || color[3] === 1) return color;
    }
    return [255, 255, 255];
  };
  const found = [];
  for (const element of document.querySelectorAll('body *')) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== '');
    if (!own || element.getClientRects().length === 0) continue;
    const [a, b] = [light(channels(getComputedStyle(element).color)), light(ground(element))].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < 4.5) found.push(element.textContent.trim().slice(0, 40) + ' ' + ratio.toFixed(2));
  }
  return found;
})()`;
