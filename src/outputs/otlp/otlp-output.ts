/** The output that sends spans and log records to an OTLP receiver, and keeps what it could not send yet. */
import { type Clock, systemClock } from '../delivery/clock.js';
import { FolderInUse } from '../delivery/spool/folder-lock.js';
import { endedOrAborted } from '../delivery/wait.js';
import { type DeliveryReport, type Output, type OutputBatch, OutputError } from '../output.js';
import { Backlog } from './backlog.js';
import { Drain } from './drain.js';
import { encodeLogs, encodeSpans, type Payload } from './encode.js';
import { Poster } from './post.js';
import type { OtlpSettings } from './settings.js';
import { TelemetryBuilder } from './telemetry.js';
import { loadTls } from './tls.js';

export interface OtlpOutputOptions {
  /** In place of the settings' own. */
  readonly ratio: number;
  /** Where unsent messages outlive the process; null: memory only. */
  readonly folder: string | null;
  /** Of unsent messages. While there is more, no new batch is taken. */
  readonly maxBytes: number;
  readonly clock: Clock;
  /** What an operator must know and no report holds. */
  readonly onMessage: (message: string) => void;
}

export const OTLP_OUTPUT: OtlpOutputOptions = {
  ratio: 1,
  folder: null,
  maxBytes: 64 * 2 ** 20,
  clock: systemClock,
  onMessage: () => {},
};

/**
 * What is left out has the value of OTLP_OUTPUT, the ratio that of the settings. Throws OtlpSettingsError when a certificate cannot be used.
 *
 * @example createOtlpOutput(otlpSettings({ endpoint: 'http://localhost:4318' }, process.env))
 */
export function createOtlpOutput(settings: OtlpSettings, options: Partial<OtlpOutputOptions> = {}): Output {
  return new OtlpOutput(settings, { ...OTLP_OUTPUT, ratio: settings.ratio, ...options });
}

interface Running {
  readonly backlog: Backlog;
  readonly drain: Drain;
}

class OtlpOutput implements Output {
  readonly name: string;
  readonly #builder: TelemetryBuilder;
  readonly #posters: Readonly<Record<'traces' | 'logs', Poster>>;
  readonly #closing = new AbortController();
  #running: Promise<Running> | undefined;
  #closed: Promise<void> | undefined;

  constructor(
    readonly settings: OtlpSettings,
    readonly options: OtlpOutputOptions,
  ) {
    this.name = `otlp ${settings.traces.url.host}`;
    this.#builder = new TelemetryBuilder(options);
    this.#posters = {
      traces: new Poster(settings.traces, loadTls(settings.traces)),
      logs: new Poster(settings.logs, loadTls(settings.logs)),
    };
  }

  async open(): Promise<void> {
    await this.#start();
  }

  async deliver(batch: OutputBatch, signal: AbortSignal = NEVER): Promise<DeliveryReport> {
    const { backlog, drain } = await this.#start();
    const until = AbortSignal.any([signal, this.#closing.signal]);
    if (!(await backlog.room(until))) return { ...this.#report(backlog, drain), postponed: true };
    for (const payload of this.#payloads(batch)) {
      const failure = await backlog.put(payload);
      if (failure !== undefined) this.#say(`the spool cannot be written, messages are kept in memory only: ${failure}`);
    }
    while (backlog.size > 0 && !until.aborted) await endedOrAborted(backlog.changed, until);
    return this.#report(backlog, drain);
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  /** Findings first: they are few, and the ones that nobody should wait for. */
  #payloads(batch: OutputBatch): Payload[] {
    const { spans, records } = this.#builder.build(batch);
    return [...encodeLogs(records, this.settings.logs.protocol), ...encodeSpans(spans, this.settings.traces.protocol)];
  }

  #report(backlog: Backlog, drain: Drain): DeliveryReport {
    const { stored, inMemory } = backlog.waiting;
    const { delivered, refused, answer } = drain.take();
    const reason = drain.failure === '' ? 'not sent yet' : drain.failure;
    const waiting = [
      { count: stored, reason, where: this.options.folder },
      { count: inMemory, reason, where: null },
    ];
    return {
      delivered,
      known: 0,
      waiting: waiting.filter(({ count }) => count > 0),
      refused,
      ...(answer === undefined ? {} : { answer }),
    };
  }

  #start(): Promise<Running> {
    if (this.#closing.signal.aborted) return Promise.reject(new Error(`${this.name} is closed`));
    this.#running ??= this.#open();
    return this.#running;
  }

  async #open(): Promise<Running> {
    const backlog = await openBacklog(this.options);
    if (backlog.damaged > 0) {
      this.#say(
        `${backlog.damaged} damaged lines in ${this.options.folder} are left out: they cannot be sent any more`,
      );
    }
    const send = (payload: Payload, signal: AbortSignal) =>
      this.#posters[payload.signal === 'logs' ? 'logs' : 'traces'].post(payload, signal);
    const drain = new Drain(backlog, send, this.options.clock);
    drain.start();
    return { backlog, drain };
  }

  async #close(): Promise<void> {
    this.#closing.abort();
    // One that never opened has told so already.
    const running = await this.#running?.catch(() => undefined);
    await running?.drain.stop();
    for (const poster of Object.values(this.#posters)) poster.close();
    await running?.backlog.close();
  }

  #say(message: string): void {
    this.options.onMessage(`${this.name}: ${message}`);
  }
}

const NEVER = new AbortController().signal;

async function openBacklog(options: OtlpOutputOptions): Promise<Backlog> {
  try {
    return await Backlog.open(options);
  } catch (error) {
    if (error instanceof FolderInUse) throw new OutputError(error.message, { cause: error });
    const words = error instanceof Error ? error.message : String(error);
    throw new OutputError(`the spool ${options.folder} cannot be used: ${words}; give a folder that can be written`, {
      cause: error,
    });
  }
}
