/** What a running service consists of. Whoever opens it notes each part here, so that what is open can always be ended. */
import type { Kafka, KafkaConsumer } from '../kafka/port.js';
import type { DeadLetters } from './dead-letters.js';
import type { Engine } from './engine.js';
import type { AdminServer } from './http/index.js';
import type { Receiver } from './receiver.js';
import type { ScaleOut } from './scale-out.js';
import type { Sinks } from './sinks.js';
import type { Status } from './status.js';

export interface Parts {
  sinks?: Sinks;
  kafka?: Kafka;
  /** Where messages go that cannot be read; only when a topic for them is configured. */
  deadLetters?: DeadLetters;
  /** Only when replicas share the work. */
  scaleOut?: ScaleOut;
  /** Of the engine: reads the topics, or the one between the stages. */
  consumer?: KafkaConsumer;
  engine?: Engine;
  status?: Status;
  /** The page and the interface; only when they are served. */
  admin?: AdminServer;
  /** The audit webhook; only when it is served. */
  receiver?: Receiver;
  /** Ends the watch for blind spots. */
  endWatch?: () => void;
}
