/** Replaces every free string of an analysis: for properties about text that an attacker wrote into a log. */
import type { Analysis } from '../../src/model/analysis.js';

// Fields whose values come from fixed sets; everything else may hold what a log said.
const FIXED = new Set(['state', 'kind', 'cause', 'severity', 'confidence', 'peerProxy']);

export function withStrings(analysis: Analysis, replace: (text: string) => string): Analysis {
  return walk(analysis, '', replace) as Analysis;
}

function walk(value: unknown, key: string, replace: (text: string) => string): unknown {
  if (typeof value === 'string') return FIXED.has(key) && isFixed(key, value) ? value : replace(value);
  if (Array.isArray(value)) return value.map((item) => walk(item, key, replace));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, walk(item, name, replace)]));
}

// `cause` is a word of a fixed set in the discovery matrix and a sentence in a finding.
function isFixed(key: string, value: string): boolean {
  return key !== 'cause' || /^[a-z-]*$/.test(value);
}
