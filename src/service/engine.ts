/**
 * The road of a record through the service: batches come in, records are taken in the order of their time, windows are
 * judged, outputs told, and offsets committed when nothing below them is needed any more.
 */
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { createFastDecoder } from '../formats/index.js';
import type { Assigned, ConsumerHandlers, MessageBatch, PartitionOffset, TopicPartition } from '../kafka/port.js';
import type { Analysis } from '../model/analysis.js';
import { asError } from '../model/error-text.js';
import type { InputRef } from '../model/origin.js';
import type { Rec } from '../model/record.js';
import type { OutputBatch } from '../outputs/index.js';
import type { RuleSet } from '../rules/index.js';
import { AHEAD_US, aheadNote } from './ahead.js';
import { fromTheBeginning } from './assigning.js';
import { areCaughtUp } from './caught-up.js';
import { Commits } from './commits.js';
import type { EngineOptions } from './engine-options.js';
import { ServiceInputs } from './inputs.js';
import { Judging, judged } from './judging.js';
import { Lent } from './lent.js';
import type { DamagedMessage, ReaderContext } from './message-reader.js';
import { whatIsRead } from './partition-list.js';
import { openPartition } from './partition-stream.js';
import { Partitions } from './partitions.js';
import { Schedule } from './schedule.js';
import { takeSome } from './taking.js';
import { Waking } from './waking.js';
import { Windows } from './windows.js';

/** Longest that is waited for something to come before it is looked whether it is time to judge. */
const IDLE_MS = 250;

export type { EngineOptions, Upstream } from './engine-options.js';

export class Engine implements ConsumerHandlers {
  readonly partitions: Partitions;
  /** Records taken since the start. */
  records = 0;
  /** Why nothing more can be done; undefined while all is well. */
  failure: Error | undefined;
  readonly #options: EngineOptions;
  readonly #audit = createFastDecoder();
  readonly #lent = new Lent();
  readonly #judging: Judging;
  readonly #commits: Commits;
  readonly #schedule: Schedule;
  readonly #waking = new Waking();
  #rules: RuleSet;
  /** These three begin anew when the group gives other partitions. */
  #windows: Windows;
  #inputs: ServiceInputs;
  /** Begin of the oldest window of which all partitions give all records, in microseconds. */
  #wholeFromUs = Number.NEGATIVE_INFINITY;
  #isLive = false;
  #assigned = false;
  #assignments = 0;
  /** In microseconds: records of a later time are left out. */
  #latestUs: number;
  #running: Promise<void> | undefined;
  readonly #stopping = new AbortController();
  /** Set when the group gives and takes partitions: what is being done for the old ones ends. */
  #generation = new AbortController();
  /** Aborted by the end of the generation and by `stop`. */
  #signal = this.#stopping.signal;

  constructor(options: EngineOptions) {
    this.#options = options;
    this.#rules = options.rules;
    this.#schedule = new Schedule(options.clock.now());
    this.#latestUs = options.clock.now() * 1_000 + AHEAD_US;
    this.#judging = new Judging(options.outputs, options.onBatch);
    this.partitions = new Partitions(options.consumer, options.upstream?.open ?? openPartition);
    this.#inputs = new ServiceInputs(options.cluster);
    this.#windows = this.#newWindows(undefined);
    this.#commits = new Commits({ ...options, onFailure: (error) => this.onCrash(error) });
  }

  /** Begins to take what comes. */
  start(): void {
    this.#running ??= this.#run().catch((error: unknown) => this.onCrash(asError(error)));
  }

  /** What was judged last. */
  get analysis(): Analysis | undefined {
    return this.#judging.last;
  }

  get windows(): Windows {
    return this.#windows;
  }

  get isAssigned(): boolean {
    return this.#assigned;
  }

  /** Everything that was there has been read; what comes is told as it comes. */
  get isLive(): boolean {
    return this.#isLive;
  }

  onBatch(batch: MessageBatch): void {
    this.partitions.take(batch, this.#options.clock.now());
    this.#waking.wake();
  }

  onEnd(partition: TopicPartition, offset: number): void {
    this.partitions.reachedEnd(partition, offset, this.#options.clock.now());
    this.#waking.wake();
  }

  async onAssigned(given: readonly Assigned[]): Promise<readonly PartitionOffset[]> {
    // What ends takes nothing new, and commits nothing for what it has not read.
    if (this.#stopping.signal.aborted) return [];
    this.#assignments += 1;
    this.#generation = new AbortController();
    this.#signal = AbortSignal.any([this.#stopping.signal, this.#generation.signal]);
    const now = this.#options.clock.now();
    const assigned = fromTheBeginning(this.partitions, given);
    if (this.partitions.isOnlyMore(assigned)) this.partitions.extend(assigned, now, this.#context());
    else this.#beginAnew(assigned, now);
    this.#assigned = true;
    // What was told last counts for what was given before.
    this.#schedule.soon();
    const all = [...this.partitions.all()];
    this.#options.onNews?.(whatIsRead(all));
    // A process that dies before its first commit must not leave a gap; what could not be committed before is among them.
    const uncommitted = all.filter(({ committed }) => committed === null);
    if (uncommitted.length > 0) this.#commits.begin(uncommitted, this.#signal);
    this.#waking.wake();
    return all.map(({ stream: { topic, partition, received } }) => ({ topic, partition, offset: received }));
  }

  onRevoked(): void {
    this.#assigned = false;
    this.#generation.abort();
  }

  onCrash(error: Error): void {
    if (this.failure === undefined) this.#options.onFailure?.(error);
    this.failure ??= error;
    this.#waking.wake();
  }

  /** Judges by these rules from now on; `anew`: all that holds is told once more. */
  use(rules: RuleSet, anew: boolean): void {
    this.#rules = rules;
    this.#windows.use(rules);
    if (anew) this.#judging.tellAnew();
    this.#schedule.soon();
    this.#waking.wake();
  }

  /** Ends after what is being taken; commits what is settled within the time that the signal leaves. */
  async stop(signal: AbortSignal): Promise<void> {
    this.#stopping.abort();
    this.#waking.wake();
    await this.#running;
    if (!this.#assigned || this.failure !== undefined) return;
    if (this.#isLive) this.#judge();
    await this.#commits.finish(this.partitions, this.#windows, AbortSignal.any([signal, this.#generation.signal]));
  }

  #beginAnew(assigned: readonly Assigned[], now: number): void {
    if (this.partitions.size > 0) {
      this.#options.onNote('the group gave other partitions: what they hold is read again from the oldest open window');
    }
    this.#isLive = false;
    this.#inputs = new ServiceInputs(this.#options.cluster);
    const opens = this.partitions.replace(assigned, now, this.#context());
    this.#judging.reset((cluster) => this.#holds(cluster));
    this.#windows = this.#newWindows(opens.length === 0 ? undefined : Math.min(...opens));
    this.#wholeFromUs = Math.max(Number.NEGATIVE_INFINITY, ...opens);
  }

  #newWindows(openUs: number | undefined): Windows {
    return new Windows({
      rules: this.#rules,
      windowUs: this.#options.windowUs,
      keeper: this.#lent,
      accounts: (first) => this.#inputs.accounts(first),
      onRequests: this.#judging.addRequests,
      openUs,
    });
  }

  #context(): ReaderContext {
    return {
      audit: this.#audit,
      inputs: this.#inputs,
      lent: this.#lent,
      maxMessageBytes: this.#options.maxMessageBytes,
      currentSlot: () => this.#windows.slots.of(Math.max(0, this.#windows.lastUs)),
      onDamaged: (message) => this.#bury(message),
      latestUs: () => this.#latestUs,
      onAhead: ({ topic, partition, offset }, timeUs) =>
        this.#options.onNote(`${topic}/${partition}, offset ${offset}: ${aheadNote(timeUs)}`),
    };
  }

  #bury(message: DamagedMessage): void {
    const partition = this.partitions.of(message);
    if (partition === undefined || message.offset < partition.deadBelow) return;
    partition.deadBelow = message.offset + 1;
    this.#options.deadLetters?.put(message);
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted && this.failure === undefined) {
      const taken = this.#assigned ? this.#takeSome() : 0;
      if (this.#assigned) while (this.#windows.isDue) this.#closeWindow();
      this.#judgeWhenTime();
      await this.#makeRoom();
      if (taken === 0) await this.#waking.sleep(IDLE_MS, this.#options.clock, this.#stopping.signal);
      else await yieldToOthers();
    }
  }

  #takeSome(): number {
    const { clock, onNote } = this.#options;
    this.#latestUs = clock.now() * 1_000 + AHEAD_US;
    const taken = takeSome(this.partitions, { clock, onNote, take: this.#take });
    this.records += taken;
    return taken;
  }

  readonly #take = (record: Rec, input: InputRef, openUs?: number): number | undefined =>
    this.#windows.take(record, input, openUs);

  #closeWindow(): void {
    const complete = this.#complete();
    const analysis = judged(this.#windows.span, () => this.#windows.close());
    if (analysis === undefined) return;
    this.#judging.tell(analysis, complete);
    this.#settle();
    // What ended with it is told at once, and not needed again.
    this.#schedule.soon();
  }

  #settle(): void {
    const { settled } = this.#windows;
    if (settled === undefined) return;
    for (const stream of this.partitions.streams()) stream.ledger.closeBelow(settled);
    this.#inputs.forgetBelow(settled);
    this.#commits.start(this.partitions, this.#windows, this.#signal);
  }

  #judgeWhenTime(): void {
    const now = this.#options.clock.now();
    if (!this.#assigned || this.partitions.size === 0) return;
    if (!this.#isLive && this.#isCaughtUp(now)) {
      this.#isLive = true;
      this.#options.onNews?.('everything that was there is read: what comes is told as it comes');
      this.#schedule.soon();
    }
    if (this.#schedule.isDue(now, this.#windows.taken, this.#isLive)) this.#judge();
    this.#commits.startNowAndThen(this.partitions, this.#windows, this.#signal, now);
  }

  #judge(): void {
    const { clock } = this.#options;
    const started = clock.now();
    const analysis = judged(this.#windows.span, () => this.#windows.analysis());
    if (analysis !== undefined) this.#judging.tell(analysis, this.#complete());
    if (analysis !== undefined && this.#isLive && this.#windows.settle()) this.#settle();
    this.#schedule.judged(started, clock.now(), this.#windows.taken);
  }

  /**
   * Whether the oldest window shows all that is wrong now, and of which clusters; see Judging: not while older records are
   * read again. Outputs may ask later: of what has come with other partitions since, it tells nothing.
   */
  #complete(): NonNullable<OutputBatch['complete']> {
    const { span } = this.#windows;
    if (!this.#isLive || (span !== undefined && span.fromUs < this.#wholeFromUs)) return false;
    const current = this.#assignments;
    return (cluster) => this.#assignments === current && this.#holds(cluster);
  }

  #holds(cluster: string): boolean {
    return this.#options.upstream?.holds(cluster) ?? this.partitions.size > 0;
  }

  /** Nothing more is taken while outputs or dead letters have no room. */
  async #makeRoom(): Promise<void> {
    const { outputs, deadLetters } = this.#options;
    if (this.#judging.hasManyRequests) {
      const analysis = judged(this.#windows.span, () => this.#windows.analysis());
      if (analysis !== undefined) this.#judging.tellRequests(analysis);
      await outputs.room(this.#signal);
    }
    if (deadLetters?.isFull === true) await deadLetters.settled(this.#signal);
  }

  #isCaughtUp(nowMs: number): boolean {
    const { upstream, readyLagUs } = this.#options;
    const sinceMs = upstream === undefined ? Number.NEGATIVE_INFINITY : upstream.completeAtMs();
    return sinceMs !== undefined && areCaughtUp(this.partitions.streams(), { nowMs, sinceMs, readyLagUs });
  }
}
