/** Takes over the partitions that the group gave to this replica, and finds out where each goes on. */
import type { Assigned, PartitionOffset } from '../../kafka/port.js';
import { errorText } from '../../model/error-text.js';
import { backoffMs } from '../../outputs/delivery/backoff.js';
import type { ReaderContext } from '../message-reader.js';
import type { PartitionStream } from '../partition-stream.js';
import type { Partition, Partitions } from '../partitions.js';
import { Lane, type LaneOptions } from './lane.js';
import { LaneProducer, type LaneProducerOptions } from './lane-producer.js';
import { markersOf } from './markers.js';
import { type Progress, readProgress, writeProgress } from './progress.js';

export interface OpenLanesOptions extends LaneProducerOptions {
  /** The group that read the input when there was but one stage: where that one was, stage one begins. */
  readonly before: string;
  readonly partitions: Partitions<PartitionStream>;
  readonly context: ReaderContext;
  readonly lane: LaneOptions;
}

const RETRY = { firstMs: 200, maxMs: 5_000 };

/** Empty when the signal was aborted before all are open. */
export async function openLanes(
  assigned: readonly Assigned[],
  signal: AbortSignal,
  options: OpenLanesOptions,
): Promise<Lane[]> {
  const { partitions, context, lane } = options;
  const producers = assigned.map(({ topic, partition }) => {
    const state = { topic, partition, us: null, end: false };
    const opening = [{ topic: lane.topic, messages: markersOf([state], lane.partitions) }];
    return new LaneProducer({ topic, partition }, opening, signal, options);
  });
  const close = () => Promise.allSettled(producers.map((producer) => producer.close()));
  // Only when the producer before is shut out, what is committed stays as it is.
  const opened = await Promise.all(producers.map((producer) => producer.open()));
  const placed = opened.every(Boolean) ? await whereToBegin(assigned, signal, options) : undefined;
  if (placed === undefined || signal.aborted) {
    await close();
    return [];
  }
  partitions.replace(
    placed.map(({ one }) => one),
    options.clock.now(),
    context,
  );
  const lanes = placed.flatMap(({ one, state }, at) => {
    const own: Partition<PartitionStream> | undefined = partitions.of(one);
    const producer = producers[at];
    if (own === undefined || producer === undefined) return [];
    own.committed = one.begin;
    return [new Lane(own, producer, state, lane)];
  });
  const published = await Promise.all(
    placed.map(async ({ one: { topic, partition, begin }, state }, at) =>
      producers[at]?.send([], { topic, partition, offset: begin, metadata: writeProgress(state) }),
    ),
  );
  if (published.every(Boolean) && !signal.aborted) return lanes;
  await close();
  return [];
}

interface Placed {
  readonly one: Assigned;
  readonly state: Progress;
}

async function whereToBegin(
  assigned: readonly Assigned[],
  signal: AbortSignal,
  { kafka, group, before, clock, onNote }: OpenLanesOptions,
): Promise<Placed[] | undefined> {
  const topics = [...new Set(assigned.map(({ topic }) => topic))];
  for (let failures = 1; !signal.aborted; failures += 1) {
    try {
      const own = byPlace(await kafka.committed(group, topics));
      const isNew = assigned.some((one) => !own.has(placeOf(one)));
      const earlier = isNew ? byPlace(await kafka.committed(before, topics)) : own;
      return assigned.map((one) => placedAt(one, own.get(placeOf(one)) ?? earlier.get(placeOf(one))));
    } catch (error) {
      const words = errorText(error);
      if (failures === 1) onNote(`stage one: where to begin is not known yet: ${words}`);
      await clock.sleep(backoffMs(RETRY, failures, clock.random), signal);
    }
  }
  return undefined;
}

function placedAt(one: Assigned, committed: PartitionOffset | undefined): Placed {
  const begin = committed === undefined ? one.begin : Math.max(committed.offset, one.low);
  const us = readProgress(committed?.metadata)?.us ?? null;
  return { one: { ...one, committed, begin }, state: { us, end: begin >= one.high } };
}

function byPlace(offsets: readonly PartitionOffset[]): Map<string, PartitionOffset> {
  return new Map(offsets.map((one) => [placeOf(one), one]));
}

function placeOf({ topic, partition }: { readonly topic: string; readonly partition: number }): string {
  return `${topic}/${partition}`;
}
