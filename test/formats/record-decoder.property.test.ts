import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { auditEvent, auditIDs, auditLine, decode, plain } from './sample-records.js';

const pieces: readonly string[] = [
  `${auditLine('a-1')}\n`,
  `${auditLine('a-2', { requestObject: { items: [{ x: '}{' }], kind: 'Event' } })}\r\n`,
  `${JSON.stringify(auditEvent('a-3'), null, 2)}\n`,
  `${auditLine('a-4')}${auditLine('a-5')}\n`,
  `${JSON.stringify([auditEvent('a-6'), auditEvent('a-7')], null, 4)}\n`,
  `${JSON.stringify({ kind: 'EventList', apiVersion: 'audit.k8s.io/v1', metadata: {}, items: [auditEvent('a-8')] })}\n`,
  `${JSON.stringify({ apiVersion: 'audit.k8s.io/v1', items: [auditEvent('a-9')], kind: 'EventList' }, null, 2)}\n`,
  '{"kind":"EventList","items":null}\n',
  'I0501 10:00:00.000001       1 a.go:1] "Message" key="v" n=3 list=["a b"]\n',
  'E0501 10:00:00.000002       1 b.go:2] "Error" err=<\n\tfirst {"a":\n\tsecond\n > gvr="x"\ngoroutine 1 [running]:\n',
  'I0501 10:00:00.000003       1 flags.go:64] FLAG: --peer-ca-file="/a \\"b\\""\n',
  '2026/05/01 03:04:05 httputil: ReverseProxy read error during body copy: EOF\n',
  '{"ts":1777629600000.5,"caller":"x/y.go:1","msg":"m","v":2,"k":"v"}\n',
  `${auditLine('a-10').slice(0, 100)}\n`,
  `${auditLine('a-11').slice(0, 120)}${auditLine('a-12')}\n`,
  `${JSON.stringify(auditEvent('a-13'), null, 2).slice(0, 200)}\n`,
  '\0\0\0\0\0',
  '\n',
  'garbage {"\n',
  '[1,2]\n',
  '{"a":[{"b":\n',
  '# TYPE kubernetes_build_info gauge\nkubernetes_build_info{major="1"} 1\n',
];
const stream = fc.array(fc.constantFrom(...pieces), { maxLength: 8 }).map((parts) => Buffer.from(parts.join('')));
const rawBytes = fc
  .array(
    fc.oneof(
      fc.uint8Array({ maxLength: 12 }).map((bytes) => Buffer.from(bytes)),
      fc
        .constantFrom('{', '}', '[', ']', '"', ',', ':', '\n', '\0', ' ', '\\', '{"kind":"Event"', '"items":[')
        .map((text) => Buffer.from(text)),
      fc
        .constantFrom(...pieces)
        .chain((piece) => fc.nat(piece.length).map((length) => Buffer.from(piece.slice(length)))),
    ),
    { maxLength: 12 },
  )
  .map((parts) => Buffer.concat(parts));

function summary(bytes: Buffer, cuts: readonly number[]) {
  const decoded = decode(bytes, { cuts });
  const { problems, ...counters } = decoded.counters;
  return {
    records: plain(decoded.records),
    problems: decoded.problems.map(
      ({ reason, detail, origin }) => `${reason} ${origin.line}:${origin.offset} ${detail}`,
    ),
    counts: [...problems],
    counters,
  };
}

describe('RecordDecoder, any input', () => {
  it('gives the same for every chunking of real pieces', () => {
    fc.assert(
      fc.property(stream, fc.array(fc.nat(4000), { maxLength: 12 }), (bytes, cuts) => {
        const inside = cuts.map((cut) => Math.min(cut, bytes.length));
        expect(summary(bytes, inside)).toEqual(summary(bytes, []));
      }),
      { numRuns: 400 },
    );
  });

  it('gives the same when every byte comes alone', () => {
    fc.assert(
      fc.property(stream, (bytes) => {
        expect(summary(bytes, [...bytes.keys()])).toEqual(summary(bytes, []));
      }),
      { numRuns: 60 },
    );
  });

  it('gives the same for every chunking of long lines', () => {
    const fill = fc
      .constantFrom('x', '{"a":', '\\n', '[{}],')
      .map((unit) => unit.repeat(Math.ceil(90_000 / unit.length)));
    const long = fc
      .tuple(fc.constantFrom('a-20', 'a-21'), fill)
      .map(([id, body]) => auditLine(id, { requestObject: { body } }));
    const torn = fc.tuple(long, fc.nat(90_000)).map(([line, length]) => line.slice(0, length));
    const lists = fc.array(long, { maxLength: 3 }).map((items) => `{"kind":"EventList","items":[${items.join(',')}]}`);
    const part = fc.oneof(long, torn, lists, fill, fc.constantFrom(...pieces));
    const text = fc.array(fc.tuple(part, fc.constantFrom('', '\n', '\r\n', ' ')), { maxLength: 4 });
    fc.assert(
      fc.property(text, fc.array(fc.nat(400_000), { maxLength: 12 }), (parts, cuts) => {
        const bytes = Buffer.from(parts.flat().join(''));
        const inside = cuts.map((cut) => Math.min(cut, bytes.length));
        expect(summary(bytes, inside)).toEqual(summary(bytes, []));
      }),
      { numRuns: 100 },
    );
  });

  it('never throws on random bytes, in any chunking, and gives the same', () => {
    fc.assert(
      fc.property(rawBytes, fc.array(fc.nat(300), { maxLength: 6 }), (bytes, cuts) => {
        const inside = cuts.map((cut) => Math.min(cut, bytes.length));
        expect(summary(bytes, inside)).toEqual(summary(bytes, []));
      }),
      { numRuns: 1500 },
    );
  });

  it('loses no good line to garbage lines between them', () => {
    const garbage = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc.constantFrom(...pieces.filter((piece) => !piece.includes('a-'))),
      fc.nat(400).map((length) => auditLine('torn').slice(0, length)),
      fc.nat(400).map((length) => auditLine('torn').slice(-length - 1)),
    );
    fc.assert(
      fc.property(fc.array(garbage, { minLength: 1, maxLength: 6 }), fc.nat(4000), (lines, cut) => {
        const good = lines.map((_, index) => `good-${index}`);
        const text = lines
          .map((line, index) => `${line.replaceAll(/good/g, '')}\n${auditLine(`good-${index}`)}\n`)
          .join('');
        const bytes = Buffer.from(text);
        const found = auditIDs(decode(bytes, { cuts: [Math.min(cut, bytes.length)] }).records);
        expect(found.filter((id) => id.startsWith('good-'))).toEqual(good);
      }),
      { numRuns: 600 },
    );
  });
});
