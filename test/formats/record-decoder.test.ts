import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createReferenceDecoder } from '../../src/formats/audit/index.js';
import { RecordDecoder } from '../../src/formats/record-decoder.js';
import type { AuditEvent } from '../../src/model/record.js';
import { auditEvent, auditIDs, auditLine, decode, inputNamed, plain, problemCounts } from './sample-records.js';

const list = (items: unknown) => ({ kind: 'EventList', apiVersion: 'audit.k8s.io/v1', metadata: {}, items });

describe('audit events', () => {
  it('reads JSON lines with their lines and offsets', () => {
    const first = auditLine('a');
    const { records, counters } = decode(`${first}\n${auditLine('b')}\n`);
    expect(records).toMatchObject([
      { type: 'audit', auditID: 'a', line: 1, offset: 0 },
      { type: 'audit', auditID: 'b', line: 2, offset: Buffer.byteLength(first) + 1 },
    ]);
    expect(counters).toMatchObject({ lines: 2, records: 2 });
    expect(counters.problems.size).toBe(0);
  });

  it('needs no line end behind the last line', () => {
    const { records, counters } = decode(`${auditLine('a')}\n${auditLine('b')}`);
    expect(auditIDs(records)).toEqual(['a', 'b']);
    expect(counters.lines).toBe(2);
  });

  it('gives bytes that hold the event, also across chunks', () => {
    const text = `${auditLine('a')}\n`;
    const [event] = decode(text, { cuts: [10, 30] }).records as readonly AuditEvent[];
    expect(JSON.parse(event?.bytes.toString('utf8', event.start, event.end) ?? '')).toEqual(auditEvent('a'));
  });

  it('takes the decoder it is given', () => {
    const audit = createReferenceDecoder();
    expect(auditIDs(decode(`${auditLine('a')}\n`, { audit }).records)).toEqual(['a']);
  });

  it.each([
    ['compact list body', JSON.stringify(list([auditEvent('a'), auditEvent('b')]))],
    ['pretty list body', JSON.stringify(list([auditEvent('a'), auditEvent('b')]), null, 2)],
    [
      'list body with sorted keys',
      JSON.stringify({
        apiVersion: 'audit.k8s.io/v1',
        items: [auditEvent('a'), auditEvent('b')],
        kind: 'EventList',
        metadata: {},
      }),
    ],
    [
      'list body with the items first',
      JSON.stringify({ items: [auditEvent('a'), auditEvent('b')], kind: 'EventList' }),
    ],
    [
      'items without kind',
      JSON.stringify(list(['a', 'b'].map((id) => ({ ...auditEvent(id), kind: undefined, apiVersion: undefined })))),
    ],
    ['compact array', JSON.stringify([auditEvent('a'), auditEvent('b')])],
    ['pretty array', JSON.stringify([auditEvent('a'), auditEvent('b')], null, 2)],
    ['array with one event a line', `[\n${auditLine('a')},\n${auditLine('b')}\n]`],
    ['array of list bodies', JSON.stringify([list([auditEvent('a')]), list([auditEvent('b')])], null, 2)],
    [
      'pretty objects one behind the other',
      `${JSON.stringify(auditEvent('a'), null, 2)}\n${JSON.stringify(auditEvent('b'), null, 4)}`,
    ],
    [
      'pretty objects indented by tabs',
      `${JSON.stringify(auditEvent('a'), null, '\t')}\n${JSON.stringify(auditEvent('b'), null, '\t')}`,
    ],
    [
      'pretty objects without indentation',
      `${JSON.stringify(auditEvent('a'), null, 1).replace(/^ +/gm, '')}\n${JSON.stringify(auditEvent('b'), null, 1).replace(/^ +/gm, '')}`,
    ],
    ['objects back to back', `${auditLine('a')}${auditLine('b')}`],
    ['objects back to back with blanks', `  ${auditLine('a')} \t ${auditLine('b')}  `],
    ['blank lines', `\n\n${auditLine('a')}\n\n\r\n${auditLine('b')}\n\n`],
  ])('reads %s', (_, text) => {
    for (const end of ['', '\n', '\r\n']) {
      const decoded = decode(end === '\r\n' ? text.replaceAll('\n', end) + end : text + end);
      expect(auditIDs(decoded.records)).toEqual(['a', 'b']);
      expect(problemCounts(decoded)).toEqual({});
    }
  });

  it.each([
    ['null', null],
    ['empty', []],
    ['absent', undefined],
  ])('reads a list body whose items are %s', (_, items) => {
    const decoded = decode(`${JSON.stringify(list(items))}\n${auditLine('a')}\n`);
    expect(auditIDs(decoded.records)).toEqual(['a']);
    expect(problemCounts(decoded)).toEqual({});
  });

  it('places items at their own lines', () => {
    const { records } = decode(JSON.stringify([auditEvent('a'), auditEvent('b')], null, 2));
    const perEvent = JSON.stringify(auditEvent('a'), null, 2).split('\n').length;
    expect(records.map((record) => record.line)).toEqual([2, 2 + perEvent]);
  });

  it('streams lists far above the record limit, in any chunking', () => {
    const ids = Array.from({ length: 300 }, (_, index) => `id-${index}`);
    const texts = [
      JSON.stringify(ids.map((id) => auditEvent(id))),
      JSON.stringify(list(ids.map((id) => auditEvent(id))), null, 2),
    ];
    for (const text of texts) {
      const cuts = Array.from({ length: Math.floor(text.length / 5000) }, (_, index) => index * 5000);
      const decoded = decode(text, { cuts, maxLineBytes: 4000 });
      expect(auditIDs(decoded.records)).toEqual(ids);
      expect(problemCounts(decoded)).toEqual({});
      expect(plain(decoded.records)).toEqual(plain(decode(text, { maxLineBytes: 4000 }).records));
    }
  });

  it('reads lines up to the limit and counts longer ones, in any chunking', () => {
    const big = (id: string, size: number) => auditLine(id, { requestObject: { data: 'x'.repeat(size) } });
    const text = `${big('a', 150_000)}\n${big('b', 400_000)}\n${auditLine('c')}\n${'y'.repeat(400_000)}\n${auditLine('d')}\n${JSON.stringify(auditEvent('e', { requestObject: 'z'.repeat(400_000) }), null, 2)}\n${auditLine('f')}\n`;
    const whole = decode(text, { maxLineBytes: 200_000 });
    expect(auditIDs(whole.records)).toEqual(['a', 'c', 'd', 'f']);
    expect(problemCounts(whole)).toEqual({ 'line-too-long': 3 });
    fc.assert(
      fc.property(fc.array(fc.nat(text.length), { maxLength: 60 }), (cuts) => {
        const cut = decode(text, { maxLineBytes: 200_000, cuts });
        expect(plain(cut.records)).toEqual(plain(whole.records));
        expect(cut.problems).toEqual(whole.problems);
      }),
      { numRuns: 15 },
    );
  });

  it('reads a line of 16 MiB', () => {
    const line = auditLine('a', { requestObject: 'x'.repeat(16 * 1024 * 1024 - 2000) });
    expect(auditIDs(decode(`${line}\n${auditLine('b')}\n`, { cuts: [70_000, 1_000_000, 9_000_000] }).records)).toEqual([
      'a',
      'b',
    ]);
  });
});

describe('damage', () => {
  it.each([
    ['a first line without its beginning', `${auditLine('x').slice(90)}\n`, { 'cut-line': 1 }],
    ['a line without its end', `${auditLine('x').slice(0, -40)}\n`, { 'cut-line': 1 }],
    ['a line cut in a string', `${auditLine('x').slice(0, 30)}\n`, { 'cut-line': 1 }],
    [
      'a line cut in an array of strings',
      `${auditLine('x').slice(0, auditLine('x').indexOf('"192.0.2.2"'))}\n`,
      { 'cut-line': 1 },
    ],
    ['a line cut behind a brace', '{"kind":"Event","user":{\n', { 'cut-line': 1 }],
    [
      'a pretty object without its end',
      `${JSON.stringify(auditEvent('x'), null, 2).slice(0, -200)}\n`,
      { 'cut-line': 1 },
    ],
    ['a torn line with the next record behind it', auditLine('x').slice(0, 60), { 'not-json': 1 }],
    ['something that is not JSON', '{"kind":Event}\n', { 'not-json': 1 }],
    ['JSON of others', '{"kind":"Event","apiVersion":"v1","metadata":{},"reason":"Pulled"}\n', { 'not-audit': 1 }],
    ['a run of NUL bytes', '\0'.repeat(200_000), { 'nul-bytes': 1 }],
    ['a torn line before NUL bytes', `${auditLine('x').slice(0, 60)}\0\0\0\0`, { 'cut-line': 1, 'nul-bytes': 1 }],
    ['text of unknown kind', 'hello there\n', { 'unknown-line': 1 }],
    ['JSON that nests too deep', `{"auditID":${'['.repeat(20_000)}\n`, { 'json-too-deep': 1 }],
  ])('costs no more than itself: %s', (_, text, counts) => {
    const decoded = decode(`${auditLine('a')}\n${text}${auditLine('b')}\n${auditLine('c')}\n`);
    expect(auditIDs(decoded.records)).toEqual(['a', 'b', 'c']);
    expect(problemCounts(decoded)).toEqual(counts);
  });

  it('tells where the damage stands', () => {
    const first = `${auditLine('a')}\n`;
    const { problems } = decode(`${first}{"kind":\n${auditLine('b')}\n`);
    expect(problems).toMatchObject([{ reason: 'cut-line', origin: { line: 2, offset: Buffer.byteLength(first) } }]);
    expect(problems[0]?.origin.input.name).toBe('memory');
  });

  it('counts every problem but reports only the first ones', () => {
    const decoded = decode('{"a":1}\n'.repeat(100));
    expect(problemCounts(decoded)).toEqual({ 'not-audit': 100 });
    expect(decoded.problems.length).toBe(20);
  });

  it('keeps a record with bytes that are not UTF-8 and counts it', () => {
    const bytes = Buffer.from(`${auditLine('a')}\n${auditLine('b', { userAgent: 'xx' })}\n${auditLine('c')}\n`);
    bytes[bytes.indexOf('"xx"') + 1] = 0xff;
    for (const cuts of [[], [bytes.indexOf('ü') + 1], [bytes.indexOf(0xff)], [bytes.indexOf(0xff) + 1]]) {
      const decoded = decode(bytes, { cuts });
      expect(auditIDs(decoded.records)).toEqual(['a', 'b', 'c']);
      expect(problemCounts(decoded)).toEqual({ 'not-utf8': 1 });
    }
  });

  it('skips a byte order mark, also in pieces', () => {
    const bytes = Buffer.from(`\ufeff${auditLine('a')}\r\n`);
    for (const cuts of [[], [1], [1, 2], [2], [3]]) {
      const { records, counters } = decode(bytes, { cuts });
      expect(records).toMatchObject([{ auditID: 'a', line: 1, offset: 3 }]);
      expect(counters.problems.size).toBe(0);
    }
  });

  it('says once that an input is UTF-16', () => {
    const decoded = decode(Buffer.from(`\ufeff${auditLine('a')}\r\n`, 'utf16le'));
    expect(decoded.records).toEqual([]);
    expect(problemCounts(decoded)).toEqual({ 'not-utf8': 1 });
  });

  it('keeps the items of a list whose end is missing', () => {
    const text = JSON.stringify(list([auditEvent('a'), auditEvent('b'), auditEvent('c')]));
    const decoded = decode(`${text.slice(0, -100)}\n${auditLine('d')}\n`);
    expect(auditIDs(decoded.records)).toEqual(['a', 'b', 'd']);
    expect(problemCounts(decoded)).toEqual({ 'cut-line': 1 });
  });

  it('finds the items behind a damaged one in the same line', () => {
    const text = JSON.stringify(list([auditEvent('a'), auditEvent('b'), auditEvent('c')]));
    const decoded = decode(`${text.replace('"auditID":"b"', '"auditID:"b')}\n`);
    expect(auditIDs(decoded.records)).toEqual(['a', 'c']);
    expect(problemCounts(decoded)).toMatchObject({ 'not-json': 1 });
  });

  it.each([
    ['no time', undefined, undefined],
    ['words', 'yesterday', undefined],
    ["Go's zero time", undefined, '0001-01-01T00:00:00Z'],
    ['the beginning of the epoch', '1970-01-01T00:00:00Z', undefined],
  ])('leaves out an event with %s for a time, and counts it', (_, requestReceivedTimestamp, stageTimestamp) => {
    const decoded = decode(`${auditLine('a', { requestReceivedTimestamp, stageTimestamp })}\n${auditLine('b')}\n`);
    expect(auditIDs(decoded.records)).toEqual(['b']);
    expect(decoded.counters.records).toBe(1);
    expect(problemCounts(decoded)).toEqual({ 'bad-timestamp': 1 });
  });

  it.each(['{"ts":0,"msg":"m","v":0}', '{"ts":-5,"msg":"m","v":0}', '{"ts":1e400,"msg":"m","v":0}'])(
    'leaves out %s, and counts it',
    (text) => {
      const decoded = decode(`${text}\n`);
      expect(decoded.records).toEqual([]);
      expect(problemCounts(decoded)).toEqual({ 'bad-timestamp': 1 });
    },
  );

  it('leaves out klog text whose year nothing tells', () => {
    const decoder = new RecordDecoder({ id: 0, name: 'x', kind: 'memory' });
    const text = 'E0501 10:00:00.000001       1 a.go:1] "m"\n';
    expect([...decoder.feed(Buffer.from(text)), ...decoder.finish()]).toEqual([]);
    expect(decoder.counters.problems).toEqual(new Map([['bad-timestamp', 1]]));
  });

  const events = '"kind":"EventList","apiVersion":"audit.k8s.io/v1"';
  it.each([
    ['an EventList', `{${events},"items":{"a":1}}`, 'unreadable'],
    ['an EventList', `{${events},"items":"x"}`, 'unreadable'],
    ['an EventList', `{"items":5,${events}}`, 'unreadable'],
    ['an EventList', `{${events},"items":[1,2]}`, 'not-json'],
    ['an EventList', `{${events},"items":[{"kind":"Event"}]}`, 'not-audit'],
    ['a LeaseList', '{"kind":"LeaseList","items":{"a":1}}', 'unreadable'],
    ['a LeaseList', '{"kind":"LeaseList","items":[1]}', 'unreadable'],
    ['a LeaseList', '{"kind":"LeaseList","items":[{}]}', 'unreadable'],
    ['a Lease', '{"kind":"Lease","apiVersion":"coordination.k8s.io/v1"}', 'unreadable'],
    ['a discovery document', '{"kind":"APIGroupDiscoveryList","items":{"a":1}}', 'unreadable'],
    ['a discovery document', '{"kind":"APIGroupDiscoveryList","items":[1]}', 'unreadable'],
    ['an OTLP envelope', '{"resourceLogs":{}}', 'unreadable'],
    ['a CloudWatch envelope', '{"logEvents":[{}],"logStream":"x"}', 'unreadable'],
    ['lists in lists', `${'['.repeat(100_000)}${']'.repeat(100_000)}`, 'json-too-deep'],
    ['lists in lists without an end', '[ '.repeat(100_000), 'json-too-deep'],
    ['lists in lists, in an envelope', JSON.stringify({ message: '['.repeat(900), '@version': '1' }), 'json-too-deep'],
  ])('counts %s that holds nothing it should', (_, text, reason) => {
    const decoded = decode(`${text}\n`);
    expect(decoded.records).toEqual([]);
    expect(problemCounts(decoded)).toMatchObject({ [reason]: 1 });
  });

  it.each([
    `{${events},"items":[]}`,
    `{${events},"items":null}`,
    `{${events}}`,
    '{"kind":"LeaseList","items":[]}',
    '{"kind":"LeaseList","items":null}',
    '{"kind":"LeaseList","items":[{"metadata":{"name":"kube-scheduler"},"spec":{}}]}',
    '{"resourceLogs":[]}',
    '{"resourceLogs":[{"scopeLogs":[{"logRecords":[]}]}]}',
    '{"logEvents":[],"logStream":"x"}',
    '[]',
  ])('takes %s for empty by right', (text) => {
    const decoded = decode(`${text}\n`);
    expect([decoded.records, problemCounts(decoded)]).toEqual([[], {}]);
  });

  it('takes time in proportion to hostile input', () => {
    const started = performance.now();
    decode(' {"a":[\n'.repeat(200_000));
    decode('{"kind":"Event","apiVersion":"audit.k8s.io/'.repeat(50_000));
    decode('\0x'.repeat(200_000));
    decode(`[${'{"level":"'.repeat(100_000)}`);
    expect(performance.now() - started).toBeLessThan(10_000);
  });
});

describe('process logs', () => {
  const header = 'I0501 10:00:00.000001       1 a.go:1] ';

  it('mixes klog text, klog JSON and audit events in one stream', () => {
    const text = `${header}"m" k="v"\n${auditLine('a')}\n{"ts":1777629600000.5,"caller":"x/y.go:12","msg":"n","v":2}\n${header}plain text\n`;
    const decoded = decode(text);
    expect(plain(decoded.records)).toMatchObject([
      {
        type: 'log',
        line: 1,
        offset: 0,
        message: 'm',
        fields: [['k', 'v']],
        file: 'a.go',
        severity: 'I',
        timeUs: Date.UTC(2026, 4, 1, 10) * 1000 + 1,
      },
      { type: 'audit', line: 2 },
      { type: 'log', line: 3, file: 'y.go', message: 'n', timeUs: 1777629600000500 },
      { type: 'log', line: 4, message: 'plain text', fields: undefined },
    ]);
    expect(problemCounts(decoded)).toEqual({});
  });

  it('joins multi-line values and continuation lines', () => {
    const text = `${header}"m" err=<\n\tone\n\t{"two": 2}\n > k="v"\n${header}panic\ngoroutine 1 [running]:\n\tmain.go:1 +0x1\n{0xc000 1}\n${header}end\n`;
    const decoded = decode(text);
    expect(plain(decoded.records)).toMatchObject([
      {
        fields: [
          ['err', 'one\n{"two": 2}'],
          ['k', 'v'],
        ],
      },
      { text: `${header}panic\ngoroutine 1 [running]:\n\tmain.go:1 +0x1\n{0xc000 1}` },
      { message: 'end', line: 9 },
    ]);
    expect(problemCounts(decoded)).toEqual({});
  });

  it('bounds what it keeps of a record', () => {
    const [record] = plain(decode(`${header}m\n${`${'x'.repeat(100)}\n`.repeat(1000)}`).records);
    expect(String(record?.text).length).toBe(2000);
  });

  it('takes text before the first header for damage only if no process log follows', () => {
    const usage = 'Flag --x has been deprecated\nsome text\n';
    expect(problemCounts(decode(`${usage}${header}m\n`))).toEqual({});
    expect(problemCounts(decode(usage))).toEqual({ 'unknown-line': 2 });
    expect(problemCounts(decode(`${usage.repeat(40)}${auditLine('a')}\n`))).toEqual({ 'unknown-line': 80 });
    expect(problemCounts(decode(`ound port] of something\n${header}m\n`))).toEqual({ 'cut-line': 1 });
    expect(problemCounts(decode(`${header}m\nI0501 10:00:0\n${header}m\n`))).toEqual({ 'cut-line': 1 });
  });

  it('reads FLAG lines with and without a header, and in JSON', () => {
    const flag = 'FLAG: --peer-ca-file="/etc/a \\"b\\".crt"';
    const json = JSON.stringify({ ts: 1777629600000, caller: 'flags.go:1', msg: flag, v: 1 });
    const value = '/etc/a "b".crt';
    expect(decode(`${header}${flag}\n${flag}\n${json}\n`).records).toMatchObject([
      { type: 'flag', name: 'peer-ca-file', value, timeUs: Date.UTC(2026, 4, 1, 10) * 1000 + 1 },
      { type: 'flag', name: 'peer-ca-file', value, timeUs: 0 },
      { type: 'flag', name: 'peer-ca-file', value, timeUs: 1777629600000000 },
    ]);
  });

  it('gives the waiting line when a live stream goes quiet', () => {
    const decoder = new RecordDecoder(inputNamed('-'));
    expect(decoder.feed(Buffer.from(`${header}m\n`))).toEqual([]);
    expect(decoder.idle()).toMatchObject([{ type: 'log', message: 'm' }]);
    expect(decoder.feed(Buffer.from('\tcontinued\n'))).toEqual([]);
    expect(decoder.finish()).toEqual([]);
    expect(decoder.counters).toMatchObject({ records: 1, lines: 2 });
  });
});

describe('documents', () => {
  it('reads leases, discovery and metrics, compact and pretty', () => {
    const lease = { metadata: { name: 'apiserver-x' }, spec: { holderIdentity: 'h', leaseDurationSeconds: 1 } };
    const leases = { kind: 'LeaseList', apiVersion: 'coordination.k8s.io/v1', items: [lease] };
    const discovery = {
      kind: 'APIGroupDiscoveryList',
      items: [{ metadata: {}, versions: [{ version: 'v1', resources: [{ resource: 'pods' }] }] }],
    };
    const metrics =
      '# HELP a b\n# TYPE kubernetes_build_info gauge\nkubernetes_build_info{git_version="v1.36.3"} 1\nother_total 5\n';
    for (const space of [undefined, 2]) {
      const text = `${JSON.stringify(leases, null, space)}\n${JSON.stringify(discovery, null, space)}\n${metrics}`;
      const decoded = decode(text, { name: 'cp1/discovery-api-nopeer.json' });
      expect(decoded.records.map(({ type }) => type)).toEqual(['lease', 'discovery', 'metric']);
      expect(decoded.records[1]).toMatchObject({ view: 'nopeer', resources: ['pods/v1'] });
      expect(problemCounts(decoded)).toEqual({});
    }
  });
});
