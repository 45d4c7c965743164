/** Trace, span and record ids derived from what they stand for, so that a replay or a second replica writes the same ones. */
import { hash } from 'node:crypto';

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
  let text = kind;
  for (const part of parts) {
    const word = String(part);
    text += `\n${word.length}:${word}`;
  }
  return hash('sha256', text, 'hex');
}
