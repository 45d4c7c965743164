/** Joins the two stages that share the work of several replicas: the topic between them, stage one, and what the engine needs to be stage two. */
import type { KafkaConfig } from '../config/service-config.js';
import type { Kafka, KafkaConsumer, SenderRules } from '../kafka/port.js';
import { KafkaFailure } from '../kafka/port.js';
import { errorText } from '../model/error-text.js';
import { backoffMs } from '../outputs/delivery/backoff.js';
import type { Clock } from '../outputs/delivery/clock.js';
import { plural } from '../report/text/page.js';
import { unlessAborted } from './bounded-wait.js';
import type { Engine } from './engine.js';
import { decodeGroup, StageOne } from './stage-one/stage-one.js';
import type { Between, StageOneOptions } from './stage-one/stage-one-options.js';
import { StageTwo } from './stage-two/stage-two.js';

export interface ScaleOutOptions
  extends Pick<StageOneOptions, 'lingerMs' | 'settleMs' | 'stallMs' | 'ensureDeadLetters'> {
  readonly kafka: Kafka;
  readonly section: Pick<KafkaConfig, 'group' | 'topics' | 'committedOnly' | 'sender' | 'deadLetters'>;
  readonly scaleOut: NonNullable<KafkaConfig['scaleOut']>;
  /** Where a new group begins; see ConsumerOptions. */
  readonly from: 'latest' | 'earliest' | number;
  /** Of event time that is judged together. */
  readonly windowMs: number;
  readonly readyLagMs: number;
  readonly cluster: string | undefined;
  readonly maxMessageBytes: number;
  readonly clock: Clock;
  readonly onNote: (text: string) => void;
  readonly onFailure: (error: Error) => void;
}

export interface ScaleOut {
  readonly stageOne: StageOne;
  readonly stageTwo: StageTwo;
  /** Reads the topic between the stages, for the engine. */
  readonly consumer: KafkaConsumer;
  /** Makes the topic, and begins to read it and the input. Waits while Kafka is away. Throws Error with what to do, or the signal's reason. */
  start(engine: Engine, signal?: AbortSignal): Promise<void>;
  /** Takes nothing more of the input, writes what was taken, and leaves the group of stage one. */
  stop(signal: AbortSignal): Promise<void>;
}

const DAY_MS = 24 * 60 * 60_000;
/** Windows that the topic between the stages must be able to give once more. */
const KEPT_WINDOWS = 3;
const MAX_BLOCK_BYTES = 8 * 1024 * 1024;
const RETRY = { firstMs: 500, maxMs: 5_000 };
const NEVER = new AbortController().signal;
const NOBODY: SenderRules = { serverHeaders: [], clusterHeaders: [], key: 'ignore', topic: undefined };

/** Both stages, of which nothing is connected yet. */
export function createScaleOut(options: ScaleOutOptions): ScaleOut {
  const { kafka, section, from, clock, onNote } = options;
  const between: Between = { ...options.scaleOut };
  const input = kafka.consumer({
    groupId: decodeGroup(section.group),
    topics: section.topics,
    from,
    committedOnly: section.committedOnly,
    sender: section.sender,
  });
  const stageOne = new StageOne({ ...options, ...section, scaleOut: between, consumer: input });
  const stageTwo = new StageTwo({
    between,
    together: stageOne.together,
    readyLagUs: options.readyLagMs * 1_000,
    now: clock.now,
    onNote,
    ...(options.stallMs === undefined ? {} : { stallMs: options.stallMs }),
  });
  const consumer = kafka.consumer({
    groupId: section.group,
    topics: [between.topic],
    from: 'earliest',
    committedOnly: true,
    sender: NOBODY,
  });
  return {
    stageOne,
    stageTwo,
    consumer,
    async start(engine, signal = NEVER) {
      between.partitions = await partitionsOf(options, signal);
      if (signal.aborted) return;
      stageTwo.attach(engine);
      stageOne.start();
      await unlessAborted(consumer.start(engine), signal);
      await unlessAborted(input.start(stageOne), signal);
    },
    async stop(signal) {
      await stageOne.stop(signal);
      await input.stop();
    },
  };
}

/** Number of partitions that the topic has; it is made when it is not there. Waits while Kafka is away. */
async function partitionsOf(options: ScaleOutOptions, signal: AbortSignal): Promise<number> {
  const { kafka, scaleOut, windowMs, clock, onNote } = options;
  const retentionMs = Math.max(DAY_MS, KEPT_WINDOWS * windowMs);
  const settings = {
    'cleanup.policy': 'delete',
    'retention.ms': String(retentionMs),
    'max.message.bytes': String(MAX_BLOCK_BYTES),
  };
  const { topic } = scaleOut;
  for (let failures = 1; ; failures += 1) {
    try {
      const partitions = await kafka.ensureTopic(topic, scaleOut.partitions, settings);
      if (partitions === 0) throw new KafkaFailure(`making topic ${topic}: it is not there yet`, true);
      if (partitions !== scaleOut.partitions) {
        onNote(
          `${topic} has ${plural(partitions, 'partition')}, not ${scaleOut.partitions} as kafka.scaleOut says, and keeps to that`,
        );
      }
      return partitions;
    } catch (error) {
      const words = errorText(error);
      const advice = `make it with ${plural(scaleOut.partitions, 'partition')} and a retention of at least ${retentionMs} ms, or allow this user to`;
      const told = `the topic ${topic} between the stages is not there and cannot be made: ${words}; ${advice}`;
      if (!(error instanceof KafkaFailure && error.retry)) throw new Error(told, { cause: error });
      if (failures === 1) onNote(told);
      await clock.sleep(backoffMs(RETRY, failures, clock.random), signal);
      signal.throwIfAborted();
    }
  }
}
