/** An Output that loses nothing: plans what is new to the receiver, keeps it in a queue, sends it until it is settled. */
import {
  type DeliveryReport,
  NOTHING_RECALLED,
  type Output,
  type OutputBatch,
  type Recalled,
  type Undelivered,
} from '../output.js';
import { reasonText } from './attempt.js';
import type { BackoffOptions } from './backoff.js';
import { type Clock, systemClock } from './clock.js';
import { Ledger } from './ledger.js';
import { NoticeBox, type NoticeBoxOptions } from './notice-box.js';
import { type PlanOptions, planNotices } from './plan.js';
import { Pump } from './pump.js';
import { recallNotices } from './recall.js';
import { Reminder } from './reminder.js';
import { type Letter, Settler } from './settler.js';
import type { Sink } from './sink.js';
import { openSpool, type Spool, type SpoolOptions } from './spool/index.js';
import { Tally } from './tally.js';
import { endedOrAborted } from './wait.js';

export interface DeliveryOptions extends PlanOptions, NoticeBoxOptions, SpoolOptions {
  readonly backoff: BackoffOptions;
  /** Whether open incidents are sent again from time to time; in a single run nobody stays to do so. */
  readonly continuous: boolean;
  readonly clock: Clock;
  /** What an operator must know and no report holds. */
  readonly onMessage: (message: string) => void;
}

export const DELIVERY: DeliveryOptions = {
  minSeverity: 'info',
  group: 'finding',
  storm: { limit: 20, windowMs: 10 * 60_000 },
  backoff: { firstMs: 1_000, maxMs: 5 * 60_000 },
  timeoutMs: 10_000,
  maxAgeMs: 24 * 3_600_000,
  folder: null,
  maxBytes: 64 * 2 ** 20,
  fsync: 'always',
  continuous: false,
  clock: systemClock,
  onMessage: () => {},
};

/** What is left out has the value of DELIVERY. */
export function createReliableOutput(sink: Sink, options: Partial<DeliveryOptions> = {}): Output {
  return new ReliableOutput(sink, { ...DELIVERY, ...options });
}

interface Running {
  readonly spool: Spool;
  readonly pump: Pump<Letter>;
}

class ReliableOutput implements Output {
  readonly #tally = new Tally();
  readonly #ledger = new Ledger();
  /** Findings that an earlier process told: each is counted once. */
  readonly #counted = new Set<string>();
  readonly #closing = new AbortController();
  readonly #reminder: Reminder | undefined;
  #running: Promise<Running> | undefined;
  #opened: Running | undefined;
  #closed: Promise<void> | undefined;

  constructor(
    readonly sink: Sink,
    readonly options: DeliveryOptions,
  ) {
    this.#reminder = sink.remindMs === undefined ? undefined : new Reminder(sink, sink.remindMs, this.#ledger, options);
  }

  get name(): string {
    return this.sink.name;
  }

  async open(): Promise<void> {
    await this.#start();
  }

  async deliver(batch: OutputBatch, signal: AbortSignal = NEVER): Promise<DeliveryReport> {
    const running = await this.#start();
    const { queue } = running.spool;
    const until = AbortSignal.any([signal, this.#closing.signal]);
    if (!(await queue.room(until))) return { ...this.#report(running), postponed: true };
    const now = this.options.clock.now();
    const { changes, findings, complete = false, anew = false } = batch;
    if (anew) this.#ledger.readAnew();
    const { notices, known } = planNotices(changes, findings, this.#ledger, this.options, now, complete);
    await queue.put(notices);
    const settled = this.#settledBefore(known, queue);
    this.#tally.known(settled);
    this.#reminder?.hold(batch.findings);
    while (queue.size > 0 && !until.aborted) await endedOrAborted(queue.changed, until);
    // An earlier process told them, and does not remind the receiver any more.
    const forgotten = settled > 0 && !until.aborted ? ((await this.#reminder?.remind(until)) ?? '') : '';
    return this.#report(running, forgotten === '' ? [] : [{ count: settled, reason: forgotten, where: null }]);
  }

  waiting(): readonly Undelivered[] {
    const reminders = this.#reminder?.failing ?? [];
    return this.#opened === undefined ? reminders : [...waitingIn(this.#opened), ...reminders];
  }

  async recall(): Promise<Recalled> {
    const { spool } = await this.#start();
    return spool.where === null ? NOTHING_RECALLED : await recallNotices(spool.where, spool.queue, this.#ledger);
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#closing.abort();
    await this.#reminder?.stop();
    const running = await this.#running?.catch(() => undefined);
    await running?.pump.stop();
    await this.sink.close();
    await running?.spool.close();
  }

  /** How many of these an earlier process told: what waited then is counted when it is delivered. */
  #settledBefore(known: readonly string[], queue: Spool['queue']): number {
    const before = known.filter((fingerprint) => {
      const isEarlier = this.#ledger.finding(fingerprint)?.earlier === true;
      return isEarlier && !queue.hasRestored(fingerprint) && !this.#counted.has(fingerprint);
    });
    for (const fingerprint of before) this.#counted.add(fingerprint);
    return before.length;
  }

  #report(running: Running, more: readonly Undelivered[] = []): DeliveryReport {
    return this.#tally.report([...waitingIn(running), ...more]);
  }

  #start(): Promise<Running> {
    if (this.#closing.signal.aborted) return Promise.reject(new Error(`${this.name} is closed`));
    this.#running ??= this.#open();
    return this.#running;
  }

  async #open(): Promise<Running> {
    const { sink, options } = this;
    const say = (message: string) => options.onMessage(`${sink.name}: ${reasonText(message)}`);
    const spool = await openSpool(options, this.#ledger, say);
    const settler = new Settler(spool.queue, sink, spool.log, options.folder, options.clock, say);
    const box = new NoticeBox(spool.queue, sink, settler, this.#tally, options);
    const pump = new Pump(box, options.backoff, options.clock);
    pump.start();
    if (options.continuous) this.#reminder?.start();
    this.#opened = { spool, pump };
    return this.#opened;
  }
}

const NEVER = new AbortController().signal;

function waitingIn({ spool, pump }: Running): Undelivered[] {
  const { queue, where } = spool;
  const { stored, inMemory } = queue.waiting;
  const { delay } = pump;
  return [
    { count: stored, ...delay, where },
    { count: inMemory, ...delay, where: null },
  ];
}
