/** The Kafka port over kafkajs, which is loaded with the first use. */
import { type Clock, systemClock } from '../../outputs/delivery/clock.js';
import type { Allocate } from '../pack.js';
import type { Kafka } from '../port.js';
import type { KafkaSettings } from '../settings.js';
import { lazyConsumer, lazyProducer } from './lazy.js';
import { createTeller, type OnMessage } from './messages.js';

export interface KafkaOptions {
  /** What an operator should know; without secrets, and not the same thing over and over. */
  readonly onMessage?: OnMessage;
  readonly clock?: Clock;
  /** How often to look for new topics, in milliseconds: 30 s unless given. */
  readonly topicsMs?: number;
  /** How often `onEnd` is called while a partition stays at its end, in milliseconds: 5 s unless given. */
  readonly endCheckMs?: number;
  /** In place of that of the settings. */
  readonly sessionMs?: number;
  /** How long the brokers may take for one answer, in milliseconds: 30 s unless given. */
  readonly timeoutMs?: number;
  /** How often a request is tried again before it fails: 3 times unless given. */
  readonly retries?: number;
  /** Gives the memory of batches: new for each unless given. */
  readonly allocate?: Allocate;
}

/** How long a fetch waits for messages: it is also how long kafkajs sleeps when it has nothing to fetch. */
const MAX_WAIT_MS = 500;
const SESSION_MS = 20_000;

/** @example createKafka({ brokers: ['kafka:9092'], clientId: 'skewscope' }, { onMessage: (level, text) => log[level](text) }) */
export function createKafka(settings: KafkaSettings, options: KafkaOptions = {}): Kafka {
  const {
    onMessage = () => {},
    clock = systemClock,
    topicsMs = 30_000,
    endCheckMs = 5_000,
    timeoutMs = 30_000,
    sessionMs = settings.sessionMs ?? SESSION_MS,
    retries = 3,
    allocate,
  } = options;
  const teller = createTeller(onMessage, clock);
  const opened = new Set<() => Promise<void>>();
  const client = async (requestMs = timeoutMs) => {
    const { kafkajsClient } = await import('./client.js');
    return kafkajsClient(settings, { teller, timeoutMs: requestMs, retries });
  };
  return {
    consumer(consumerOptions) {
      const consumer = lazyConsumer(async () => {
        const { KafkajsConsumer } = await import('./consumer.js');
        const times = { clock, topicsMs, endCheckMs, maxWaitMs: MAX_WAIT_MS, sessionMs, allocate };
        return new KafkajsConsumer(consumerOptions, { ...times, tell: teller.tell, client: () => client() });
      });
      opened.add(() => consumer.stop());
      return consumer;
    },
    producer(producerOptions) {
      const producer = lazyProducer(async () => {
        const { KafkajsProducer } = await import('./producer.js');
        return new KafkajsProducer(() => client(producerOptions.timeoutMs), producerOptions);
      });
      opened.add(() => producer.close());
      return producer;
    },
    async committed(groupId, topics) {
      const [kafka, { committedOffsets }] = await Promise.all([client(), import('./admin.js')]);
      return committedOffsets(kafka, groupId, topics);
    },
    async ensureTopic(topic, partitions, topicSettings = {}) {
      const [kafka, { ensureTopic }] = await Promise.all([client(), import('./admin.js')]);
      return ensureTopic(kafka, topic, partitions, topicSettings);
    },
    async close() {
      await Promise.all([...opened].map((end) => end()));
      opened.clear();
    },
  };
}
