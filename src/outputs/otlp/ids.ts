/** Trace, span and record ids derived from what they stand for, so that a replay or a second replica writes the same ones. */
import { createHash } from 'node:crypto';

/** 32 hex digits. Equal parts give equal ids; parts are told apart by their lengths, whatever they contain. */
export function traceIdOf(...parts: readonly (string | number)[]): string {
  return digest('trace', parts).slice(0, 32);
}

/** 16 hex digits. */
export function spanIdOf(...parts: readonly (string | number)[]): string {
  return digest('span', parts).slice(0, 16);
}

/** 32 hex digits, for `log.record.uid`: two records with the same one are the same record. */
export function recordIdOf(...parts: readonly (string | number)[]): string {
  return digest('record', parts).slice(0, 32);
}

function digest(kind: string, parts: readonly (string | number)[]): string {
  const hash = createHash('sha256').update(kind);
  for (const part of parts) {
    const bytes = Buffer.from(String(part), 'utf8');
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    hash.update(length).update(bytes);
  }
  return hash.digest('hex');
}
