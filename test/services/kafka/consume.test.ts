/** What a real Kafka holds comes through the consumer: every codec, large messages, no values, transactions. */
import { expect, test } from '@jest/globals';
import kafkajs from 'kafkajs';
import snappyjs from 'snappyjs';
import { until } from '../../until.js';
import { KafkaOfTests, numbered, text, withKafka } from './setup.js';

withKafka('messages of a real Kafka', () => {
  const on = new KafkaOfTests();

  test('come with each codec, of its own producer and of this one', async () => {
    await on.broker.createTopic('codecs', 1);
    const java = ['snappy', 'lz4', 'zstd'].map((codec) => ({ codec, lines: numbered(`java ${codec}`, 50) }));
    await Promise.all(java.map(({ codec, lines }) => on.broker.produceLines('codecs', codec, lines)));
    const sent = java.flatMap(({ lines }) => lines);
    for (const compression of ['none', 'gzip', 'snappy', 'lz4'] as const) {
      const lines = numbered(`own ${compression}`, 50);
      const producer = on.kafka.producer({ timeoutMs: 10_000, compression });
      await producer.send(
        'codecs',
        lines.map((line) => text(line)),
      );
      sent.push(...lines);
    }
    const raw = numbered('raw snappy', 50);
    await sendRawSnappy('codecs', raw);
    sent.push(...raw);
    const { recorder } = await on.read('codecs');
    await until(() => recorder.got.length >= sent.length, 'all lines');
    expect(recorder.values().sort()).toEqual(sent.map((line) => line.slice(0, 100)).sort());
    expect(recorder.got.map(({ offset }) => offset)).toEqual(sent.map((_, i) => i));
  });

  test('come when they are far larger than a fetch, when they are empty, and when they are null', async () => {
    await on.broker.createTopic('large', 1, { 'max.message.bytes': String(32 * 2 ** 20) });
    const producer = on.kafka.producer({ timeoutMs: 20_000, compression: 'none' });
    const large = Buffer.alloc(20 * 2 ** 20, 'large ');
    await producer.send('large', [text('before')]);
    await producer.send('large', [{ key: 'node-1', value: large, headers: {} }]);
    const nothing = { key: 'node-2', value: null as unknown as Buffer, headers: {} };
    await producer.send('large', [nothing, text(''), text('after')]);
    const { recorder } = await on.read('large');
    await until(() => recorder.got.length >= 5, 'all');
    expect(recorder.sizes).toEqual([6, large.length, 0, 0, 5]);
    expect(recorder.got.map(({ server }) => server)).toEqual(['', 'node-1', 'node-2', '', '']);
  });

  test('come of aborted transactions only to who wants them, and everyone reaches the end', async () => {
    await on.broker.createTopic('transactions', 1);
    const producer = on.plain().producer({ transactionalId: 'tx', idempotent: true, maxInFlightRequests: 1 });
    await producer.connect();
    for (const [value, end] of [
      ['kept', 'commit'],
      ['dropped', 'abort'],
      ['kept too', 'commit'],
      ['dropped too', 'abort'],
    ] as const) {
      const transaction = await producer.transaction();
      await transaction.send({ topic: 'transactions', messages: [{ value }] });
      await transaction[end]();
    }
    await producer.disconnect();
    const { recorder } = await on.read('transactions');
    await until(() => recorder.ends.get('transactions/0') === 8, 'the end');
    expect(recorder.values()).toEqual(['kept', 'kept too']);
    const { recorder: all } = await on.read('transactions', { groupId: 'everything', committedOnly: false });
    await until(() => all.ends.get('transactions/0') === 8, 'the end');
    expect(all.values()).toEqual(['kept', 'dropped', 'kept too', 'dropped too']);
  });

  test('come when their transaction is committed; until then the end is before them', async () => {
    await on.broker.createTopic('open', 1);
    const producer = on.plain().producer({ transactionalId: 'open', idempotent: true, maxInFlightRequests: 1 });
    await producer.connect();
    await on.send('open', [text('settled')]);
    const transaction = await producer.transaction();
    await transaction.send({ topic: 'open', messages: [{ value: 'pending' }] });
    const { recorder } = await on.read('open');
    await until(() => recorder.ends.get('open/0') === 1, 'the end before the transaction');
    await until(() => recorder.values().includes('settled'), 'its message');
    expect(recorder.values()).toEqual(['settled']);
    await transaction.commit();
    await producer.disconnect();
    await until(() => recorder.ends.get('open/0') === 3, 'the end');
    expect(recorder.values()).toEqual(['settled', 'pending']);
  });

  test('do not come while a partition is paused, and all come afterwards', async () => {
    await on.broker.createTopic('pauses', 2);
    for (const key of ['a', 'b', 'c', 'd']) {
      await on.send(
        'pauses',
        numbered(key, 100).map((line) => text(line, key)),
      );
    }
    const { recorder, consumer } = await on.read('pauses');
    let batches = 0;
    recorder.onEach = ({ topic, partition }) => {
      batches++;
      consumer.pause([{ topic, partition }]);
    };
    await until(() => batches === 2, 'both have paused');
    const before = recorder.got.length;
    const more = ['e', 'f', 'g', 'h'];
    await on.send(
      'pauses',
      more.map((key) => text(key, key)),
    );
    // The reader of another group shows when the new ones can be read.
    const other = await on.read('pauses', { groupId: 'another' });
    await until(() => other.recorder.got.length === 404, 'the other has all');
    expect([batches, recorder.got.length]).toEqual([2, before]);
    recorder.onEach = () => {};
    consumer.resume([0, 1].map((partition) => ({ topic: 'pauses', partition })));
    await until(() => recorder.got.length === 404, 'all');
    expect(new Set(recorder.got.map(({ partition, offset }) => `${partition}/${offset}`)).size).toBe(404);
  });

  /** As librdkafka frames it: kafkajs is given another codec for these messages. */
  async function sendRawSnappy(topic: string, lines: readonly string[]): Promise<void> {
    const { CompressionCodecs, CompressionTypes } = kafkajs;
    const own = CompressionCodecs[CompressionTypes.Snappy];
    const raw = { compress: async ({ buffer }: { buffer: Buffer }) => snappyjs.compress(buffer) };
    CompressionCodecs[CompressionTypes.Snappy] = () => raw;
    const producer = on.plain().producer();
    try {
      await producer.connect();
      const messages = lines.map((value) => ({ value }));
      await producer.send({ topic, compression: CompressionTypes.Snappy, messages });
    } finally {
      CompressionCodecs[CompressionTypes.Snappy] = own;
      await producer.disconnect();
    }
  }
});
