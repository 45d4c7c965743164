/** The outputs of the service, which a new configuration may replace while it runs. */
import type { OutputsConfig } from '../config/index.js';
import type { Clock } from '../outputs/delivery/clock.js';
import { Lanes, type Output, type OutputBatch, openOutputs } from '../outputs/index.js';
import type { Metrics } from '../outputs/metrics/index.js';
import type { ServiceOutputs } from './outputs.js';
import type { SinkStatus } from './view.js';

export interface SinksOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly onMessage: (text: string) => void;
  readonly writeStdout: (text: string) => Promise<void>;
}

/** Findings of one cause come in quick succession. */
const GATHER_MS = 1_000;
/** For what the outputs of the old configuration have not sent. */
const REPLACE_MS = 10_000;

export class Sinks implements ServiceOutputs {
  readonly #options: SinksOptions;
  #lanes: Lanes;
  #config: string;

  private constructor(options: SinksOptions, lanes: Lanes, config: string) {
    this.#options = options;
    this.#lanes = lanes;
    this.#config = config;
  }

  /** Throws OutputError when an output cannot work as configured. */
  static async open(config: OutputsConfig | undefined, options: SinksOptions): Promise<Sinks> {
    return new Sinks(options, await openLanes(config, options), textOf(config));
  }

  push(batch: OutputBatch): void {
    this.#options.metrics.update(batch);
    this.#lanes.push(batch);
  }

  async room(signal: AbortSignal): Promise<void> {
    await this.#lanes.room(signal);
  }

  settled(signal: AbortSignal): Promise<boolean> {
    return this.#lanes.settled(signal);
  }

  status(): readonly SinkStatus[] {
    return this.#lanes.status();
  }

  /**
   * Opens what the new configuration names in place of what there was; true when something changed: whoever feeds them
   * tells all that holds once more. An output has its folder alone, so the old ones end first; when the new ones cannot
   * be opened the old ones come back, and it throws.
   */
  async replace(config: OutputsConfig | undefined, before: OutputsConfig | undefined): Promise<boolean> {
    if (textOf(config) === this.#config) return false;
    await this.finish(REPLACE_MS);
    try {
      this.#lanes = await openLanes(config, this.#options);
      this.#config = textOf(config);
    } catch (error) {
      this.#lanes = await openLanes(before, this.#options);
      throw error;
    }
    return true;
  }

  /** Sends what is left for at most so long; tells what is not sent. */
  async finish(deadlineMs: number): Promise<void> {
    for (const { name, waiting, refused } of await this.#lanes.finish(deadlineMs)) {
      for (const { count, reason, where } of [...waiting, ...refused]) {
        const place = where === null ? 'nothing keeps it' : `kept in ${where}`;
        this.#options.onMessage(`${name}: ${count} not delivered (${place}): ${reason}`);
      }
    }
  }
}

async function openLanes(config: OutputsConfig | undefined, options: SinksOptions): Promise<Lanes> {
  const { env, clock, metrics, onMessage, writeStdout } = options;
  const outputs: Output[] =
    config === undefined
      ? []
      : await openOutputs(config, { env, clock, metrics, onMessage, writeStdout, continuous: true });
  const onReport = (output: string, report: Parameters<Metrics['delivered']>[1]) => metrics.delivered(output, report);
  return new Lanes(outputs, { clock, onMessage, gatherMs: GATHER_MS, lossless: true, onReport });
}

function textOf(config: OutputsConfig | undefined): string {
  return JSON.stringify(config ?? null);
}
