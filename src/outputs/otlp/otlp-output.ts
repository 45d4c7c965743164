/** The output that takes spans and log records to their receiver, and keeps what it does not have yet. */
import { errorText } from '../../model/error-text.js';
import { plural } from '../../report/text/page.js';
import { type Clock, systemClock } from '../delivery/clock.js';
import { Pump } from '../delivery/pump.js';
import type { SendResult } from '../delivery/sink.js';
import { recallDeadLetters } from '../delivery/spool/dead-letters.js';
import { FolderInUse } from '../delivery/spool/folder-lock.js';
import { Tally } from '../delivery/tally.js';
import { endedOrAborted } from '../delivery/wait.js';
import {
  type DeliveryReport,
  NOTHING_RECALLED,
  type Output,
  type OutputBatch,
  OutputError,
  type Recalled,
  type Undelivered,
} from '../output.js';
import { Backlog, parsePayload } from './backlog.js';
import { encodeLogs, encodeSpans, type Payload } from './encode.js';
import { Poster } from './post.js';
import type { OtlpSettings, Protocol } from './settings.js';
import { TelemetryBuilder, type TelemetryOptions } from './telemetry.js';
import { TelemetryBox, type TelemetryLetter } from './telemetry-box.js';
import { TelemetryNews } from './telemetry-news.js';
import { loadTls } from './tls.js';
import { MAX_TOLD, ToldLog } from './told-log.js';

export interface OtlpOutputOptions {
  /** Where unsent messages outlive the process; null: memory only. */
  readonly folder: string | null;
  /** Of unsent messages. While there is more, no new batch is taken. */
  readonly maxBytes: number;
  /** Requests and log records that are remembered as told. */
  readonly maxTold: number;
  readonly clock: Clock;
  /** What an operator must know and no report holds. */
  readonly onMessage: (message: string) => void;
}

export const OTLP_OUTPUT: OtlpOutputOptions = {
  folder: null,
  maxBytes: 64 * 2 ** 20,
  maxTold: MAX_TOLD,
  clock: systemClock,
  onMessage: () => {},
};

/** What takes messages of one signal: a collector, or a file. */
export interface OtlpReceiver {
  readonly protocol: Protocol;
  /** Tries once; every failure is a result. Ends soon after the signal is aborted. */
  post(payload: Payload, signal: AbortSignal): Promise<SendResult>;
  close(): void;
}

/** A signal without a receiver is not sent. */
export interface OtlpTarget {
  readonly name: string;
  readonly telemetry: TelemetryOptions;
  readonly traces?: OtlpReceiver;
  readonly logs?: OtlpReceiver;
}

/**
 * Of traces and logs what the settings have. What is left out has the value of OTLP_OUTPUT. Throws OtlpSettingsError when
 * a certificate cannot be used.
 *
 * @example createOtlpOutput(otlpSettings({ endpoint: 'http://localhost:4318' }, process.env))
 */
export function createOtlpOutput(
  { traces, logs, telemetry }: OtlpSettings,
  options: Partial<OtlpOutputOptions> = {},
): Output {
  const host = (traces ?? logs)?.url.host ?? 'nowhere';
  const target = {
    name: `otlp ${host}`,
    telemetry,
    ...(traces === undefined ? {} : { traces: new Poster(traces, loadTls(traces), host) }),
    ...(logs === undefined ? {} : { logs: new Poster(logs, loadTls(logs), host) }),
  };
  return outputTo(target, options);
}

/** What is left out has the value of OTLP_OUTPUT. */
export function outputTo(target: OtlpTarget, options: Partial<OtlpOutputOptions> = {}): Output {
  return new OtlpOutput(target, { ...OTLP_OUTPUT, ...options });
}

interface Running {
  readonly backlog: Backlog;
  readonly told: ToldLog;
  readonly pump: Pump<TelemetryLetter>;
  readonly news: TelemetryNews;
}

const BACKOFF = { firstMs: 1_000, maxMs: 60_000 };

class OtlpOutput implements Output {
  readonly name: string;
  readonly #builder: TelemetryBuilder;
  readonly #tally = new Tally();
  readonly #closing = new AbortController();
  #running: Promise<Running> | undefined;
  #opened: Running | undefined;
  #closed: Promise<void> | undefined;

  constructor(
    readonly target: OtlpTarget,
    readonly options: OtlpOutputOptions,
  ) {
    const { name, telemetry, traces, logs } = target;
    this.name = name;
    this.#builder = new TelemetryBuilder({
      ...telemetry,
      signals: { traces: traces !== undefined, logs: logs !== undefined },
    });
  }

  async open(): Promise<void> {
    await this.#start();
  }

  async deliver(batch: OutputBatch, signal: AbortSignal = NEVER): Promise<DeliveryReport> {
    const running = await this.#start();
    const { backlog } = running;
    const until = AbortSignal.any([signal, this.#closing.signal]);
    if (!(await backlog.room(until))) return { ...this.#report(running), postponed: true };
    for (const payload of this.#payloads(batch, running)) await this.#put(payload, backlog);
    while (backlog.size > 0 && !until.aborted) await endedOrAborted(backlog.changed, until);
    return this.#report(running);
  }

  waiting(): readonly Undelivered[] {
    return this.#opened === undefined ? [] : this.#waitingIn(this.#opened);
  }

  async recall(): Promise<Recalled> {
    const { folder } = this.options;
    const { backlog } = await this.#start();
    if (folder === null) return NOTHING_RECALLED;
    let taken = 0;
    const { kept, unreadable } = await recallDeadLetters(folder, async (letters) => {
      for await (const letter of letters) {
        const payload = letter.entry === undefined ? undefined : parsePayload(letter.entry.payload);
        if (payload === undefined) letter.setAside();
        else if (this.#receiver(payload.signal) === undefined) letter.keep();
        else {
          taken += payload.count;
          await this.#put(payload, backlog);
        }
      }
    });
    return { taken, superseded: 0, unwanted: kept, unreadable };
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  /** Findings first: they are few, and the ones that nobody should wait for. */
  #payloads(batch: OutputBatch, { news }: Running): Payload[] {
    const { traces, logs, telemetry } = this.target;
    const { spans, records } = this.#builder.build(batch);
    const { batch: size } = telemetry;
    return [
      ...(logs === undefined ? [] : encodeLogs(news.of(records), logs.protocol, size?.logs)),
      ...(traces === undefined ? [] : encodeSpans(news.of(spans), traces.protocol, size?.traces)),
    ];
  }

  async #put(payload: Payload, backlog: Backlog): Promise<void> {
    const failure = await backlog.put(payload);
    if (failure !== undefined) this.#say(`the spool cannot be written, messages are kept in memory only: ${failure}`);
  }

  #report(running: Running): DeliveryReport {
    return this.#tally.report(this.#waitingIn(running));
  }

  #waitingIn({ backlog, pump }: Running): Undelivered[] {
    const { stored, inMemory } = backlog.waiting;
    const { delay } = pump;
    return [
      { count: stored, ...delay, where: this.options.folder },
      { count: inMemory, ...delay, where: null },
    ];
  }

  #start(): Promise<Running> {
    if (this.#closing.signal.aborted) return Promise.reject(new Error(`${this.name} is closed`));
    this.#running ??= this.#open();
    return this.#running;
  }

  async #open(): Promise<Running> {
    const { folder, clock } = this.options;
    const { backlog, told } = await openFolder(this.options);
    if (backlog.damaged > 0) {
      this.#say(
        `${plural(backlog.damaged, 'damaged line')} left out in ${folder}: what it held cannot be sent any more`,
      );
    }
    await this.#sort(backlog, told);
    const box = new TelemetryBox(backlog, told, this.#tally, {
      name: this.name,
      folder,
      now: clock.now,
      send: (payload, signal) => this.#post(payload, signal),
      say: (message) => this.#say(message),
    });
    const pump = new Pump(box, BACKOFF, clock);
    pump.start();
    this.#opened = { backlog, told, pump, news: new TelemetryNews(backlog, told, this.#tally) };
    return this.#opened;
  }

  /** A process that ended between the receiver's answer and its own removal has left what is told already. */
  async #sort(backlog: Backlog, told: ToldLog): Promise<void> {
    let unwanted = 0;
    for (const entry of [...backlog.entries]) {
      const off = this.#receiver(entry.signal) === undefined;
      if (off) unwanted += entry.count;
      const known = entry.keys.length > 0 && entry.keys.every((key) => told.covers(key));
      if (off || known) await backlog.settle(entry);
    }
    if (unwanted > 0)
      this.#say(
        `${plural(unwanted, 'waiting span or log record', 'waiting spans or log records')} given up: the signal is switched off`,
      );
  }

  async #post(payload: Payload, signal: AbortSignal): Promise<SendResult> {
    const receiver = this.#receiver(payload.signal);
    if (receiver === undefined) return { outcome: 'refused', reason: `${payload.signal} are switched off` };
    return receiver.post(payload, signal);
  }

  #receiver(signal: Payload['signal']): OtlpReceiver | undefined {
    return signal === 'metrics' ? undefined : this.target[signal];
  }

  async #close(): Promise<void> {
    this.#closing.abort();
    // One that never opened has told so already.
    const running = await this.#running?.catch(() => undefined);
    await running?.pump.stop();
    this.target.traces?.close();
    this.target.logs?.close();
    await running?.told.close();
    await running?.backlog.close();
  }

  #say(message: string): void {
    this.options.onMessage(`${this.name}: ${message}`);
  }
}

const NEVER = new AbortController().signal;

async function openFolder(options: OtlpOutputOptions): Promise<{ backlog: Backlog; told: ToldLog }> {
  let backlog: Backlog | undefined;
  try {
    backlog = await Backlog.open(options);
    return { backlog, told: await ToldLog.open({ folder: options.folder, maxKeys: options.maxTold }) };
  } catch (error) {
    await backlog?.close();
    if (error instanceof FolderInUse) throw new OutputError(error.message, { cause: error });
    const words = errorText(error);
    throw new OutputError(`the spool ${options.folder} cannot be used: ${words}; give a folder that can be written`, {
      cause: error,
    });
  }
}
