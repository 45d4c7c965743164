import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { RecordDecoder } from '../../../src/formats/record-decoder.js';
import type { AuditEvent, Problem, Rec } from '../../../src/model/record.js';
import { auditEvent, auditIDs, auditLine, inputNamed, readNamed } from '../sample-records.js';
import { HOST, lineWrappings, objectWrappings, POD, textWrappings } from './wrappings.js';

const KLOG = 'I0501 10:00:00.000001       1 a.go:1] "m" k="v"';

function read(text: string | Buffer, input = inputNamed('memory')) {
  const problems: Problem[] = [];
  const decoder = new RecordDecoder(input, { onProblem: (problem) => problems.push(problem) });
  const { records, writers } = readNamed(decoder, Buffer.from(text));
  return { records, writers, problems, reasons: problems.map(({ reason }) => reason) };
}

const textOf = (record: Rec | undefined) => {
  const { bytes, start, end } = record as AuditEvent;
  return bytes.toString('utf8', start, end);
};

describe('known envelopes', () => {
  it.each([...lineWrappings, ...textWrappings])('$name: an event and a log line', ({ wrap, writer }) => {
    const lines = [wrap(auditLine('a')), wrap(KLOG), wrap(auditLine('b'))];
    const { records, writers, reasons } = read(`${lines.join('\n')}\n`);
    expect(records).toMatchObject([
      { type: 'audit', auditID: 'a', line: 1, offset: 0 },
      { type: 'log', line: 2, message: 'm', offset: Buffer.byteLength(lines[0] ?? '') + 1 },
      { type: 'audit', auditID: 'b', line: 3 },
    ]);
    expect(writers).toEqual([writer, writer, writer]);
    expect(textOf(records[0])).toBe(auditLine('a'));
    expect(reasons).toEqual([]);
  });

  it.each(objectWrappings)('$name: an event', ({ wrap, writer }) => {
    const { records, writers, reasons } = read(`${wrap(auditLine('a'))}\n${wrap(auditLine('b'))}\n`);
    expect(auditIDs(records)).toEqual(['a', 'b']);
    expect(JSON.parse(textOf(records[0]))).toMatchObject(auditEvent('a'));
    expect(writers).toEqual([writer, writer]);
    expect(reasons).toEqual([]);
  });

  it('knows no writer of bare records', () => {
    const { records, writers } = read(`${auditLine('a')}\n${KLOG}\n`);
    expect(records.map(({ type }) => type)).toEqual(['audit', 'log']);
    expect(writers).toEqual([undefined, undefined]);
  });

  it('reads all events of a batch in one payload', () => {
    const items = [auditEvent('a'), auditEvent('b')];
    const payloads = [
      JSON.stringify(items),
      JSON.stringify(items, null, 2),
      `${auditLine('a')}\n${auditLine('b')}`,
      JSON.stringify({ kind: 'EventList', items }, null, 2),
    ];
    for (const payload of payloads) {
      const { records, writers, reasons } = read(JSON.stringify({ schema: {}, payload, host: HOST }));
      expect([auditIDs(records), reasons]).toEqual([['a', 'b'], []]);
      expect(writers).toEqual([undefined, undefined]);
    }
  });

  it('reads objects back to back, and packed CloudWatch messages of Lambda', () => {
    const message = (id: string, type: string) =>
      JSON.stringify({
        messageType: type,
        logStream: 'kube-apiserver-audit-ab12',
        logEvents: [{ message: auditLine(id) }],
      });
    const data = gzipSync(message('c', 'DATA_MESSAGE')).toString('base64');
    const text = [
      message('x', 'CONTROL_MESSAGE'),
      message('a', 'DATA_MESSAGE'),
      message('b', 'DATA_MESSAGE'),
      JSON.stringify({ awslogs: { data } }),
    ];
    const { records, writers, reasons } = read(text.join(''));
    expect([auditIDs(records), writers, reasons]).toEqual([['a', 'b', 'c'], ['ab12', 'ab12', 'ab12'], []]);
  });

  it('gives events their own level, members and annotations back', () => {
    const { annotations: _, ...rest } = auditEvent('a');
    const changed = [
      { ...auditEvent('a'), level: 'default', k8s_audit_level: 'Request', hostname: HOST, log_source: 'kubeAPI' },
      { __time__: '1', '__tag__:__hostname__': HOST, ...flat({ ...auditEvent('a', { level: 'Request' }) }) },
      {
        kubernetes: {
          audit: {
            ...rest,
            level: 'Request',
            annotations: { authorization_k8s_io_x: '', 'authorization_k8s_io/decision': 'allow' },
          },
        },
        host: { name: HOST },
      },
    ];
    for (const each of changed) {
      const { records, writers } = read(`${JSON.stringify(each)}\n`);
      expect(records).toMatchObject([
        { level: 'Request', username: 'admin', decision: 'allow', code: 200, resource: 'jobs' },
      ]);
      expect(writers).toEqual([HOST]);
    }
  });

  it('tells the API servers of OpenShift apart that share a host', () => {
    const text = ['kubeAPI', 'openshiftAPI'].map((log_source) =>
      JSON.stringify({ ...auditEvent('a'), hostname: HOST, log_source }),
    );
    expect(read(text.join('\n')).writers).toEqual([HOST, `${HOST}/openshiftapi`]);
  });
});

describe('pieces', () => {
  const cri = (stream: string, flag: string, text: string | Buffer) =>
    Buffer.concat([Buffer.from(`2026-05-01T10:00:00Z ${stream} ${flag} `), Buffer.from(text), Buffer.from('\n')]);

  it('joins CRI pieces by bytes, each stream for itself, at the place of the first', () => {
    const whole = Buffer.from(auditLine('a'));
    const cut = whole.indexOf('ü') + 1;
    const { records, reasons } = read(
      Buffer.concat([
        cri('stdout', 'P', whole.subarray(0, 10)),
        cri('stderr', 'F', KLOG),
        cri('stdout', 'P', whole.subarray(10, cut)),
        cri('stdout', 'F', whole.subarray(cut)),
      ]),
    );
    expect(records).toMatchObject([
      { type: 'audit', auditID: 'a', line: 1, offset: 0, userAgent: 'client/1.0 "quoted" \\ ünï' },
      { type: 'log' },
    ]);
    expect(reasons).toEqual(expect.not.arrayContaining(['cut-line', 'not-json']));
  });

  it('counts what lacks its beginning or its end, and keeps what is whole', () => {
    const { records, reasons } = read(
      Buffer.concat([
        cri('stdout', 'F', auditLine('x').slice(300)),
        cri('stdout', 'F', auditLine('a')),
        cri('stdout', 'P', auditLine('y').slice(0, 200)),
      ]),
    );
    expect([auditIDs(records), reasons]).toEqual([['a'], ['cut-line', 'cut-line']]);
  });

  it('takes a last piece that is a whole record, and finds the record behind a torn one', () => {
    const { records } = read(
      Buffer.concat([
        cri('stdout', 'P', auditLine('torn').slice(0, 100)),
        cri('stdout', 'F', auditLine('a')),
        cri('stdout', 'P', auditLine('b')),
      ]),
    );
    expect(auditIDs(records)).toEqual(['a', 'b']);
  });

  it('joins the pieces of docker, fluent-bit and journald', () => {
    const line = auditLine('a', { requestObject: { data: 'x'.repeat(40_000) } });
    const parts = [line.slice(0, 16_384), line.slice(16_384, 32_768), line.slice(32_768)];
    const wrap: ((part: string, isLast: boolean) => unknown)[] = [
      (part, isLast) => ({ log: isLast ? `${part}\n` : part, stream: 'stdout', time: '2026-05-01T10:00:00Z' }),
      (part, isLast) => ({ log: part, _p: isLast ? 'F' : 'P', kubernetes: { host: HOST } }),
      (part, isLast) => ({ MESSAGE: part, __REALTIME_TIMESTAMP: '1', ...(isLast ? {} : { _LINE_BREAK: 'line-max' }) }),
    ];
    for (const each of wrap) {
      const text = parts.map((part, at) => JSON.stringify(each(part, at === 2))).join('\n');
      const { records, reasons } = read(text);
      expect(records).toMatchObject([{ auditID: 'a', line: 1 }]);
      expect([textOf(records[0]), reasons]).toEqual([line, []]);
    }
  });

  it('takes long texts without line ends whole where they are events', () => {
    const line = (id: string) => auditLine(id, { requestObject: 'x'.repeat(9000) });
    const text = ['a', 'b'].map((id) => JSON.stringify({ log: line(id), stream: 'stdout', time: 'now' }));
    expect(auditIDs(read(text.join('\n')).records)).toEqual(['a', 'b']);
  });

  it('bounds what it holds', () => {
    const piece = cri('stdout', 'P', 'x'.repeat(1000));
    const problems: string[] = [];
    const decoder = new RecordDecoder(inputNamed('memory'), {
      maxLineBytes: 5000,
      onProblem: ({ reason }) => problems.push(reason),
    });
    for (let at = 0; at < 100; at++) decoder.feed(piece);
    const records = decoder.feed(Buffer.concat([cri('stdout', 'F', 'x'), cri('stdout', 'F', auditLine('a'))]));
    expect([auditIDs(records), problems]).toEqual([['a'], ['line-too-long']]);
  });
});

describe('log lines in envelopes', () => {
  const fluent = (host: string, log: string) =>
    JSON.stringify({ '@timestamp': '2031-05-01T10:00:00Z', log, kubernetes: { host } });

  it('keeps the continuation lines of each writer apart', () => {
    const text = [
      fluent('a', `E0501 10:00:00.000001 1 a.go:1] x`),
      fluent('b', KLOG),
      fluent('a', 'goroutine 1 [running]:'),
    ];
    const { records, writers } = read(text.join('\n'));
    const logs = records.map((record, at) => [writers[at], record.type === 'log' && record.text.split('\n').length]);
    expect(logs.sort()).toEqual([
      ['a', 2],
      ['b', 1],
    ]);
  });

  it('follows prefixes that it has seen before records', () => {
    const lines = [
      `${POD} kube-apiserver ${KLOG}`,
      `${POD} kube-apiserver goroutine 1 [running]:`,
      `${POD} other goroutine 2`,
    ];
    const { records, reasons } = read(lines.join('\n'));
    expect(records).toHaveLength(1);
    expect(records[0]).toMatchObject({ text: `${KLOG}\ngoroutine 1 [running]:` });
    expect(reasons).toEqual(['unknown-line']);
  });

  it('takes the year from the time of collection', () => {
    const input = { id: 0, name: 'topic/0', kind: 'kafka' as const };
    const at = (time: string) =>
      JSON.stringify({
        '@timestamp': time,
        message: `I${time.slice(5, 7)}${time.slice(8, 10)} 10:00:00.000001 1 a.go:1] x`,
        agent: {},
      });
    const { records } = read(
      ['2029-12-31T10:00:01Z', '2030-01-01T10:00:01Z', '2030-08-01T10:00:01Z'].map(at).join('\n'),
      input,
    );
    const years = records.map((record) => record.type === 'log' && new Date(record.timeUs / 1000).getUTCFullYear());
    expect(years).toEqual([2029, 2030, 2030]);
  });

  it('leaves the log lines of other programs, and takes events from anywhere', () => {
    const other = { kubernetes: { pod_name: 'etcd-cp-1', host: HOST, container_name: 'etcd' } };
    const text = [KLOG, auditLine('a'), 'plain'].map((log) => JSON.stringify({ log, ...other })).join('\n');
    const { records, writers, reasons } = read(text);
    expect([auditIDs(records), writers, reasons]).toEqual([['a'], ['etcd-cp-1'], ['not-audit', 'not-audit']]);
  });
});

describe('what is no envelope of a record', () => {
  it.each([
    [
      'auditd of ViaQ',
      JSON.stringify({
        '@timestamp': 't',
        message: 'type=USER_ACCT msg=audit(1.1:1)',
        log_type: 'audit',
        log_source: 'auditd',
        hostname: HOST,
      }),
      'not-audit',
    ],
    [
      'OVN ACL',
      JSON.stringify({ '@timestamp': 't', message: 'acl_log|INFO', log_type: 'audit', log_source: 'ovn' }),
      'not-audit',
    ],
    ['a core Event', JSON.stringify({ kind: 'Event', apiVersion: 'v1', message: KLOG, type: 'Normal' }), 'not-audit'],
    [
      'an Event of events.k8s.io',
      JSON.stringify({ kind: 'Event', apiVersion: 'events.k8s.io/v1', note: auditLine('x') }),
      'not-audit',
    ],
    [
      'an AdmissionReview',
      JSON.stringify({ kind: 'AdmissionReview', request: { uid: 'x', object: auditEvent('x') } }),
      'not-audit',
    ],
    ['an audit policy', JSON.stringify({ kind: 'Policy', apiVersion: 'audit.k8s.io/v1', rules: [] }), 'not-audit'],
    ['Rancher API audit', JSON.stringify({ auditID: 'x', requestURI: '/v3', user: {}, method: 'GET' }), 'not-audit'],
    [
      'minikube audit',
      JSON.stringify({ data: { args: '', command: 'start' }, type: 'io.k8s.sigs.minikube.audit' }),
      'not-audit',
    ],
    [
      'CloudTrail',
      JSON.stringify({ eventSource: 'eks.amazonaws.com', eventName: 'X', requestParameters: {} }),
      'not-audit',
    ],
    [
      'GKE container API',
      JSON.stringify({ protoPayload: { serviceName: 'container.googleapis.com' }, resource: {} }),
      'not-audit',
    ],
    ['a journal entry without its message', JSON.stringify({ __REALTIME_TIMESTAMP: '1', MESSAGE: null }), 'unreadable'],
    [
      'a message that was cut',
      JSON.stringify({ message: `${auditLine('x').slice(0, 40)}[Truncated...]`, ingestionTime: 1 }),
      'cut-line',
    ],
    ['an unknown object', JSON.stringify({ some: { message: auditLine('x') } }), 'not-audit'],
    ['linux audit', 'type=DAEMON_START msg=audit(1.1:1): op=start', 'unknown-line'],
    ['must-gather listing', 'master-0.example.test audit-2026-01-05T03-04-05.678.log', 'unknown-line'],
    ['JSON behind words', 'the body: {"kind":"Status","code":404}', 'cut-line'],
  ])('%s', (_, text, reason) => {
    const { records, reasons } = read(`${auditLine('a')}\n${text}\n${auditLine('b')}\n`);
    expect([auditIDs(records), records.length]).toEqual([['a', 'b'], 2]);
    expect(reasons).toEqual([reason]);
  });

  it('leaves braces in the continuation lines of a process log there', () => {
    const { records, reasons } = read(`${KLOG}\nbody: {"kind":"Status"}\nfoo bar {"a":1}\n${KLOG}\n`);
    expect(records).toHaveLength(2);
    expect(records[0]).toMatchObject({ text: `${KLOG}\nbody: {"kind":"Status"}\nfoo bar {"a":1}` });
    expect(reasons).toEqual([]);
  });
});

describe('hostile envelopes', () => {
  it('opens no more than a few envelopes inside one another', () => {
    let text = auditLine('a');
    const counts: number[] = [];
    for (let levels = 1; levels <= 6; levels++) {
      text = JSON.stringify({ message: text, '@timestamp': 1, agent: {} });
      counts.push(read(text).records.length);
    }
    expect(counts).toEqual([1, 1, 1, 1, 0, 0]);
  });

  it('takes names of prototypes for what they are: members like any other', () => {
    const lines = [
      `{"__proto__":{"message":${JSON.stringify(auditLine('x'))},"@timestamp":1}}`,
      '{"constructor":{"payload":1},"toString":2}',
      '{"log":{"toString":1},"@timestamp":{"valueOf":1},"kubernetes":{"toString":null}}',
      '{"body":{"intValue":{"valueOf":1}},"attributes":[{"key":{"toString":1},"value":1}]}',
      JSON.stringify({ message: auditLine('a'), agent: 1, '@timestamp': 1 }).replace(
        '"agent":1',
        '"agent":1,"__proto__":{"host":"h"}',
      ),
    ];
    const { records, writers } = read(lines.join('\n'));
    expect([auditIDs(records), writers]).toEqual([['a'], [undefined]]);
    expect(Object.hasOwn(Object.prototype, 'message')).toBe(false);
  });

  it('unpacks no more than a bounded amount', () => {
    const data = gzipSync(Buffer.alloc(64 * 1024 * 1024, '[')).toString('base64');
    const { records, reasons } = read(`${JSON.stringify({ awslogs: { data } })}\n${auditLine('a')}\n`);
    expect([auditIDs(records), reasons]).toEqual([['a'], ['unreadable']]);
  });

  it('takes time in proportion', () => {
    const started = performance.now();
    const deep = '['.repeat(200_000) + ']'.repeat(200_000);
    read('a: b: c: d: e: {"\n'.repeat(20_000));
    read('a b c d e f {"x":1}\n'.repeat(20_000));
    read(`CreateTime:1\t${'host:'.repeat(400)}{"\n`.repeat(200));
    read(`<1>1 2026-01-05T03:04:05Z h a p m [${'"\\'.repeat(900)}{"\n`.repeat(200));
    read(`2026-01-05T03:04:05Z {${'a="b",'.repeat(300)}{"\n`.repeat(200));
    read(`${JSON.stringify({ message: deep, '@timestamp': 1 })}\n`);
    read(`${JSON.stringify({ ...auditEvent('a'), __time__: '1', user: deep })}\n`);
    read(Array.from({ length: 5000 }, (_, at) => `{"log":"x","_p":"P","kubernetes":{"host":"h${at}"}}\n`).join(''));
    expect(performance.now() - started).toBeLessThan(15_000);
  });
});

/** Nested members as texts. */
function flat(event: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(event).map(([key, value]) => [key, typeof value === 'object' ? JSON.stringify(value) : value]),
  );
}
