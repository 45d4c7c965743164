import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createFastDecoder } from '../../../src/formats/audit/index.js';
import { RecordDecoder } from '../../../src/formats/record-decoder.js';
import type { AuditEvent, Rec } from '../../../src/model/record.js';
import { eventMembers, eventText, render } from '../audit/arbitraries.js';
import { auditLine, decode, inputNamed, plain, problemCounts, readNamed } from '../sample-records.js';
import { lineWrappings, objectWrappings, textWrappings } from './wrappings.js';

const decoder = createFastDecoder();

function bare(text: string): AuditEvent | undefined {
  const bytes = Buffer.from(text);
  const told = decoder.decode(bytes, 0, bytes.length, 1, 0);
  return typeof told === 'string' ? undefined : told;
}

/** What an event says, whatever bytes it lies in; `json` is its text. */
function said(records: readonly Rec[]) {
  return plain(records).map(({ line: _, offset: __, ...rest }) => rest);
}

function unwrapped(text: string) {
  return readNamed(new RecordDecoder(inputNamed('memory')), Buffer.from(text));
}

describe('wrapping and unwrapping any event', () => {
  const oneLine = fc.tuple(eventMembers, fc.constant(0)).map(([members, seed]) => render({ members }, seed));

  it('gives the same event and the writer, behind prefixes', () => {
    fc.assert(
      fc.property(oneLine, fc.constantFrom(...lineWrappings), (text, { wrap, writer }) => {
        const event = bare(text);
        fc.pre(event !== undefined && event.timeUs > 0);
        const { records, writers } = unwrapped(`${wrap(text)}\n`);
        expect(said(records)).toEqual(said(event === undefined ? [] : [event]));
        expect(writers).toEqual([writer]);
      }),
      { numRuns: 500 },
    );
  });

  it('gives the same event and the writer, out of texts in any spelling', () => {
    fc.assert(
      fc.property(eventText, fc.constantFrom(...textWrappings), (text, { wrap, writer }) => {
        const event = bare(text);
        fc.pre(event !== undefined && event.timeUs > 0);
        const { records, writers } = unwrapped(`${wrap(text.replaceAll(/[\r\n]/g, ' '))}\n`);
        expect(said(records)).toEqual(
          said(event === undefined ? [] : [event]).map((each) => ({ ...each, json: expect.anything() })),
        );
        expect(writers).toEqual([writer]);
      }),
      { numRuns: 800 },
    );
  });

  it('gives the same event and the writer, out of objects', () => {
    fc.assert(
      fc.property(oneLine, fc.constantFrom(...objectWrappings), (text, { wrap, writer }) => {
        const event = bare(JSON.stringify(JSON.parse(text)));
        fc.pre(event !== undefined && event.timeUs > 0);
        const { records, writers } = unwrapped(`${wrap(text)}\n`);
        const known = said(event === undefined ? [] : [event]);
        expect(said(records)).toEqual(known.map((each) => ({ ...each, json: expect.anything() })));
        expect(writers).toEqual([writer]);
      }),
      { numRuns: 800 },
    );
  });
});

describe('streams of envelopes', () => {
  const klog = 'E0501 10:00:00.000001       1 a.go:1] "m" k="v"';
  const wrappings = [...lineWrappings, ...textWrappings];
  const line = fc.oneof(
    fc
      .tuple(
        fc.constantFrom(...wrappings),
        fc.constantFrom(auditLine('a'), klog, 'text', '{"a":1}', '', auditLine('b').slice(0, 90)),
      )
      .map(([{ wrap }, text]) => wrap(text)),
    fc.constantFrom(...objectWrappings).map(({ wrap }) => wrap(auditLine('c'))),
    fc.constantFrom(
      auditLine('d'),
      klog,
      '',
      '\tat x',
      '2026-05-01T10:00:00Z stdout P {"kind":',
      '2026-05-01T10:00:00Z stdout F "x"}',
    ),
    fc.tuple(fc.constantFrom(...wrappings), fc.nat(300)).map(([{ wrap }, end]) => wrap(auditLine('e')).slice(0, end)),
  );
  const stream = fc.array(line, { maxLength: 8 }).map((lines) => Buffer.from(lines.join('\n')));

  it('gives the same for every chunking', () => {
    fc.assert(
      fc.property(stream, fc.array(fc.nat(6000), { maxLength: 12 }), (bytes, cuts) => {
        const cut = decode(bytes, { cuts: cuts.map((each) => Math.min(each, bytes.length)) });
        const whole = decode(bytes);
        expect(plain(cut.records)).toEqual(plain(whole.records));
        expect(problemCounts(cut)).toEqual(problemCounts(whole));
      }),
      { numRuns: 300 },
    );
  });

  it('never throws on envelopes around anything', () => {
    const anything = fc.oneof(fc.json({ maxDepth: 4 }), fc.string({ unit: 'binary' }), fc.string());
    const key = fc.constantFrom(
      'log',
      'message',
      'kubernetes',
      'streams',
      'values',
      'body',
      'records',
      'properties',
      'hits',
      'event',
      'host',
      'payload',
      'MESSAGE',
      '@timestamp',
      'stream',
      'time',
      '_p',
      'resourceLogs',
      'logEvents',
      'logStream',
      'attributes',
      '__proto__',
      'kvlistValue',
      'kind',
      'auditID',
    );
    const value = fc.letrec((tie) => ({
      node: fc.oneof(
        { maxDepth: 4 },
        fc.jsonValue({ maxDepth: 1 }),
        fc.array(tie('node'), { maxLength: 2 }),
        fc.dictionary(key, tie('node'), { maxKeys: 5 }),
      ),
    })).node;
    fc.assert(
      fc.property(fc.constantFrom(...wrappings), anything, value, ({ wrap }, text, object) => {
        const bytes = Buffer.from(`${wrap(text)}\n${JSON.stringify(object)}\n${auditLine('last')}\n`);
        expect(decode(bytes).records.at(-1)).toMatchObject({ auditID: 'last' });
      }),
      { numRuns: 1500 },
    );
  });
});
