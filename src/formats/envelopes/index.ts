/**
 * The place where what shippers wrap around a record is taken off again. Both hooks are asked only about
 * text that is no record as it stands, so they cost the plain case nothing. None is known yet: everything passes through.
 */

/** The record inside an envelope: `bytes.subarray(start, end)`. */
export interface Payload {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
}

/** Looks inside a text line that begins like no record (a CRI or syslog prefix); undefined when it is no envelope. */
export function unwrapLine(_bytes: Buffer, _start: number, _end: number): Payload | undefined {
  return undefined;
}

/** Looks inside a JSON object that is no record (docker, fluent-bit, …); undefined when it is no envelope. */
export function unwrapObject(_value: Readonly<Record<string, unknown>>): readonly Payload[] | undefined {
  return undefined;
}
