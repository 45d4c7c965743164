/** Lists in lists: text by their first bytes, and no text that anybody writes. */
import { type AuditDecoder, verdicts } from './decoder.js';

export const TOO_DEEP = 'JSON that nests deeper than any audit event';

/** Whether the text in `bytes[start, end)` is a JSON array, or the beginning of one, that nests too deep. */
export function isTooDeep(audit: AuditDecoder, bytes: Buffer, start: number, end: number): boolean {
  return bytes[start] === 91 && audit.decode(bytes, start, end, 0, 0) === verdicts.tooDeep;
}
