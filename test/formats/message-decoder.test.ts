import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { MessageDecoder, type MessageDecoderOptions } from '../../src/formats/message-decoder.js';
import type { AuditEvent, Rec } from '../../src/model/record.js';
import { lineWrappings, objectWrappings, textWrappings } from './envelopes/wrappings.js';
import { auditEvent, auditIDs, auditLine, HINT_US, plain } from './sample-records.js';

const KLOG = 'I0501 10:00:00.000001       1 a.go:1] "m" k="v"';
const KLOG_JSON = '{"ts":1777629600000.5,"caller":"x/y.go:1","msg":"m","v":2,"k":"v"}';
const list = (items: unknown) =>
  JSON.stringify({ kind: 'EventList', apiVersion: 'audit.k8s.io/v1', metadata: {}, items });

function open(options: Partial<MessageDecoderOptions> = {}) {
  return new MessageDecoder({ input: { id: 0, name: 'audit/0', kind: 'kafka' }, ...options });
}

/** One message at offset 7, somewhere in a larger memory. */
function read(value: string | Buffer, options: Partial<MessageDecoderOptions> = {}, decoder = open(options)) {
  const around = Buffer.from('before{');
  const bytes = Buffer.concat([around, Buffer.from(value), Buffer.from('}behind')]);
  const end = around.length + Buffer.from(value).length;
  const { records, problems, oneWriter } = decoder.decode(bytes, around.length, end, 7, HINT_US);
  return {
    records,
    problems,
    oneWriter,
    reasons: problems.map(({ reason }) => reason),
    writers: records.map((record) => decoder.writerOf(record)),
    clusters: records.map((record) => decoder.clusterOf(record)),
    decoder,
  };
}

const textOf = (record: Rec | undefined) => {
  const { bytes, start, end } = record as AuditEvent;
  return bytes.toString('utf8', start, end);
};

describe('a message that is one event', () => {
  it('is decoded where it lies, with its own offset', () => {
    const bytes = Buffer.from(`xx${auditLine('a')}yy`);
    const decoder = open();
    const { records, problems } = decoder.decode(bytes, 2, bytes.length - 2, 9e12);
    expect(records).toMatchObject([{ type: 'audit', auditID: 'a', line: 1, offset: 9e12, start: 2 }]);
    expect((records[0] as AuditEvent).bytes).toBe(bytes);
    expect(problems).toEqual([]);
    expect(decoder.counters).toMatchObject({ messages: 1, bytes: bytes.length - 4, records: 1, problems: new Map() });
  });

  it.each([
    ['with a line end', `${auditLine('a')}\n`],
    ['with a byte order mark', `\ufeff${auditLine('a')}`],
    ['pretty-printed', JSON.stringify(auditEvent('a'), null, 2)],
    ['as an item of a list', JSON.stringify({ ...auditEvent('a'), kind: undefined, apiVersion: undefined })],
    ['encoded twice', JSON.stringify(auditLine('a'))],
    ['packed', gzipSync(auditLine('a'))],
    [
      'packed in two members',
      Buffer.concat([gzipSync(auditLine('a').slice(0, 50)), gzipSync(auditLine('a').slice(50))]),
    ],
    ['behind the number of a schema', Buffer.concat([Buffer.from([0, 0, 0, 1, 7]), Buffer.from(auditLine('a'))])],
  ])('%s', (_, value) => {
    const { records, reasons } = read(value);
    expect(records).toMatchObject([{ auditID: 'a', line: 1, offset: 7 }]);
    expect(JSON.parse(textOf(records[0]))).toMatchObject({ auditID: 'a' });
    expect(reasons).toEqual([]);
  });
});

describe('a message of several records', () => {
  it('numbers them, and tells an EventList as of one writer', () => {
    const { records, oneWriter, reasons } = read(list([auditEvent('a'), auditEvent('b', { requestObject: { x: 1 } })]));
    expect(records).toMatchObject([
      { auditID: 'a', line: 1, offset: 7 },
      { auditID: 'b', line: 2, offset: 7 },
    ]);
    const { bytes, requestObject } = records[1] as AuditEvent;
    expect(bytes.toString('utf8', requestObject?.start, requestObject?.end)).toBe('{"x":1}');
    expect([oneWriter, reasons]).toEqual([true, []]);
  });

  it.each([
    ['an array', JSON.stringify([auditEvent('a'), auditEvent('b')])],
    ['lines', `${auditLine('a')}\n${auditLine('b')}`],
    ['lists in an array', `[${list([auditEvent('a')])},${list([auditEvent('b')])}]`],
    ['a packed array', gzipSync(JSON.stringify([auditEvent('a'), auditEvent('b')]))],
  ])('%s: of one writer or of several', (_, value) => {
    const { records, oneWriter, reasons } = read(value);
    expect([auditIDs(records), records.map(({ line }) => line)]).toEqual([
      ['a', 'b'],
      [1, 2],
    ]);
    expect([oneWriter, reasons]).toEqual([false, []]);
  });

  it('mixes events and lines of a process log', () => {
    const { records } = read(`${KLOG}\n\tmore\n${auditLine('a')}\n${KLOG_JSON}\n`);
    expect(records.map(({ type, line, offset }) => [type, line, offset])).toEqual([
      ['log', 1, 7],
      ['audit', 2, 7],
      ['log', 3, 7],
    ]);
    expect(plain(records)[0]).toMatchObject({ message: 'm', text: `${KLOG}\n\tmore` });
  });
});

describe('envelopes', () => {
  it.each([...lineWrappings, ...textWrappings, ...objectWrappings])('$name', ({ wrap, writer }) => {
    const { records, writers, reasons } = read(wrap(auditLine('a')));
    expect(records).toMatchObject([{ auditID: 'a', line: 1, offset: 7 }]);
    expect([writers, reasons]).toEqual([[writer ?? ''], []]);
  });

  it.each([
    { ...auditEvent('a'), hostname: 'cp-1', cluster: 'prod-1' },
    { log: auditLine('a'), kubernetes: { host: 'cp-1', cluster_name: 'prod-1' } },
    {
      '@timestamp': 1,
      message: auditLine('a'),
      agent: {},
      host: { name: 'cp-1' },
      orchestrator: { cluster: { name: 'prod-1' } },
    },
    { streams: [{ stream: { node: 'cp-1', cluster: 'prod-1' }, values: [['1', auditLine('a')]] }] },
  ])('name the cluster: %j', (value) => {
    const { writers, clusters } = read(JSON.stringify(value));
    expect([writers, clusters]).toEqual([['cp-1'], ['prod-1']]);
  });

  it('name a writer for each record, and nobody for bare ones beside', () => {
    const wrapped = (host: string) => JSON.stringify({ log: KLOG, kubernetes: { host } });
    const { writers } = read([auditLine('a'), wrapped('cp-1'), auditLine('b'), wrapped('cp-2')].join('\n'));
    expect(writers).toEqual(['', '', 'cp-1', 'cp-2']);
  });
});

describe('lines of a process log', () => {
  it('have their year from the message', () => {
    const decoder = open();
    const bytes = Buffer.from(KLOG);
    const time = (year: number) => {
      const { records } = decoder.decode(bytes, 0, bytes.length, 1, Date.UTC(year, 4, 2) * 1000);
      return records[0]?.type === 'log' ? records[0].timeUs : 0;
    };
    expect([time(2024), time(2026)]).toEqual([2024, 2026].map((year) => Date.UTC(year, 4, 1, 10) * 1000 + 1));
  });

  it.each(['\tat a.go:7', 'goroutine 1 [running]:', 'Flag --x has been deprecated', 'panic: oops'])(
    'that have no header are nothing, and no damage: %s',
    (text) => {
      expect(read(text)).toMatchObject({ records: [], problems: [] });
      expect(read(JSON.stringify({ log: text, kubernetes: { host: 'cp-1' } }))).toMatchObject({
        records: [],
        problems: [],
      });
    },
  );
});

describe('nothing', () => {
  it.each(['', '\n', ' ', list([]), list(null)])('%j is no damage', (value) => {
    expect(read(value)).toMatchObject({ records: [], problems: [], oneWriter: expect.any(Boolean) });
  });
});

describe('damage', () => {
  it.each<[string, string | Buffer, string]>([
    ['text', 'hello', 'unknown-line'],
    ['other JSON', '{"a":1}', 'not-audit'],
    ['a cut event', auditLine('a').slice(0, 100), 'cut-line'],
    ['damaged JSON', '{"kind":"Event",,}', 'not-json'],
    ['UTF-16', Buffer.from(`\ufeff${auditLine('a')}`, 'utf16le'), 'not-utf8'],
    ['Avro with a schema', Buffer.from([0, 0, 0, 0, 7, 2, 65, 66]), 'not-json'],
    ['an Avro file', Buffer.from('Obj\u0001\u0004'), 'not-json'],
    ['Protobuf', Buffer.from([10, 200, 1, 10, 5, 18, 65, 66]), 'not-json'],
    ['MessagePack', Buffer.from([0x82, 0xa1, 0x61, 1]), 'not-json'],
    ['other bytes', Buffer.from([0xfb, 1, 2, 3]), 'not-json'],
    ['zstd', Buffer.from('28b52ffd0000', 'hex'), 'unreadable'],
    ['snappy', Buffer.from('82534e41505059000000', 'hex'), 'unreadable'],
    ['cut gzip', gzipSync(auditLine('a')).subarray(0, 60), 'truncated-gzip'],
    ['damaged gzip', Buffer.from('1f8b0800000000000003ffffffff', 'hex'), 'damaged-gzip'],
    ['gzip in gzip', gzipSync(gzipSync(auditLine('a'))), 'unreadable'],
    ['a bomb', gzipSync(Buffer.alloc(4_000_000)), 'unreadable'],
  ])('%s', (_, value, reason) => {
    const { records, problems, decoder } = read(value);
    expect(records).toEqual([]);
    expect(problems.map((problem) => [problem.reason, problem.origin.offset])).toEqual([[reason, 7]]);
    expect(decoder.counters.problems).toEqual(new Map([[reason, 1]]));
  });

  it('beside good records is told', () => {
    const { records, reasons } = read(`${auditLine('a').slice(0, 100)}\n${auditLine('b')}`);
    expect([auditIDs(records), reasons]).toEqual([['b'], ['cut-line']]);
  });

  it('in an event that is given all the same is told', () => {
    const binary = Buffer.from(auditLine('a', { userAgent: 'X' }));
    binary[binary.indexOf('"X"') + 1] = 0xff;
    expect(read(binary)).toMatchObject({ records: [{ line: 1 }], reasons: ['not-utf8'] });
  });

  it('of its time alone is enough: nothing can be said of an event without one', () => {
    const untimed = auditLine('a', { requestReceivedTimestamp: undefined, stageTimestamp: 'x' });
    expect(read(untimed)).toMatchObject({ records: [], reasons: ['bad-timestamp'] });
  });

  it.each([
    [`{"kind":"EventList","apiVersion":"audit.k8s.io/v1","items":{"a":1}}`, 'unreadable'],
    ['['.repeat(100_000), 'json-too-deep'],
  ])('is told of %.60s', (value, reason) => {
    expect(read(value)).toMatchObject({ records: [], reasons: [reason] });
  });

  it.each(['', '\n', '  \n \n'])('is none where nothing is: %j', (value) => {
    expect(read(value)).toMatchObject({ records: [], reasons: [] });
  });

  it('of its neighbours in memory does not touch a message', () => {
    const decoder = open();
    const bytes = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(auditLine('a'))]);
    expect(decoder.decode(bytes, 2, bytes.length, 1)).toMatchObject({ records: [{ auditID: 'a' }], problems: [] });
  });

  it('is a message above the limit, packed or not', () => {
    const options = { maxMessageBytes: 1000 };
    const large = auditLine('a', { userAgent: 'x'.repeat(1000) });
    expect(read(large, options)).toMatchObject({ records: [], reasons: ['line-too-long'] });
    expect(read(gzipSync(large), options)).toMatchObject({ records: [], reasons: ['unreadable'] });
    expect(read(auditLine('b'), options).reasons).toEqual([]);
  });
});
