/** The outputs of the service, which a new configuration may replace while it runs. */
import type { OutputsConfig } from '../config/index.js';
import { errorText } from '../model/error-text.js';
import type { Clock } from '../outputs/delivery/clock.js';
import { refusedText, waitingText } from '../outputs/delivery/delivery-news.js';
import { endedOrAborted } from '../outputs/delivery/wait.js';
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
  /** While outputs are replaced: what comes meanwhile is for the new ones. */
  #held: { readonly batches: OutputBatch[]; readonly over: Promise<void> } | undefined;
  /** There are no outputs any more: neither the new nor the old ones could be opened. */
  #broken: Error | undefined;

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
    if (this.#held === undefined) this.#lanes.push(batch);
    else this.#held.batches.push(batch);
  }

  /** Rejects when an output sends no more. */
  async room(signal: AbortSignal): Promise<void> {
    await this.#replaced(signal);
    await this.#lanes.room(signal);
  }

  /** Rejects when an output sends no more. */
  async settled(signal: AbortSignal): Promise<boolean> {
    await this.#replaced(signal);
    return signal.aborted ? false : this.#lanes.settled(signal);
  }

  async #replaced(signal: AbortSignal): Promise<void> {
    if (this.#held !== undefined) await endedOrAborted(this.#held.over, signal);
    if (this.#broken !== undefined) throw this.#broken;
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
    let release = () => {};
    const over = new Promise<void>((resolve) => {
      release = resolve;
    });
    const held = { batches: [], over };
    this.#held = held;
    try {
      await this.finish(REPLACE_MS);
      await this.#reopen(config, before);
    } finally {
      this.#held = undefined;
      for (const batch of held.batches) this.#lanes.push(batch);
      release();
    }
    return true;
  }

  async #reopen(config: OutputsConfig | undefined, before: OutputsConfig | undefined): Promise<void> {
    try {
      this.#lanes = await openLanes(config, this.#options);
      this.#config = textOf(config);
    } catch (error) {
      try {
        this.#lanes = await openLanes(before, this.#options);
      } catch (second) {
        this.#broken = new Error(`no outputs any more: ${errorText(error)}; nor the old ones: ${errorText(second)}`);
      }
      throw error;
    }
  }

  /** Sends what is left for at most so long; tells what is not sent. Never rejects. */
  async finish(deadlineMs: number): Promise<void> {
    const { onMessage } = this.#options;
    try {
      for (const { name, waiting, refused } of await this.#lanes.finish(deadlineMs)) {
        for (const entry of waiting) {
          const lost = entry.where === null ? '; nothing keeps it now' : '';
          onMessage(`${name}: not delivered: ${waitingText(entry)}${lost}`);
        }
        for (const entry of refused) onMessage(`${name}: not delivered: ${refusedText(entry)}`);
      }
    } catch (error) {
      onMessage(`outputs did not end as they should: ${errorText(error)}`);
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
