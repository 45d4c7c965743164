/** Joins the two stages that share the work of several replicas: the topic between them, stage one, and what the engine needs to be stage two. */
import type { KafkaConfig, ScaleOutConfig } from '../config/service-config.js';
import type { Kafka, KafkaConsumer, SenderRules } from '../kafka/port.js';
import { KafkaFailure } from '../kafka/port.js';
import { backoffMs } from '../outputs/delivery/backoff.js';
import type { Clock } from '../outputs/delivery/clock.js';
import { decodeGroup, StageOne, type StageOneOptions } from './stage-one/stage-one.js';
import { StageTwo } from './stage-two/stage-two.js';

export interface ScaleOutOptions extends Pick<StageOneOptions, 'lingerMs' | 'settleMs' | 'stallMs'> {
  readonly kafka: Kafka;
  readonly section: Pick<KafkaConfig, 'group' | 'topics' | 'committedOnly' | 'sender' | 'deadLetters'>;
  readonly scaleOut: ScaleOutConfig;
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
  /** Begins to read the input. */
  start(): Promise<void>;
  /** Takes nothing more of the input, writes what was taken, and leaves the group of stage one. */
  stop(signal: AbortSignal): Promise<void>;
}

const DAY_MS = 24 * 60 * 60_000;
/** Windows that the topic between the stages must be able to give once more. */
const KEPT_WINDOWS = 3;
const MAX_BLOCK_BYTES = 8 * 1024 * 1024;
const RETRY = { firstMs: 500, maxMs: 5_000 };
const TRIES = 8;
const NOBODY: SenderRules = { serverHeaders: [], clusterHeaders: [], key: 'ignore', topic: undefined };

/** Resolves when the topic is there. Throws Error with what to do when it is not and cannot be made. */
export async function openScaleOut(options: ScaleOutOptions): Promise<ScaleOut> {
  const { kafka, section, from, clock, onNote } = options;
  const scaleOut = await withPartitions(options);
  const input = kafka.consumer({
    groupId: decodeGroup(section.group),
    topics: section.topics,
    from,
    committedOnly: section.committedOnly,
    sender: section.sender,
  });
  const stageOne = new StageOne({ ...options, ...section, scaleOut, consumer: input });
  const { topic, partitions } = scaleOut;
  const stageTwo = new StageTwo({
    topic,
    partitions,
    together: stageOne.together,
    readyLagUs: options.readyLagMs * 1_000,
    now: clock.now,
    onNote,
    ...(options.stallMs === undefined ? {} : { stallMs: options.stallMs }),
  });
  const consumer = kafka.consumer({
    groupId: section.group,
    topics: [topic],
    from: 'earliest',
    committedOnly: true,
    sender: NOBODY,
  });
  return {
    stageOne,
    stageTwo,
    consumer,
    async start() {
      stageOne.start();
      await input.start(stageOne);
    },
    async stop(signal) {
      await stageOne.stop(signal);
      await input.stop();
    },
  };
}

/** The topic as it is; made when it is not there. */
async function withPartitions({ kafka, scaleOut, windowMs, clock, onNote }: ScaleOutOptions): Promise<ScaleOutConfig> {
  const settings = {
    'cleanup.policy': 'delete',
    'retention.ms': String(Math.max(DAY_MS, KEPT_WINDOWS * windowMs)),
    'max.message.bytes': String(MAX_BLOCK_BYTES),
  };
  const { topic } = scaleOut;
  for (let failures = 1; ; failures += 1) {
    try {
      const partitions = await kafka.ensureTopic(topic, scaleOut.partitions, settings);
      if (partitions > 0) {
        if (partitions !== scaleOut.partitions) {
          onNote(
            `${topic} has ${partitions} partitions, not ${scaleOut.partitions} as kafka.scaleOut says: ${partitions} are used`,
          );
        }
        return { ...scaleOut, partitions };
      }
      throw new KafkaFailure(`making topic ${topic}: it is not there yet`, true);
    } catch (error) {
      const mayPass = error instanceof KafkaFailure && error.retry;
      if (!mayPass || failures >= TRIES) {
        const words = error instanceof Error ? error.message : String(error);
        throw new Error(
          `the topic ${topic} between the stages cannot be made: ${words}; make it with ${scaleOut.partitions} partitions and a retention of ${settings['retention.ms']} ms or more, or allow this user to`,
          { cause: error },
        );
      }
      await clock.sleep(backoffMs(RETRY, failures, clock.random));
    }
  }
}
