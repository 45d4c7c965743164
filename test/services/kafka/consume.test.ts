/** What a real Kafka holds comes through the consumer: every codec, large messages, nothing, transactions. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import kafkajs from 'kafkajs';
import snappyjs from 'snappyjs';
import { createKafka } from '../../../src/kafka/kafkajs/index.js';
import type { ConsumerOptions, Kafka, OutgoingMessage } from '../../../src/kafka/port.js';
import { INSTALL_TIMEOUT_MS, whyNoKafka } from './install.js';
import { type RunningKafka, startKafka } from './kafka.js';
import { Recorder, until } from './recorder.js';

const missing = whyNoKafka();
if (missing !== undefined) console.warn(`skipped: ${missing}`);
const withKafka = missing === undefined ? describe : describe.skip;

const SENDER = { serverHeaders: [], clusterHeaders: [], key: 'auto', topic: undefined } as const;
const text = (value: string): OutgoingMessage => ({ key: null, value: Buffer.from(value), headers: {} });
const numbered = (name: string, count: number) =>
  Array.from({ length: count }, (_, i) => `${name} ${i} ${'x'.repeat(200)}`);

withKafka('consuming from a real Kafka', () => {
  let broker: RunningKafka;
  let kafka: Kafka;
  const messages: string[] = [];

  beforeAll(async () => {
    broker = await startKafka();
    kafka = connect();
  }, INSTALL_TIMEOUT_MS);
  afterEach(async () => {
    await kafka.close();
  });
  afterAll(async () => {
    await broker?.stop();
  });

  const connect = () =>
    createKafka(
      { brokers: broker.brokers, clientId: 'test' },
      { onMessage: (level, line) => messages.push(`${level} ${line}`), topicsMs: 200, endCheckMs: 200 },
    );
  const read = async (topic: string | RegExp, more: Partial<ConsumerOptions> = {}) => {
    const recorder = new Recorder();
    const consumer = kafka.consumer({
      groupId: `group of ${topic}`,
      topics: [topic],
      from: 'earliest',
      committedOnly: true,
      sender: SENDER,
      ...more,
    });
    await consumer.start(recorder);
    return { recorder, consumer };
  };

  test("each codec, by Kafka's own producer and by this one", async () => {
    await broker.createTopic('codecs', 1);
    const sent: string[] = [];
    for (const codec of ['none', 'gzip', 'snappy', 'lz4', 'zstd']) {
      const lines = numbered(`java ${codec}`, 50);
      await broker.produceLines('codecs', codec, lines);
      sent.push(...lines);
    }
    for (const compression of ['none', 'gzip', 'snappy', 'lz4'] as const) {
      const lines = numbered(`own ${compression}`, 50);
      const producer = kafka.producer({ timeoutMs: 10_000, compression });
      await producer.send('codecs', lines.map(text));
      sent.push(...lines);
    }
    const { recorder } = await read('codecs');
    await until('all lines', () => recorder.got.length >= sent.length);
    expect(recorder.values()).toEqual(sent.map((line) => line.slice(0, 100)));
    expect(recorder.got.map(({ offset }) => offset)).toEqual(sent.map((_, i) => i));
  }, 60_000);
});
