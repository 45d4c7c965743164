/** What the tests with a real Kafka share: skipping where there is none, one broker and client for a file, messages. */
import { afterAll, afterEach, beforeAll, describe } from '@jest/globals';
import kafkajs from 'kafkajs';
import { createKafka, type KafkaOptions } from '../../../src/kafka/kafkajs/index.js';
import type { ConsumerOptions, Kafka, KafkaConsumer, OutgoingMessage } from '../../../src/kafka/port.js';
import type { KafkaSettings } from '../../../src/kafka/settings.js';
import { INSTALL_TIMEOUT_MS, whyNoKafka } from './install.js';
import { type RunningKafka, startKafka } from './kafka.js';
import { Recorder } from './recorder.js';

const missing = whyNoKafka();
if (missing !== undefined) console.warn(`skipped: ${missing}`);
/** A `describe` whose tests are skipped where no Kafka can be run. */
export function withKafka(name: string, tests: () => void): void {
  (missing === undefined ? describe : describe.skip)(name, tests);
}

const SENDER = { serverHeaders: [], clusterHeaders: [], key: 'auto', topic: undefined } as const;

export const text = (value: string, key: string | null = null): OutgoingMessage => ({
  key,
  value: Buffer.from(value),
  headers: {},
});

export const numbered = (name: string, count: number): string[] =>
  Array.from({ length: count }, (_, i) => `${name} ${i} ${'x'.repeat(200)}`);

/** One broker for all tests of a `describe`; clients are closed after each test. */
export class KafkaOfTests {
  readonly messages: string[] = [];
  readonly #opened: Kafka[] = [];
  #broker: RunningKafka | undefined;
  #kafka: Kafka | undefined;

  constructor(options: Parameters<typeof startKafka>[0] = {}) {
    beforeAll(async () => {
      this.#broker = await startKafka(options);
    }, INSTALL_TIMEOUT_MS);
    afterEach(async () => {
      await Promise.all(this.#opened.splice(0).map((one) => one.close()));
      this.#kafka = undefined;
    });
    afterAll(async () => {
      await this.#broker?.stop();
    });
  }

  get broker(): RunningKafka {
    if (this.#broker === undefined) throw new Error('the broker is not started');
    return this.#broker;
  }

  /** The same one for all of a test. */
  get kafka(): Kafka {
    this.#kafka ??= this.connect();
    return this.#kafka;
  }

  connect(settings: Partial<KafkaSettings> = {}, options: KafkaOptions = {}): Kafka {
    const kafka = createKafka(
      { brokers: this.broker.brokers, clientId: 'test', ...settings },
      {
        onMessage: (level, line) => this.messages.push(`${level} ${line}`),
        topicsMs: 200,
        endCheckMs: 200,
        sessionMs: 6_000,
        ...options,
      },
    );
    this.#opened.push(kafka);
    return kafka;
  }

  /** kafkajs itself, for what the port does not do. */
  plain(): InstanceType<typeof kafkajs.Kafka> {
    return new kafkajs.Kafka({ brokers: [...this.broker.brokers], logLevel: kafkajs.logLevel.NOTHING });
  }

  async send(topic: string, messages: readonly OutgoingMessage[], kafka = this.kafka): Promise<void> {
    await kafka.producer({ timeoutMs: 10_000, compression: 'none' }).send(topic, messages);
  }

  async read(
    topic: string | RegExp,
    more: Partial<ConsumerOptions> = {},
    recorder = new Recorder(),
    kafka = this.kafka,
  ): Promise<{ recorder: Recorder; consumer: KafkaConsumer }> {
    const groupId = `group of ${topic}`;
    const consumer = kafka.consumer({
      groupId,
      topics: [topic],
      from: 'earliest',
      committedOnly: true,
      sender: SENDER,
      ...more,
    });
    await consumer.start(recorder);
    return { recorder, consumer };
  }
}
