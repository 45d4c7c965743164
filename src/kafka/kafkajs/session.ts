/** One membership in a consumer group, for a fixed list of topics, from joining until it is left or fails. */
import type { Cluster, Consumer, ConsumerCrashEvent, EachBatchPayload, Kafka } from 'kafkajs';
import { asError } from '../../model/error-text.js';
import { backoffMs } from '../../outputs/delivery/backoff.js';
import type { Clock } from '../../outputs/delivery/clock.js';
import { partitionKey } from '../assignment.js';
import type { Allocate } from '../pack.js';
import {
  type Assigned,
  type ConsumerHandlers,
  type ConsumerOptions,
  KafkaFailure,
  type PartitionOffset,
  type TopicPartition,
} from '../port.js';
import { senderReader } from '../sender.js';
import { byTopic, stickyAssigner } from './assigner.js';
import { readAssigned, whereToBegin, whereToGoOn } from './begin.js';
import { watchEnds } from './ends.js';
import { explain } from './failures.js';
import { fetchFast } from './fast-fetch.js';
import { Membership } from './membership.js';
import type { OnMessage } from './messages.js';
import { readBounds } from './offsets.js';
import { type KafkajsBatch, Place, type SkippedRange } from './place.js';
import { HandlerError, timesOf } from './session-parts.js';

export interface SessionOptions extends ConsumerOptions {
  readonly topicNames: readonly string[];
  readonly clock: Clock;
  readonly tell: OnMessage;
  /** How often partitions at their end are looked at, in milliseconds. */
  readonly endCheckMs: number;
  /** How long a fetch waits for messages, in milliseconds. */
  readonly maxWaitMs: number;
  readonly allocate?: Allocate | undefined;
  /** After how long without a sign of life the group goes on without this member, in milliseconds. */
  readonly sessionMs: number;
  /** What this member read last, so that it is given the same again. Filled in by the session. */
  readonly memory: { partitions: readonly TopicPartition[]; generation: number };
}

const RETRY = { firstMs: 200, maxMs: 5_000 };

export class Session {
  /** Resolves when the session is over: with the reason when it was not stopped. */
  readonly ended: Promise<Error | undefined>;
  readonly #options: SessionOptions;
  readonly #handlers: ConsumerHandlers;
  readonly #consumer: Consumer;
  readonly #places = new Map<string, Place>();
  readonly #stopped = new AbortController();
  #cluster: Cluster | undefined;
  /** Counts assignments; what began under an earlier one counts no more. */
  #assignment = 0;
  readonly #member = new Membership();
  /** Aborted when a partition is resumed. */
  #resumed = new AbortController();
  #end: (error: Error | undefined) => void = () => {};

  constructor(kafka: Kafka, options: SessionOptions, handlers: ConsumerHandlers) {
    this.#options = options;
    this.#handlers = handlers;
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    const assigner = stickyAssigner({
      onCluster: (cluster) => {
        this.#cluster = cluster;
        fetchFast(cluster, () => [...this.#places.values()].some(({ open, paused }) => paused || !open));
      },
      onJoining: () => this.#revoke(),
      owned: () => options.memory,
    });
    this.#consumer = kafka.consumer({
      ...timesOf(options.sessionMs),
      groupId: options.groupId,
      partitionAssigners: [assigner],
      maxWaitTimeInMs: options.maxWaitMs,
      allowAutoTopicCreation: false,
      readUncommitted: !options.committedOnly,
      // Whoever made the session makes the next.
      retry: { retries: 5, initialRetryTime: 200, maxRetryTime: 5_000, restartOnFailure: async () => false },
    });
  }

  /** Resolves when the group has been joined. Rejects as kafkajs does when it cannot be reached; `ended` tells what fails later. */
  async start(): Promise<void> {
    const { GROUP_JOIN, HEARTBEAT, END_BATCH_PROCESS, CRASH } = this.#consumer.events;
    this.#consumer.on(HEARTBEAT, ({ payload }) => {
      if (this.#places.size === 0) return;
      this.#options.memory.generation = this.#member.heard(payload.memberId, Number(payload.groupGenerationId));
    });
    this.#consumer.on(END_BATCH_PROCESS, ({ payload }) => this.#skipped(payload));
    this.#consumer.on(CRASH, ({ payload }: ConsumerCrashEvent) => {
      this.#over();
      this.#end(payload.error);
    });
    const joined = new Promise<void>((resolve) => {
      this.#consumer.on(GROUP_JOIN, ({ payload }) => {
        this.#assigned(payload.memberAssignment);
        resolve();
      });
    });
    await this.#consumer.connect();
    await this.#consumer.subscribe({ topics: [...this.#options.topicNames], fromBeginning: true });
    void watchEnds(
      this.#places,
      () => this.#cluster,
      this.#options,
      this.#stopped.signal,
      (call) => this.#guard(call),
    );
    await this.#consumer.run({
      autoCommit: false,
      eachBatchAutoResolve: false,
      eachBatch: (payload) => this.#eachBatch(payload),
    });
    const failed = await Promise.race([joined, this.ended]);
    if (failed instanceof Error) throw failed;
  }

  pause(list: readonly TopicPartition[]): void {
    const places = this.#find(list);
    for (const place of places) place.paused = true;
    this.#consumer.pause(grouped(places));
  }

  resume(list: readonly TopicPartition[]): void {
    const places = this.#find(list);
    for (const place of places) place.paused = false;
    this.#consumer.resume(grouped(places.filter(({ open }) => open)));
    this.#resumed.abort();
    this.#resumed = new AbortController();
    // Later, since whoever resumes may be in the middle of something.
    queueMicrotask(() =>
      this.#guard(() => {
        for (const place of places) if (this.#isCurrent(place)) place.hand();
      }),
    );
  }

  async commit(offsets: readonly PartitionOffset[]): Promise<void> {
    const { groupId } = this.#options;
    const strange = offsets.find((one) => !this.#places.has(partitionKey(one)));
    if (strange !== undefined) {
      throw new KafkaFailure(`committing offsets of group ${groupId}: ${partitionKey(strange)} is not assigned`, false);
    }
    await this.#member.commit(this.#cluster, groupId, offsets);
  }

  async members(): Promise<number> {
    return (await this.#consumer.describeGroup()).members.length;
  }

  async stop(): Promise<void> {
    this.#over();
    await this.#consumer.disconnect();
    this.#end(undefined);
  }

  #over(): void {
    this.#stopped.abort();
    this.#revoke();
  }

  #revoke(): void {
    this.#assignment++;
    this.#member.lose();
    this.#resumed.abort();
    this.#resumed = new AbortController();
    if (this.#places.size === 0) return;
    this.#places.clear();
    this.#guard(() => this.#handlers.onRevoked());
  }

  #assigned(given: Readonly<Record<string, readonly number[]>>): void {
    const list = Object.entries(given).flatMap(([topic, partitions]) =>
      partitions.map((partition) => ({ topic, partition })),
    );
    const { memory, sender, allocate, tell } = this.#options;
    memory.partitions = list;
    for (const { topic, partition } of list) {
      const place = new Place(topic, partition, senderReader(sender, topic), this.#handlers, allocate);
      this.#places.set(partitionKey(place), place);
    }
    // Nothing is fetched until it is known where to begin.
    this.#consumer.pause(grouped(list));
    const assignment = this.#assignment;
    void this.#begin([...this.#places.values()], async (cluster, places) => {
      const assigned = await readAssigned(cluster, this.#options, places, tell);
      // Brokers may answer when the group has given others: whoever read those would be told to read these again.
      if (this.#assignment !== assignment) return new Map();
      return whereToBegin(assigned, await this.#ask(assigned), tell);
    });
  }

  /** Tries until the brokers tell where to begin, or the assignment is over. */
  async #begin(
    places: readonly Place[],
    find: (cluster: Cluster, places: readonly Place[]) => Promise<Map<string, { position: number; high: number }>>,
  ): Promise<void> {
    const assignment = this.#assignment;
    const { clock, tell } = this.#options;
    for (let failures = 1; this.#assignment === assignment && this.#cluster !== undefined; failures++) {
      try {
        if (failures > 1) await this.#cluster.refreshMetadata();
        const positions = await find(this.#cluster, places);
        if (this.#assignment === assignment) this.#open(places, positions);
        return;
      } catch (error) {
        if (error instanceof HandlerError) return this.#handlers.onCrash(error.reason);
        tell('warn', `Kafka: where to begin is not known yet: ${explain(error)}`);
        await clock.sleep(backoffMs(RETRY, failures, clock.random), this.#stopped.signal);
      }
    }
  }

  #open(places: readonly Place[], positions: ReadonlyMap<string, { position: number; high: number }>): void {
    for (const place of places) {
      const { topic, partition } = place;
      const { position, high } = positions.get(partitionKey(place)) ?? place;
      this.#consumer.seek({ topic, partition, offset: String(position) });
      place.begin(position, high);
    }
    this.#consumer.resume(grouped(places.filter(({ paused }) => !paused)));
    this.#guard(() => {
      for (const place of places) place.tellEnd();
    });
  }

  async #ask(assigned: readonly Assigned[]): Promise<readonly PartitionOffset[]> {
    try {
      return await this.#handlers.onAssigned(assigned);
    } catch (error) {
      throw new HandlerError(error);
    }
  }

  async #eachBatch({ batch, resolveOffset, heartbeat }: EachBatchPayload): Promise<void> {
    const place = this.#places.get(partitionKey(batch));
    const taken = place?.take(batch as KafkajsBatch) ?? 'ignored';
    if (place === undefined || taken === 'ignored') return;
    if (taken === 'gap') return this.#goOn(place);
    resolveOffset(batch.lastOffset());
    this.#guard(() => place.hand());
    await this.#whileAllPaused(heartbeat);
  }

  #skipped({ topic, partition, firstOffset, lastOffset, highWatermark }: SkippedRange & TopicPartition): void {
    const place = this.#places.get(partitionKey({ topic, partition }));
    const taken = place?.skip({ firstOffset, lastOffset, highWatermark });
    if (place === undefined || taken === undefined) return;
    if (taken === 'gap') this.#goOn(place);
    if (taken === 'taken') this.#guard(() => place.tellEnd());
  }

  /** Seeks to where the partition should go on; when that is gone, to what is left. */
  #goOn(place: Place): void {
    place.open = false;
    this.#consumer.pause(grouped([place]));
    void this.#begin([place], async (cluster) => {
      const bounds = (await readBounds(cluster, [place])).get(partitionKey(place)) ?? { low: 0, high: 0 };
      const position = whereToGoOn(place, place.position, bounds, this.#options.tell);
      return new Map([[partitionKey(place), { position, high: bounds.high }]]);
    });
  }

  /** kafkajs sleeps when there is nothing to fetch; here it goes on at once when something is resumed. */
  async #whileAllPaused(heartbeat: () => Promise<void>): Promise<void> {
    const assignment = this.#assignment;
    const allPaused = () => [...this.#places.values()].every(({ paused }) => paused);
    while (assignment === this.#assignment && allPaused()) {
      await this.#options.clock.sleep(timesOf(this.#options.sessionMs).heartbeatInterval, this.#resumed.signal);
      if (assignment === this.#assignment) await heartbeat();
    }
  }

  /** A handler that throws is a mistake of this program; going on would lose what it did not take. */
  #guard(call: () => void): void {
    try {
      call();
    } catch (error) {
      this.#over();
      this.#handlers.onCrash(asError(error));
    }
  }

  #find(list: readonly TopicPartition[]): Place[] {
    return list.flatMap((one) => this.#places.get(partitionKey(one)) ?? []);
  }

  #isCurrent(place: Place): boolean {
    return this.#places.get(partitionKey(place)) === place;
  }
}

function grouped(list: readonly TopicPartition[]): { topic: string; partitions: number[] }[] {
  return Object.entries(byTopic(list)).map(([topic, partitions]) => ({ topic, partitions }));
}
