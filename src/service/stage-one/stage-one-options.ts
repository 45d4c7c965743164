/** What stage one is given: where it reads and writes, and everything around it. */
import type { ScaleOutConfig } from '../../config/service-config.js';
import type { Kafka } from '../../kafka/port.js';
import type { Clock } from '../../outputs/delivery/clock.js';
import type { Flow } from '../partitions.js';

/** The topic between the stages. How many partitions it has is known when Kafka has said so, before anything is read. */
export interface Between extends ScaleOutConfig {
  partitions: number;
}

export interface StageOneOptions {
  readonly kafka: Pick<Kafka, 'producer' | 'committed'>;
  readonly consumer: Flow;
  /** Group of the engine; that of stage one is `decodeGroup` of it. */
  readonly group: string;
  readonly scaleOut: Between;
  /** Makes the topic for what cannot be read. Never rejects. */
  readonly ensureDeadLetters?: () => Promise<void>;
  readonly deadLetters: string | undefined;
  /** Of messages that name none. */
  readonly cluster: string | undefined;
  readonly maxMessageBytes: number;
  readonly clock: Clock;
  readonly onNote: (text: string) => void;
  /** Hears once why nothing more can be done. */
  readonly onFailure: (error: Error) => void;
  /** For tests: see Together and LaneOptions. */
  readonly lingerMs?: number;
  readonly settleMs?: number;
  readonly stallMs?: number;
}
