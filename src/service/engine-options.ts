/** What the engine is given: rules, bounds, and everything around it. */
import type { PartitionOffset } from '../kafka/port.js';
import type { Clock } from '../outputs/delivery/clock.js';
import type { OutputBatch } from '../outputs/index.js';
import type { RuleSet } from '../rules/index.js';
import type { DeadLetters } from './dead-letters.js';
import type { ServiceOutputs } from './outputs.js';
import type { Flow, OpenStream } from './partitions.js';

export interface EngineOptions {
  readonly rules: RuleSet;
  /** Stretch of event time that is judged together, in microseconds. */
  readonly windowUs: number;
  /** Behind the present by at most so much, in microseconds: nothing is missing that matters for judging. */
  readonly readyLagUs: number;
  readonly cluster: string | undefined;
  readonly maxMessageBytes: number;
  readonly outputs: ServiceOutputs;
  readonly deadLetters: DeadLetters | undefined;
  readonly clock: Clock;
  readonly consumer: Flow & { commit(offsets: readonly PartitionOffset[]): Promise<void> };
  readonly onNote: (text: string) => void;
  /** Hears of what is as it should be. */
  readonly onNews?: (text: string) => void;
  /** What fills the topic that is read, when that is the one between the stages. */
  readonly upstream?: Upstream;
  /** Hears of every batch that goes to the outputs. */
  readonly onBatch?: (batch: OutputBatch) => void;
  /** Hears once why nothing more can be done. */
  readonly onFailure?: (error: Error) => void;
}

/** Stage one of all replicas, as stage two sees it. */
export interface Upstream {
  readonly open: OpenStream;
  /** When it was seen, in milliseconds, that all there is of the input is in the topic; undefined while it is not. */
  completeAtMs(): number | undefined;
  /** Whether the partitions that are read hold all there is of the cluster. */
  holds(cluster: string): boolean;
}
