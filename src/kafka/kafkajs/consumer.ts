/** A consumer that goes on: one session after the other, as topics come and go and connections fail. */
import type { Admin, Kafka } from 'kafkajs';
import { backoffMs } from '../../outputs/delivery/backoff.js';
import type { Clock } from '../../outputs/delivery/clock.js';
import type { Allocate } from '../pack.js';
import {
  type ConsumerHandlers,
  type ConsumerOptions,
  type KafkaConsumer,
  KafkaFailure,
  type PartitionOffset,
  type TopicPartition,
} from '../port.js';
import { explain, isHopeless, isHopelessAtStart, kafkaFailure } from './failures.js';
import type { OnMessage } from './messages.js';
import { Session } from './session.js';
import { type FoundTopics, findTopics } from './topics.js';

export interface ConsumerContext {
  readonly client: () => Promise<Kafka>;
  readonly clock: Clock;
  readonly tell: OnMessage;
  /** How often to look for topics that are new or missing, in milliseconds. */
  readonly topicsMs: number;
  readonly endCheckMs: number;
  readonly maxWaitMs: number;
  readonly sessionMs: number;
  readonly allocate?: Allocate | undefined;
}

const RETRY = { firstMs: 500, maxMs: 5_000 };
/** A session that lasted so long worked; the next failure is a first one. */
const SETTLED_MS = 60_000;

export class KafkajsConsumer implements KafkaConsumer {
  readonly #options: ConsumerOptions;
  readonly #context: ConsumerContext;
  readonly #stopped = new AbortController();
  readonly #memory = { partitions: [] as readonly TopicPartition[], generation: 0 };
  #session: Session | undefined;
  #admin: Admin | undefined;
  #running: Promise<void> | undefined;

  constructor(options: ConsumerOptions, context: ConsumerContext) {
    this.#options = options;
    this.#context = context;
  }

  start(handlers: ConsumerHandlers): Promise<void> {
    if (this.#running !== undefined) throw new Error('a consumer is started once');
    return new Promise((resolve, reject) => {
      this.#running = this.#run(handlers, resolve, reject);
    });
  }

  pause(partitions: readonly TopicPartition[]): void {
    this.#session?.pause(partitions);
  }

  resume(partitions: readonly TopicPartition[]): void {
    this.#session?.resume(partitions);
  }

  async commit(offsets: readonly PartitionOffset[]): Promise<void> {
    if (offsets.length === 0) return;
    if (this.#session === undefined) throw new KafkaFailure('committing offsets: this group is not joined now', false);
    await this.#session.commit(offsets);
  }

  async members(): Promise<number> {
    return (await this.#session?.members()) ?? 0;
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#running;
  }

  /** Ends when the consumer is stopped or an error is beyond mending; `ready` is called once, when the group is joined or waits for topics. */
  async #run(handlers: ConsumerHandlers, ready: () => void, fail: (error: Error) => void): Promise<void> {
    const { clock, tell } = this.#context;
    let started = false;
    const whenReady = () => {
      started = true;
      ready();
    };
    for (let failures = 0; !this.#stopped.signal.aborted; ) {
      const begun = clock.now();
      try {
        await this.#oneSession(handlers, whenReady);
        failures = 0;
      } catch (error) {
        const doing = `consuming as group ${this.#options.groupId}`;
        if (started ? isHopeless(error) : isHopelessAtStart(error)) {
          if (started) handlers.onCrash(kafkaFailure(error, doing));
          else fail(new KafkaFailure(`${doing}: ${explain(error)}`, false, { cause: error }));
          break;
        }
        failures = clock.now() - begun > SETTLED_MS ? 1 : failures + 1;
        tell('warn', `${doing}: ${explain(error)}; trying again`);
        await clock.sleep(backoffMs(RETRY, failures, clock.random), this.#stopped.signal);
      }
    }
    await this.#admin?.disconnect().catch((error) => tell('warn', `Kafka: disconnecting: ${explain(error)}`));
    if (!started) fail(new KafkaFailure('the consumer was stopped before the group was joined', false));
  }

  /** Resolves when the consumer is stopped, or when other topics are to be read. */
  async #oneSession(handlers: ConsumerHandlers, ready: () => void): Promise<void> {
    const { client, tell, topicsMs } = this.#context;
    const { topics } = this.#options;
    const kafka = await client();
    if (this.#admin === undefined) {
      const admin = kafka.admin();
      await admin.connect();
      this.#admin = admin;
    }
    const found = await findTopics(this.#admin, topics);
    if (found.missing.length > 0) {
      const which = found.missing.map((name) => JSON.stringify(name)).join(', ');
      tell(
        'warn',
        `no topic ${which} is there yet, or this user may not see it; looking again every ${topicsMs / 1000} s`,
      );
    }
    if (found.names.length === 0) {
      if (found.missing.length === 0)
        tell('warn', `no topic fits ${topics.join(', ')} yet; looking again every ${topicsMs / 1000} s`);
      ready();
      await this.#untilOtherTopics(this.#admin, found, this.#stopped.signal);
      return;
    }
    await this.#readTopics(kafka, this.#admin, found, handlers, ready);
  }

  async #readTopics(
    kafka: Kafka,
    admin: Admin,
    found: FoundTopics,
    handlers: ConsumerHandlers,
    ready: () => void,
  ): Promise<void> {
    const { clock, tell, endCheckMs, maxWaitMs, sessionMs, allocate } = this.#context;
    const session = new Session(
      kafka,
      {
        ...this.#options,
        topicNames: found.names,
        clock,
        tell,
        endCheckMs,
        maxWaitMs,
        sessionMs,
        allocate,
        memory: this.#memory,
      },
      handlers,
    );
    this.#session = session;
    const over = new AbortController();
    const end = () => over.abort();
    this.#stopped.signal.addEventListener('abort', end, { once: true });
    void session.ended.then(end);
    try {
      await Promise.race([session.start(), aborted(over.signal)]);
      if (!over.signal.aborted) ready();
      await this.#untilOtherTopics(admin, found, over.signal);
    } finally {
      this.#stopped.signal.removeEventListener('abort', end);
      this.#session = undefined;
      await session.stop().catch((error) => tell('warn', `Kafka: leaving the group: ${explain(error)}`));
    }
    const error = await session.ended;
    if (error !== undefined) throw error;
  }

  /** Resolves when there are other topics to read than those, or when the signal is aborted. */
  async #untilOtherTopics(admin: Admin, found: FoundTopics, signal: AbortSignal): Promise<void> {
    const { clock, tell, topicsMs } = this.#context;
    const { topics } = this.#options;
    const known = String(found.names);
    if (found.missing.length === 0 && topics.every((one) => typeof one === 'string')) return aborted(signal);
    while (!signal.aborted) {
      await clock.sleep(topicsMs, signal);
      if (signal.aborted) return;
      try {
        const now = await findTopics(admin, topics);
        if (String(now.names) === known) continue;
        tell('info', `topics to read are now ${now.names.join(', ')}`);
        return;
      } catch (error) {
        tell('warn', `Kafka: topics are not known: ${explain(error)}`);
      }
    }
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
