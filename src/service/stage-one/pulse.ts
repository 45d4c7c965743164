/** Tells stage two about twice a second how far the partitions of this replica are, while anything goes on in the input. */
import type { ScaleOutConfig } from '../../config/service-config.js';
import type { Kafka, KafkaProducer } from '../../kafka/port.js';
import { errorText } from '../../model/error-text.js';
import type { Clock } from '../../outputs/delivery/clock.js';
import type { PartitionState } from './block-format.js';
import type { Lane } from './lane.js';
import { markersOf } from './markers.js';

export interface PulseOptions {
  readonly kafka: Pick<Kafka, 'producer'>;
  readonly scaleOut: ScaleOutConfig;
  readonly clock: Clock;
  readonly onNote: (text: string) => void;
}

const EVERY_MS = 500;
const TIMEOUT_MS = 10_000;
/** States in one message. */
const MAX_STATES = 200;

export class Pulse {
  readonly #options: PulseOptions;
  readonly #producer: KafkaProducer;
  #sentAtMs = Number.NEGATIVE_INFINITY;
  #sent = '';
  #changes = 0;
  #sending: Promise<void> | undefined;
  #failures = 0;

  constructor(options: PulseOptions) {
    this.#options = options;
    this.#producer = options.kafka.producer({ timeoutMs: TIMEOUT_MS, compression: 'none' });
  }

  /** Sends what the lanes have in the topic, if it is time and something is new; `changes` counts what others do. */
  beat(lanes: readonly Lane[], changes: number): void {
    const now = this.#options.clock.now();
    if (lanes.length === 0 || this.#sending !== undefined || now - this.#sentAtMs < EVERY_MS) return;
    this.#sentAtMs = now;
    const states = lanes.map(stateOf);
    const text = JSON.stringify(states);
    if (text === this.#sent && changes === this.#changes) return;
    this.#sent = text;
    this.#changes = changes;
    this.#sending = this.#send(states).finally(() => {
      this.#sending = undefined;
    });
  }

  /** The lanes are others: all is told again. */
  anew(): void {
    this.#sent = '';
  }

  async stop(): Promise<void> {
    await this.#sending;
    await this.#producer.close();
  }

  async #send(states: readonly PartitionState[]): Promise<void> {
    const { topic, partitions } = this.#options.scaleOut;
    try {
      for (let at = 0; at < states.length; at += MAX_STATES) {
        await this.#producer.send(topic, markersOf(states.slice(at, at + MAX_STATES), partitions));
      }
      this.#failures = 0;
    } catch (error) {
      this.#sent = '';
      this.#failures += 1;
      const words = errorText(error);
      if (this.#failures === 3) this.#options.onNote(`how far this replica is cannot be written to ${topic}: ${words}`);
    }
  }
}

/** What was taken and is not in the topic yet is still to come. */
function stateOf({ stream: { topic, partition }, state, isClean }: Lane): PartitionState {
  return { topic, partition, us: state.us, end: state.end && isClean };
}
