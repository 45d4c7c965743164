/**
 * Sends what is made of one partition of the input, and commits its offsets, in transactions. The transactional id is the
 * partition's own: whoever gets the partition shuts out whoever had it before.
 */
import type { ScaleOutConfig } from '../../config/service-config.js';
import {
  type Kafka,
  KafkaFailure,
  type KafkaProducer,
  type OutgoingMessage,
  type PartitionOffset,
} from '../../kafka/port.js';
import { asError } from '../../model/error-text.js';
import { backoffMs } from '../../outputs/delivery/backoff.js';
import type { Clock } from '../../outputs/delivery/clock.js';

export interface LaneProducerOptions {
  readonly kafka: Pick<Kafka, 'producer' | 'committed'>;
  /** Consumer group of stage one. */
  readonly group: string;
  readonly compression: ScaleOutConfig['compression'];
  readonly clock: Clock;
  readonly onNote: (text: string) => void;
  /** Mends what can be mended before a transaction is tried again. Never rejects. */
  readonly beforeRetry: () => Promise<void>;
  /** Hears why nothing more can be sent. */
  readonly onFailure: (error: Error) => void;
}

export interface Sending {
  readonly topic: string;
  readonly messages: readonly OutgoingMessage[];
}

const TIMEOUT_MS = 30_000;
const RETRY = { firstMs: 200, maxMs: 5_000 };
/** Who was shut out by the new owner of the partition hears of it from the group before this. */
const HANDOVER_MS = 30_000;

export class LaneProducer {
  readonly #options: LaneProducerOptions;
  readonly #id: string;
  readonly #place: { readonly topic: string; readonly partition: number };
  readonly #opening: readonly Sending[];
  readonly #signal: AbortSignal;
  #producer: KafkaProducer | undefined;
  /** No trying again helps. */
  #isOver = false;

  /** `opening`: sent by the transaction that shuts out the producer before. Nothing more is tried when the signal is aborted. */
  constructor(
    place: { readonly topic: string; readonly partition: number },
    opening: readonly Sending[],
    signal: AbortSignal,
    options: LaneProducerOptions,
  ) {
    this.#place = place;
    this.#id = `${options.group}-${place.topic}-${place.partition}`;
    this.#opening = opening;
    this.#signal = signal;
    this.#options = options;
  }

  /** Resolves when no other producer can commit for this partition any more; false when aborted before. */
  async open(): Promise<boolean> {
    const { kafka, group, compression } = this.#options;
    return this.#tryOn('taking over', async () => {
      await this.close();
      this.#producer = kafka.producer({ transactionalId: this.#id, timeoutMs: TIMEOUT_MS, compression });
      await this.#producer.sendAtomically(this.#opening, group, []);
    });
  }

  /** All of it or nothing; true when it is committed, false when aborted before that was known. */
  async send(messages: readonly Sending[], offset: PartitionOffset): Promise<boolean> {
    let isUnsure = false;
    return this.#tryOn('writing', async () => {
      if (isUnsure) await this.#options.beforeRetry();
      // What became of the transaction that failed is known when the next producer is open.
      if (isUnsure && (!(await this.open()) || (await this.#isCommitted(offset)))) return;
      isUnsure = true;
      if (this.#producer === undefined) throw new KafkaFailure('the producer is closed', true);
      await this.#producer.sendAtomically(messages, this.#options.group, [offset]);
    });
  }

  async close(): Promise<void> {
    const producer = this.#producer;
    this.#producer = undefined;
    await producer?.close();
  }

  async #isCommitted(offset: PartitionOffset): Promise<boolean> {
    const { kafka, group } = this.#options;
    const committed = (await kafka.committed(group, [offset.topic])).find(
      ({ partition }) => partition === offset.partition,
    );
    if (committed === undefined) return false;
    return (
      committed.offset > offset.offset || (committed.offset === offset.offset && committed.metadata === offset.metadata)
    );
  }

  async #tryOn(doing: string, work: () => Promise<void>): Promise<boolean> {
    const { clock, onNote, onFailure } = this.#options;
    const { topic, partition } = this.#place;
    let hopeless = 0;
    for (let failures = 1; !this.#signal.aborted && !this.#isOver; failures += 1) {
      try {
        await work();
        break;
      } catch (error) {
        if (this.#signal.aborted) break;
        const failure = asError(error);
        const mayPass = failure instanceof KafkaFailure && failure.retry;
        if (!mayPass) hopeless += 1;
        if (hopeless > 1) {
          this.#isOver = true;
          onFailure(new Error(`stage one, ${doing} for ${topic}/${partition}: ${failure.message}`, { cause: failure }));
          break;
        }
        if (failures === 1) onNote(`stage one, ${doing} for ${topic}/${partition}: ${failure.message}; trying again`);
        await clock.sleep(mayPass ? backoffMs(RETRY, failures, clock.random) : HANDOVER_MS, this.#signal);
      }
    }
    return !this.#signal.aborted && !this.#isOver;
  }
}
