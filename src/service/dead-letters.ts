/** Messages that cannot be read go to a topic of their own, with the reason and where they came from in headers. */
import type { KafkaProducer, OutgoingMessage } from '../kafka/port.js';
import { errorText } from '../model/error-text.js';
import { backoffMs } from '../outputs/delivery/backoff.js';
import type { Clock } from '../outputs/delivery/clock.js';
import type { DamagedMessage } from './message-reader.js';

const BACKOFF = { firstMs: 500, maxMs: 30_000 };
/** Bytes of messages that wait; whoever reads waits when there are more. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024;
/** Of each message so much is copied: the origin tells where all of it is. */
export const MAX_COPY = 512 * 1024;
const MAX_BATCH = 64;

export interface DeadLetters {
  put(message: DamagedMessage): void;
  readonly isFull: boolean;
  /** Resolves when everything that was put before is in the topic; false when the signal was aborted before. */
  settled(signal: AbortSignal): Promise<boolean>;
  stop(): Promise<void>;
}

export interface DeadLetterOptions {
  readonly topic: string;
  readonly producer: KafkaProducer;
  /** Makes the topic when it is not there. */
  readonly ensure?: () => Promise<void>;
  readonly clock: Clock;
  readonly onMessage: (text: string) => void;
}

/** Sends in the background, again and again until the topic has them. */
export class DeadLetterTopic implements DeadLetters {
  readonly #options: DeadLetterOptions;
  readonly #waiting: DamagedMessage[] = [];
  readonly #stopping = new AbortController();
  #bytes = 0;
  #put = 0;
  #settled = 0;
  #running: Promise<void> | undefined;
  #changed: (() => void)[] = [];
  #failures = 0;

  constructor(options: DeadLetterOptions) {
    this.#options = options;
  }

  get isFull(): boolean {
    return this.#bytes >= MAX_WAITING_BYTES;
  }

  put(message: DamagedMessage): void {
    // The value lies in the memory of its batch, which need not be kept for it.
    const value = Buffer.from(message.value.subarray(0, MAX_COPY));
    this.#waiting.push({ ...message, value });
    this.#bytes += value.length;
    this.#put += 1;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
  }

  async settled(signal: AbortSignal): Promise<boolean> {
    const wanted = this.#put;
    while (this.#settled < wanted) {
      if (signal.aborted || this.#stopping.signal.aborted) return false;
      await new Promise<void>((resolve) => {
        this.#changed.push(resolve);
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
    }
    return true;
  }

  /** What is still waiting will be found again: offsets are committed only behind what is settled. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#tell();
    await this.#running;
    await this.#options.producer.close();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (this.#waiting.length > 0 && !signal.aborted) {
      const batch = this.#waiting.slice(0, MAX_BATCH);
      if (!(await this.#send(batch))) continue;
      this.#waiting.splice(0, batch.length);
      for (const { value } of batch) this.#bytes -= value.length;
      this.#settled += batch.length;
      this.#tell();
    }
  }

  async #send(batch: readonly DamagedMessage[]): Promise<boolean> {
    const { producer, topic, clock, onMessage, ensure } = this.#options;
    try {
      // At the start Kafka may have been away.
      if (this.#failures > 0) await ensure?.();
      await producer.send(topic, batch.map(letter));
      this.#failures = 0;
      return true;
    } catch (error) {
      this.#failures += 1;
      const words = errorText(error);
      if (this.#failures === 1) onMessage(`dead letters cannot be written to ${topic} and wait: ${words}`);
      await clock.sleep(backoffMs(BACKOFF, this.#failures, clock.random), this.#stopping.signal);
      return false;
    }
  }

  #tell(): void {
    const waiters = this.#changed;
    this.#changed = [];
    for (const wake of waiters) wake();
  }
}

/** As it stands in the topic for what cannot be read. */
export function letter({ topic, partition, offset, value, problems }: DamagedMessage): OutgoingMessage {
  const reasons = [...new Set(problems.map(({ reason }) => reason))].join(',');
  const first = problems[0];
  return {
    key: `${topic}/${partition}`,
    value,
    headers: {
      'skewscope-reason': reasons,
      'skewscope-detail': (first?.detail ?? '').slice(0, 300),
      'skewscope-line': String(first?.origin.line ?? 1),
      'skewscope-topic': topic,
      'skewscope-partition': String(partition),
      'skewscope-offset': String(offset),
    },
  };
}
