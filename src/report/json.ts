/** The result as JSON: pretty, in canonical order, and harmless on a terminal. */
import type { Analysis } from '../model/analysis.js';
import { toResult } from './result.js';

/** What `--format json` prints: two-space indentation, one trailing newline, equal bytes for equal analyses. */
export function renderJson(analysis: Analysis): string {
  return `${escapeJson(JSON.stringify(toResult(analysis), null, 2))}\n`;
}

/**
 * JSON text with those characters as \u escapes that JSON allows bare but a terminal may act on: DEL, C1 controls,
 * line separators, bidi marks and overrides, and the byte order mark. The value stays the same.
 */
export function escapeJson(json: string): string {
  return json.replace(
    /[\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
