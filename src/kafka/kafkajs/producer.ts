/** Producing over kafkajs: plainly, or with transactions where a transactional id is given. */

import kafkajs, {
  type CompressionTypes,
  type Kafka,
  type Producer,
  type ProducerConfig,
  type TopicMessages,
} from 'kafkajs';
import { backoffMs } from '../../outputs/delivery/backoff.js';
import { systemClock } from '../../outputs/delivery/clock.js';
import type { KafkaFailure, KafkaProducer, OutgoingMessage, PartitionOffset, ProducerOptions } from '../port.js';
import { isBusy, isFenced, kafkaFailure } from './failures.js';
import { offsetsByTopic } from './offsets.js';

const BUSY = { firstMs: 20, maxMs: 500 };
const BUSY_TRIES = 20;
/** Bytes of one request. */
const MAX_PORTION = 768 * 1024;
/** What a transaction may take before the brokers end it. */
const TRANSACTION_MS = 60_000;

/** Connects with the first message. A producer that failed is made anew with the next one. */
export class KafkajsProducer implements KafkaProducer {
  readonly #client: () => Promise<Kafka>;
  readonly #options: ProducerOptions;
  #producer: Promise<Producer> | undefined;
  /** Transactions come one after the other. */
  #last: Promise<unknown> = Promise.resolve();
  #fenced: KafkaFailure | undefined;

  constructor(client: () => Promise<Kafka>, options: ProducerOptions) {
    this.#client = client;
    this.#options = options;
  }

  async send(topic: string, messages: readonly OutgoingMessage[]): Promise<void> {
    if (messages.length === 0) return;
    if (this.#options.transactionalId !== undefined) return this.sendAtomically([{ topic, messages }], '', []);
    const { timeoutMs } = this.#options;
    await this.#with(`sending to topic ${topic}`, async (producer) => {
      await producer.send({
        topic,
        acks: -1,
        timeout: timeoutMs,
        compression: this.#compression(),
        messages: outgoing(messages),
      });
    });
  }

  sendAtomically(
    messages: readonly { readonly topic: string; readonly messages: readonly OutgoingMessage[] }[],
    groupId: string,
    offsets: readonly PartitionOffset[],
  ): Promise<void> {
    const { transactionalId } = this.#options;
    if (transactionalId === undefined) throw new Error('only a producer with a transactional id sends atomically');
    const full = messages.filter((one) => one.messages.length > 0);
    const send = () =>
      this.#with(`transaction of ${transactionalId}`, (producer) =>
        this.#transact(
          producer,
          full.map((one) => ({ topic: one.topic, messages: outgoing(one.messages) })),
          groupId,
          offsets,
        ),
      );
    const sent = this.#last.then(send);
    // The next one may go well though this one does not; whoever sent this one hears of it.
    this.#last = sent.catch(() => undefined);
    return sent;
  }

  async close(): Promise<void> {
    await this.#last;
    await this.#drop();
  }

  async #transact(
    producer: Producer,
    topicMessages: TopicMessages[],
    groupId: string,
    offsets: readonly PartitionOffset[],
  ): Promise<void> {
    const transaction = await producer.transaction();
    try {
      const { timeoutMs } = this.#options;
      for (const portion of portions(topicMessages)) {
        await transaction.sendBatch({
          topicMessages: portion,
          acks: -1,
          timeout: timeoutMs,
          compression: this.#compression(),
        });
      }
      if (offsets.length > 0) {
        const topics = offsetsByTopic(offsets);
        await whenFree(() => transaction.sendOffsets({ consumerGroupId: groupId, topics }));
      }
      await transaction.commit();
    } catch (error) {
      // When this fails too, the brokers end the transaction: for the next producer with this id, or after a while.
      if (transaction.isActive()) await transaction.abort().catch(() => undefined);
      throw error;
    }
  }

  async #with(doing: string, use: (producer: Producer) => Promise<void>): Promise<void> {
    if (this.#fenced !== undefined) throw this.#fenced;
    try {
      this.#producer ??= this.#connect();
      await use(await this.#producer);
    } catch (error) {
      const failure = kafkaFailure(error, doing);
      // Made anew, it would throw out the one that took its place.
      if (isFenced(error)) this.#fenced = failure;
      await this.#drop();
      throw failure;
    }
  }

  async #connect(): Promise<Producer> {
    const { transactionalId } = this.#options;
    const config: ProducerConfig = {
      allowAutoTopicCreation: false,
      createPartitioner: kafkajs.Partitioners.DefaultPartitioner,
    };
    const transactional = { idempotent: true, maxInFlightRequests: 1, transactionTimeout: TRANSACTION_MS };
    const kafka = await this.#client();
    const producer = kafka.producer(
      transactionalId === undefined ? config : { ...config, ...transactional, transactionalId },
    );
    try {
      await producer.connect();
    } catch (error) {
      await producer.disconnect().catch(() => undefined);
      throw error;
    }
    return producer;
  }

  async #drop(): Promise<void> {
    const producer = this.#producer;
    this.#producer = undefined;
    // One that never connected, or has lost its connection, has nothing to end.
    await producer?.then((one) => one.disconnect()).catch(() => undefined);
  }

  #compression(): CompressionTypes {
    const { CompressionTypes: types } = kafkajs;
    return { none: types.None, gzip: types.GZIP, snappy: types.Snappy, lz4: types.LZ4 }[this.#options.compression];
  }
}

/** The brokers end a transaction a little after they say so; until then a new one can't take in offsets. kafkajs gives up at once. */
async function whenFree(send: () => Promise<void>): Promise<void> {
  for (let failures = 1; ; failures++) {
    try {
      return await send();
    } catch (error) {
      if (!isBusy(error) || failures === BUSY_TRIES) throw error;
      await systemClock.sleep(backoffMs(BUSY, failures, Math.random));
    }
  }
}

/** What is sent at once to a partition has to be below the size that its topic allows, of which the default is 1 MiB. */
function portions(topicMessages: readonly TopicMessages[]): TopicMessages[][] {
  const all: TopicMessages[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const { topic, messages } of topicMessages) {
    for (const message of messages) {
      const size = message.value?.length ?? 0;
      if (bytes + size > MAX_PORTION) {
        all.push([]);
        bytes = 0;
      }
      bytes += size;
      const portion = all.at(-1) ?? [];
      const last = portion.at(-1);
      if (last?.topic === topic) last.messages.push(message);
      else portion.push({ topic, messages: [message] });
    }
  }
  return all;
}

function outgoing(messages: readonly OutgoingMessage[]): TopicMessages['messages'] {
  return messages.map(({ headers, ...rest }) => ({ ...rest, headers: { ...headers } }));
}
