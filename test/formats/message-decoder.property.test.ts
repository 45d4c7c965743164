import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MessageDecoder } from '../../src/formats/message-decoder.js';
import { eventText } from './audit/arbitraries.js';
import { lineWrappings, objectWrappings, textWrappings } from './envelopes/wrappings.js';
import { auditEvent, auditLine, decode, plain } from './sample-records.js';

const KLOG = 'E0501 10:00:00.000001       1 a.go:1] "m" err=<\n\tx\n >';
const open = () => new MessageDecoder({ input: { id: 0, name: 'audit/0', kind: 'kafka' } });
const wrappings = [...lineWrappings, ...textWrappings, ...objectWrappings];

const event = fc.nat(99).map((id) => auditLine(`a-${id}`));
const real = fc.oneof(
  { arbitrary: event.map((text) => Buffer.from(text)), weight: 4 },
  eventText.map((text) => Buffer.from(text)),
  fc.tuple(fc.constantFrom(...wrappings), event).map(([{ wrap }, text]) => Buffer.from(wrap(text))),
  fc.array(event, { maxLength: 3 }).map((items) => Buffer.from(`{"kind":"EventList","items":[${items.join(',')}]}`)),
  fc.array(event, { maxLength: 3 }).map((items) => Buffer.from(items.join('\n'))),
  event.map((text) => gzipSync(text)),
  fc
    .constantFrom(KLOG, '', 'x', '\0\0', '{"ts":1,"msg":"m"}', JSON.stringify(auditEvent('p'), null, 2))
    .map((t) => Buffer.from(t)),
);
const torn = fc
  .tuple(real, fc.nat(800), fc.nat(800))
  .map(([value, from, to]) => value.subarray(from % (value.length + 1), to));
const bytes = fc.uint8Array({ maxLength: 40 }).map((each) => Buffer.from(each));
const message = fc.oneof({ arbitrary: real, weight: 4 }, torn, bytes);

function told(decoder: MessageDecoder, memory: Buffer, start: number, end: number, offset: number) {
  const { records, problems, oneWriter } = decoder.decode(memory, start, end, offset);
  return {
    records: plain(records),
    places: records.map((record) => [record.line, record.offset]),
    writers: records.map((record) => [decoder.writerOf(record), decoder.clusterOf(record)]),
    problems: problems.map(({ reason, detail, origin }) => [reason, detail, origin.line, origin.offset]),
    oneWriter,
  };
}

describe('MessageDecoder, any messages', () => {
  it('gives for each the same as for it alone, numbered, at its offset', () => {
    fc.assert(
      fc.property(fc.array(message, { maxLength: 8 }), (messages) => {
        const decoder = open();
        const memory = Buffer.concat(messages);
        let start = 0;
        messages.forEach((value, at) => {
          const found = told(decoder, memory, start, start + value.length, at + 100);
          expect(found).toEqual(told(open(), Buffer.from(value), 0, value.length, at + 100));
          expect(found.places).toEqual(found.records.map((_, index) => [index + 1, at + 100]));
          start += value.length;
        });
      }),
      { numRuns: 600 },
    );
  });

  it('gives of single-line events what a file of them gives', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(event, eventText), { maxLength: 8 }), (texts) => {
        const lines = texts.map((text) => text.replaceAll(/[\r\n]/g, ' '));
        const decoder = open();
        const found = lines.flatMap((line) => [
          ...plain(decoder.decode(Buffer.from(line), 0, Buffer.byteLength(line), 0).records),
        ]);
        const known = plain(decode(lines.map((line) => `${line}\n`).join('')).records);
        const said = (records: typeof found) => records.map(({ line: _, offset: __, ...rest }) => rest);
        expect(said(found)).toEqual(said([...known]));
      }),
      { numRuns: 400 },
    );
  });
});
