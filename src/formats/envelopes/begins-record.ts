/** Whether bytes begin like a record of an API server. */
import { looksLikeHeader } from '../klog/index.js';
import { isSpace } from './text-range.js';

/** A JSON object with a first member or a list of such, or a klog header. */
export function beginsRecord(bytes: Buffer, start: number, end: number): boolean {
  const first = bytes[start];
  if (first === 123) return bytes[start + 1] === 34 || isSpace(bytes[start + 1]);
  if (first === 91) return bytes[start + 1] === 123 || isSpace(bytes[start + 1]);
  return looksLikeHeader(bytes, start, end);
}
