/** Holds the two decoders against one another. */
import { expect } from '@jest/globals';
import { type AuditDecoder, createReferenceDecoder, type Verdict } from '../../../src/formats/audit/index.js';
import { type AuditEvent, detachEvent } from '../../../src/model/record.js';

const reference = createReferenceDecoder();

/** Decodes with both, expects the same event or verdict, and gives it. */
export function agree(fast: AuditDecoder, bytes: Buffer, start = 0, end = bytes.length): AuditEvent | Verdict {
  const quick = fast.decode(bytes, start, end, 7, 1234);
  const plain = reference.decode(bytes, start, end, 7, 1234);
  if (typeof quick === 'string' || typeof plain === 'string') {
    if (quick !== plain) expect(show(quick, bytes)).toEqual(show(plain, bytes));
    return plain;
  }
  expect(quick.bytes).toBe(bytes);
  expect(plain.bytes).toBe(bytes);
  expect(allOf(quick)).toStrictEqual(allOf(plain));
  return quick;
}

/** Several texts in one chunk, a line each, decoded one after the other. */
export function agreeOnLines(fast: AuditDecoder, texts: readonly Buffer[]): (AuditEvent | Verdict)[] {
  const chunk = Buffer.concat(texts.flatMap((text) => [text, Buffer.from('\n')]));
  let start = 0;
  return texts.map((text) => {
    const got = agree(fast, chunk, start, start + text.length);
    start += text.length + 1;
    return got;
  });
}

/** All that an event says, with the places of its bodies. */
export function allOf(event: AuditEvent): Omit<AuditEvent, 'bytes'> {
  const { bytes: _bytes, ...rest } = detachEvent(event);
  return { ...rest, requestObject: event.requestObject, responseObject: event.responseObject };
}

function show(got: AuditEvent | Verdict, bytes: Buffer): unknown {
  return { got: typeof got === 'string' ? got : allOf(got), text: bytes.toString('latin1') };
}
