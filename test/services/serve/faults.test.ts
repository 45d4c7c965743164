/** What goes wrong around the service: brokers and receivers that are away, messages that cannot be read, topics that come late. */
import { afterEach, expect, test } from '@jest/globals';
import { until } from '../../until.js';
import { Recorder } from '../kafka/recorder.js';
import { KafkaOfTests, text, withKafka } from '../kafka/setup.js';
import { EventReceiver } from './event-receiver.js';
import { recentLines, type Sent, send } from './lines.js';
import { type Program, type ProgramOptions, ServiceFolder } from './program.js';

const LINES = recentLines('wrong-peer-ca', 3_600_000);
const MIB = 2 ** 20;

withKafka('the service on a real Kafka', () => {
  const on = new KafkaOfTests({ properties: { 'group.min.session.timeout.ms': '500' } });
  const drops: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const drop of drops.splice(0).reverse()) await drop();
  });

  function folderOf(group: string, topics: string, more = ''): ServiceFolder {
    const folder = new ServiceFolder();
    drops.push(() => folder.drop());
    folder.configure(`
kafka:
  {brokers: ["${on.broker.brokers}"], topics: [${topics}], group: ${group}, from: earliest, deadLetters: ${group}.dead}
service: {drain: 5s}
listen: {admin: "127.0.0.1:0"}
${more}
`);
    return folder;
  }

  async function started(folder: ServiceFolder, short: ProgramOptions['short'] = {}): Promise<Program> {
    const program = folder.start({ short });
    await program.consumes();
    return program;
  }

  async function sendLines(topic: string, lines: readonly Sent[]): Promise<void> {
    const producer = on.plain().producer();
    await producer.connect();
    try {
      await send(producer, topic, lines);
    } finally {
      await producer.disconnect();
    }
  }

  /** Messages that the topic holds. */
  async function lengthOf(topic: string): Promise<number> {
    const admin = on.plain().admin();
    await admin.connect();
    try {
      const partitions = await admin.fetchTopicOffsets(topic);
      return partitions.reduce((sum, { low, high }) => sum + Number(high) - Number(low), 0);
    } finally {
      await admin.disconnect();
    }
  }

  const committed = async (group: string, topic: string) => {
    const offsets = await on.kafka.committed(group, [topic]);
    return offsets.map(({ offset }) => offset).reduce((sum, offset) => sum + offset, 0);
  };

  test('puts what it cannot read aside once, says why and where from, and reads on', async () => {
    await on.broker.createTopic('poison', 1);
    const good = LINES[0]?.value ?? '';
    const poison: [string, Buffer][] = [
      ['no JSON', Buffer.from('the quick brown fox {')],
      ['cut', Buffer.from(good.slice(0, good.length / 2))],
      ['binary', Buffer.from(Array.from({ length: 2_000 }, (_, i) => (i * 7 + 128) % 256))],
      ['another type', Buffer.from('42')],
      ['deep', Buffer.from(`{"kind":"Event","apiVersion":"audit.k8s.io/v1","x":${'['.repeat(200_000)}`)],
      ['large', Buffer.alloc(60 * MIB, 'x')],
    ];
    for (const [at, [, value]] of poison.entries()) {
      await on.send('poison', [text(LINES[at]?.value ?? ''), { key: null, value, headers: {} }]);
    }
    await on.send('poison', [text(LINES[9]?.value ?? '')]);

    const folder = folderOf('poison', 'poison');
    const first = await started(folder);
    await first.live(poison.length + 1);
    expect(await first.stop()).toBe(0);
    // Another process reads all of it again, for no window is closed.
    const second = await started(folder);
    await second.live(poison.length + 1);
    expect((await second.json('/api/v1/status')).partitions[0].unreadable).toBe(poison.length);
    await second.kill();

    const letters = new Recorder();
    const headers: Record<string, string>[] = [];
    const reader = on.plain().consumer({ groupId: 'letters' });
    await reader.connect();
    drops.push(() => reader.disconnect());
    await reader.subscribe({ topic: 'poison.dead', fromBeginning: true });
    await reader.run({
      eachMessage: async ({ message }) => {
        const pairs = Object.entries(message.headers ?? {}).map(([name, value]) => [name, String(value)]);
        headers.push(Object.fromEntries(pairs));
      },
    });
    await until(() => headers.length >= poison.length, 'all letters');
    await on.read('poison.dead', {}, letters);
    await until(() => letters.ends.has('poison.dead/0'), 'the end');
    expect(letters.got).toHaveLength(poison.length);
    const told = headers.map((one) => [one['skewscope-topic'], one['skewscope-partition'], one['skewscope-offset']]);
    expect(told).toEqual(poison.map((_, at) => ['poison', '0', String(2 * at + 1)]));
    for (const one of headers) expect(one['skewscope-reason']).toMatch(/^[a-z-]+(,[a-z-]+)*$/);
    // All of a message that is not too long for it.
    expect(letters.sizes[0]).toBe(poison[0]?.[1].length);
  });

  test('reads an EventList of 20 MiB', async () => {
    await on.broker.createTopic('large', 1);
    const items: string[] = [];
    for (let bytes = 0, at = 0; bytes < 20 * MIB; at += 1) {
      const item = numbered(LINES[at % LINES.length]?.value ?? '', at);
      items.push(item);
      bytes += item.length;
    }
    const list = `{"kind":"EventList","apiVersion":"audit.k8s.io/v1","metadata":{},"items":[${items.join(',')}]}`;
    await on.send('large', [{ key: null, value: Buffer.from(list), headers: {} }]);
    const program = await started(folderOf('large', 'large'));
    await program.live(items.length);
    const { partitions, records } = await program.json('/api/v1/status');
    expect([records, partitions[0].unreadable]).toEqual([items.length, 0]);
  });

  test('reads all codecs, of topics that fit its pattern and come later, from their beginning', async () => {
    await on.broker.createTopic('codec-none', 1);
    const folder = folderOf('codecs', "'/^codec-/'");
    const program = await started(folder);
    let count = 0;
    for (const codec of ['gzip', 'snappy', 'lz4', 'zstd']) {
      const part = LINES.slice(count, count + 200).map(({ value }) => value);
      await on.broker.createTopic(`codec-${codec}`, 1);
      await on.broker.produceLines(`codec-${codec}`, codec, part);
      count += part.length;
    }
    await program.live(count);
    const { partitions, records } = await program.json('/api/v1/status');
    expect(records).toBe(count);
    expect(partitions.map(({ topic }: { topic: string }) => topic)).toHaveLength(5);
    expect(await program.stop()).toBe(0);
  });

  test('reads nothing of transactions that were aborted', async () => {
    await on.broker.createTopic('transactions', 3);
    const producer = on.plain().producer({ transactionalId: 'collector', idempotent: true, maxInFlightRequests: 1 });
    await producer.connect();
    drops.push(() => producer.disconnect());
    const part = (at: number) =>
      LINES.slice(at, at + 50).map(({ value }, i) => ({ value, partition: i % 3, headers: {} }));
    for (const [at, ends] of [
      [0, 'commit'],
      [50, 'abort'],
      [100, 'commit'],
      [150, 'abort'],
    ] as const) {
      const transaction = await producer.transaction();
      await transaction.send({ topic: 'transactions', messages: part(at) });
      await transaction[ends]();
    }
    const program = await started(folderOf('transactions', 'transactions'));
    await program.live(100);
    expect((await program.json('/api/v1/status')).records).toBe(100);
  });

  test('that began at the latest, and dies before a window closes, goes on where it began', async () => {
    await on.broker.createTopic('latest', 3);
    await sendLines('latest', LINES.slice(0, 100));
    const folder = folderOf('latest', 'latest');
    folder.configure(`
kafka: {brokers: ["${on.broker.brokers}"], topics: [latest], group: latest, from: latest}
listen: {admin: "127.0.0.1:0"}
`);
    const first = await started(folder);
    await first.until('the beginning is committed', async () => (await committed('latest', 'latest')) === 100);
    await sendLines('latest', LINES.slice(100, 105));
    await first.live(5);
    await first.kill();
    const second = await started(folder);
    await second.live(5);
    expect((await second.json('/api/v1/status')).records).toBe(5);
  });

  test('loses nothing while a receiver is away, and commits only when it has been told', async () => {
    await on.broker.createTopic('away', 3);
    const receiver = await EventReceiver.start();
    drops.push(() => receiver.stop());
    receiver.away = true;
    const folder = folderOf('away', 'away', `outputs: {webhook: [{url: "${receiver.url}"}]}`);
    const program = await started(folder, { windowMs: 20_000 });
    await sendLines('away', LINES);
    await program.live(LINES.length);
    await program.until('it was turned away for ten seconds', () => receiver.turnedAway >= 3 && program.ranMs > 10_000);
    expect(await committed('away', 'away')).toBe(0);
    expect(receiver.told).toEqual([]);
    receiver.away = false;
    await program.until('it is told', () => receiver.open.length > 1);
    await program.until('it is committed', async () => (await committed('away', 'away')) > 0);
    expect(await program.stop()).toBe(0);
    expect(receiver.repeated).toEqual([]);
  });

  test('stays up while its broker dies and comes back, and reads everything once', async () => {
    await on.broker.createTopic('broker', 3);
    const program = await started(folderOf('broker', 'broker'));
    await sendLines('broker', LINES.slice(0, 1_000));
    await program.live(1_000);
    for (const [from, to] of [
      [1_000, 1_500],
      [1_500, 2_000],
    ] as const) {
      await on.broker.kill();
      await program.until('it notices', () => program.warnings.length > 0);
      expect((await program.get('/livez')).status).toBe(200);
      await on.broker.restart();
      await sendLines('broker', LINES.slice(from, to));
      await program.live(to);
    }
    // A rebalance may make it read something again, but what it knows is whole, and nothing counts twice. The sender may
    // have sent again what the broker had when it came back, so the topic says how much there is.
    const held = await lengthOf('broker');
    expect(held).toBeGreaterThanOrEqual(2_000);
    const counted = async () => {
      const { inputs } = await program.json('/api/v1/analysis');
      return inputs.reduce((sum: number, { records }: { records: number }) => sum + records, 0);
    };
    await program.until('all of it is judged', async () => (await counted()) >= held);
    expect(await counted()).toBe(held);
    expect(await program.stop()).toBe(0);
  });
});

/** An event of its own: with another Audit-ID. */
function numbered(event: string, number: number): string {
  return event.replace(/"auditID":"[^"]{8}/, `"auditID":"${number.toString(16).padStart(8, '0')}`);
}
