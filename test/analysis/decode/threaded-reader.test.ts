/** Another thread decodes: the records, counts and problems are those of decoding here, and nothing hangs. */
import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { fileSource } from '../../../src/sources/index.js';
import { auditLine } from '../../formats/sample-records.js';
import { until } from '../../until.js';
import { bothWays, dropFiles, fileOf, type LocalWorker, readAll, source, threaded } from './kit.js';

afterAll(dropFiles);

const KLOG = 'I0501 10:00:00.000003       1 peerproxy_handler.go:42] "Proxying" url="https://192.0.2.7:6443"\n';
const VALUE = 'E0501 10:00:00.000004       1 a.go:1] "Failed" err=<\n\tone\n\ttwo\n >\n';
const FLAG = 'I0501 10:00:00.000005       1 flags.go:64] FLAG: --peer-ca-file="/etc/ca.crt"\n';
const LEASE = JSON.stringify({
  kind: 'LeaseList',
  apiVersion: 'coordination.k8s.io/v1',
  items: [
    {
      metadata: { name: 'apiserver-aaaaaaaaaaaaaaaaaaaaaaaaaa', labels: { 'kubernetes.io/hostname': 'cp1' } },
      spec: { holderIdentity: 'x', renewTime: '2026-05-01T10:00:00.000000Z' },
    },
  ],
});
const METRIC = '# TYPE apiserver_rerouted_request_total counter\napiserver_rerouted_request_total{code="200"} 12\n';
const BODY = { requestObject: { kind: 'Job', metadata: { name: 'ü' } }, responseObject: { kind: 'Status' } };

/** Everything that may stand in one stream. */
const PIECES = [
  METRIC,
  `${auditLine('10000000-0000-4000-8000-000000000001', BODY)}\n`,
  `${auditLine('10000000-0000-4000-8000-000000000001', { stage: 'RequestReceived', level: 'RequestResponse' })}\n`,
  `${auditLine('an "escaped" \\ and ünusual id', { verb: 'create', objectRef: { resource: 'pods', namespace: 'a', name: '"n"' } })}\n`,
  `${auditLine('2', { verb: 'delete', objectRef: { resource: 'pods', namespace: 'a', name: 'n'.repeat(400) } })}\n`,
  `${auditLine('3', { userAgent: 'long '.repeat(900), responseStatus: { code: 404, reason: 'NotFound', message: 'gone' } })}\n`,
  `${auditLine('4', { impersonatedUser: { username: 'eve' }, annotations: { 'audit.k8s.io/truncated': 'true' } })}\r\n`,
  `${JSON.stringify({ kind: 'EventList', items: [JSON.parse(auditLine('5')), JSON.parse(auditLine('6'))] })}\n`,
  `${JSON.stringify(JSON.parse(auditLine('7')), null, 2)}\n`,
  auditLine('8').slice(0, 200),
  '\n',
  '\0\0\0\0',
  '{"kind":"Event",\n',
  'neither this nor that\n',
  `${auditLine('9').replace('Metadata', 'Meta\\u0064ata')}\n`,
  KLOG,
  VALUE,
  FLAG,
  `${LEASE}\n`,
  '{"ts":1777629600000.5,"caller":"a/b.go:3","msg":"HTTP","v":3,"verb":"GET"}\n',
  `[pod/kube-apiserver-cp-1/kube-apiserver] ${auditLine('10')}\n`,
  `[pod/kube-apiserver-cp-2/kube-apiserver] ${KLOG}`,
  `${JSON.stringify({ ...JSON.parse(auditLine('11')), hostname: 'cp-3', cluster: 'prod' })}\n`,
] as const;
const EVERYTHING = PIECES.join('');

async function expectTheSame(input: Parameters<typeof bothWays>[0]): Promise<void> {
  const { here, there } = await bothWays(input);
  expect(there).toEqual(here);
}

describe('records', () => {
  test('are the same as here, of every kind, whole and cut', async () => {
    const { here, there } = await bothWays(source(EVERYTHING));
    expect(there).toEqual(here);
    expect([...new Set(here.records.map((record) => (record as { type: string }).type))].sort()).toEqual([
      'audit',
      'flag',
      'lease',
      'log',
      'metric',
    ]);
    expect(here.problems.length).toBeGreaterThan(2);
    for (const size of [1, 7, 100, 4096]) await expectTheSame(source(EVERYTHING, { size }));
  });

  test('are the same from a file', async () => {
    await expectTheSame(fileOf(EVERYTHING.repeat(200)));
    await expectTheSame(fileOf(EVERYTHING));
  });

  test('are the same for any sequence of pieces and any chunks', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...PIECES), { maxLength: 30 }),
        fc.integer({ min: 1, max: 3000 }),
        fc.boolean(),
        async (pieces, size, inFile) => {
          const content = pieces.join('');
          await expectTheSame(inFile ? fileOf(content) : source(content, { size }));
        },
      ),
      { numRuns: 30 },
    );
  });

  test('are the same from gzip, whole, cut short, damaged, and in members', async () => {
    const packed = gzipSync(EVERYTHING.repeat(300));
    await expectTheSame(source(packed));
    await expectTheSame(source(packed, { size: 1000 }));
    await expectTheSame(fileOf(packed));
    await expectTheSame(source(packed.subarray(0, packed.length - 20)));
    await expectTheSame(fileOf(packed.subarray(0, packed.length - 20)));
    await expectTheSame(source(Buffer.concat([packed, packed])));
    const damaged = Buffer.from(packed);
    damaged.fill(0xff, 3000, 3010);
    await expectTheSame(source(damaged));
  });

  test('are the same when lines are longer than chunks and memory', async () => {
    const long = auditLine('long', { requestObject: { data: 'x'.repeat(2_500_000) } });
    await expectTheSame(source(`${auditLine('a')}\n${long}\n${auditLine('b')}\n`));
    await expectTheSame(fileOf(`${auditLine('a')}\n${long}\n${auditLine('b')}\n`));
  });

  test('are the same when there are more different clients than the tables hold', async () => {
    const lines = Array.from({ length: 20_000 }, (_, at) => `${auditLine('c', { userAgent: `agent/${at}` })}\n`);
    const { here, there } = await bothWays(fileOf(lines.join('')));
    expect(there.count).toBe(20_000);
    expect(there).toEqual(here);
  });

  test('of an empty input are none', async () => {
    await expectTheSame(source(''));
    await expectTheSame(fileOf(''));
  });
});

describe('failures', () => {
  test('of reading are a problem of the input, and what was read before stays', async () => {
    const failing = source(`${auditLine('a')}\n`.repeat(9000), { failsAt: 3_000_000 });
    const { here, there } = await bothWays(failing);
    expect(there).toEqual(here);
    expect(there.problems).toContainEqual(['unreadable', 1]);
    expect(there.count).toBeGreaterThan(1000);
  });

  test('of a file are told as well', async () => {
    for (const path of ['/nowhere/audit.log', '/']) {
      const told: string[] = [];
      const broken = { ...fileSource(path, statSync(fileURLToPath(import.meta.url))), onFailure: onFailure(told) };
      expect(await readAll(threaded(broken).reader)).toMatchObject({ records: [], problems: [['unreadable', 1]] });
      expect(told).toEqual([expect.stringContaining(path === '/' ? 'EISDIR' : 'no such file or folder')]);
    }
  });

  test('of another kind are thrown', async () => {
    const broken = { ...source('x'), open: () => brokenStream() };
    await expect(readAll(threaded(broken).reader)).rejects.toThrow('a mistake');
  });

  test('of the thread are thrown to whoever waits and whoever comes later', async () => {
    const { reader, worker } = threaded(silent());
    const waiting = reader.next();
    worker.emit('error', new Error('out of memory'));
    await expect(waiting).rejects.toThrow('out of memory');
    await expect(reader.next()).rejects.toThrow('out of memory');
    await reader.close();
  });

  test('an early end of the thread is one', async () => {
    const { reader, worker } = threaded(silent());
    const waiting = reader.next();
    worker.emit('exit', 7);
    await expect(waiting).rejects.toThrow('ended with 7');
  });
});

describe('flow', () => {
  test('no more is decoded than may wait', async () => {
    const { reader, worker } = threaded(fileOf(`${auditLine('a')}\n`.repeat(12_000)), { ahead: 2 });
    await reader.next();
    const batches = () => worker.answers.filter(({ type }) => type === 'batch').length;
    await until(() => batches() === 2, 'as many as may wait');
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(batches()).toBe(2);
    expect((await readAll(reader)).count).toBe(12_000);
  });

  test('memory is used again, and all of it comes back', async () => {
    const { reader, memories } = threaded(fileOf(`${auditLine('a')}\n`.repeat(20_000)), { ahead: 2 });
    const seen = new Set<unknown>();
    const take = memories.take.bind(memories);
    memories.take = () => {
      const memory = take();
      seen.add(memory);
      return memory;
    };
    await readAll(reader);
    expect(seen.size).toBeLessThanOrEqual(4);
    await until(() => [...seen].every((memory) => (memory as { holders: number }).holders === 0), 'nobody holds any');
  });

  test('an event that is asked too late says so and tells nothing wrong', async () => {
    const lines = Array.from({ length: 15_000 }, (_, at) => `${auditLine(`id-${at}`)}\n`);
    const { reader } = threaded(fileOf(lines.join('')), { ahead: 1 });
    const first = (await reader.next())?.at(0);
    while ((await reader.next()) !== undefined);
    expect(() => first?.type === 'audit' && first.auditID).toThrow('keep fields, not events');
  });

  test('closing in the middle ends it, and its memory comes back', async () => {
    const { reader, memories } = threaded(fileOf(`${auditLine('a')}\n`.repeat(20_000)));
    await reader.next();
    expect(memories.readers).toBe(1);
    await reader.close();
    expect(await reader.next()).toBeUndefined();
    await until(() => memories.readers === 0, 'its memory is back');
  });

  test('closing does not wait for a silent source, and ends whoever waits', async () => {
    const { reader } = threaded(silent());
    const waiting = reader.next();
    await reader.close();
    expect(await waiting).toBeUndefined();
  });

  test('what a slow source has given is decoded at once', async () => {
    const { reader } = threaded(silent(`${auditLine('a')}\n`));
    expect(await reader.next()).toHaveLength(1);
    await reader.close();
  });

  test('nothing is said to a worker before the input is asked for', () => {
    expect(threaded(source('x')).worker).toMatchObject({ orders: [] } satisfies Partial<LocalWorker>);
  });
});

function onFailure(told: string[]) {
  return ({ message }: Error) => void told.push(message);
}

/** A source that goes silent behind `first` and never ends. */
function silent(first = '') {
  return {
    ...source(''),
    async *open() {
      if (first !== '') yield Buffer.from(first);
      await new Promise(() => {});
    },
  };
}

// biome-ignore lint/correctness/useYield: it fails before there is anything to give
async function* brokenStream(): AsyncGenerator<Buffer> {
  throw new TypeError('a mistake');
}
