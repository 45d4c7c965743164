/** Judges records while they arrive: findings are told soon after the record that proves them. */
import { FindingTracker } from '../findings/index.js';
import type { Analysis } from '../model/analysis.js';
import { assignSources, type Source } from '../sources/index.js';
import { countBytes } from './analyze.js';
import { InputReader } from './input-reader.js';
import { type MergeInput, mergeByTime } from './merge.js';
import type { WatchOptions } from './options.js';
import type { RecordReader, Records } from './record-reader.js';
import { Session } from './session.js';
import { Settling } from './settling.js';
import { survey } from './survey.js';

/** Judging waits this long after records for more of them, and never takes more than a tenth of the time. */
const TICK_MS = 250;
const SHARE = 10;

/** Files that are not followed are merged by time; live inputs are taken as they come. Ends with the inputs, or when aborted. */
export async function watch(sources: readonly Source[], options: WatchOptions): Promise<Analysis> {
  const { sources: assigned } = assignSources(sources, options.servers ?? [], options.cluster);
  const session = new Session(options);
  const progress = countBytes(assigned, options);
  const surveyed = await survey(assigned, options.signal);
  const inputs = surveyed.map(({ source, input, beginsAt }) => ({
    reader: new InputReader(input, source, progress),
    beginsAt,
  }));
  session.readers = inputs.map(({ reader }) => reader);
  const live = inputs.filter(({ reader }) => reader.source.live);
  const judging = new Judging(
    session,
    live.map(({ reader }) => reader),
    options,
  );
  try {
    await untilAborted(
      Promise.all([
        mergeByTime(
          inputs.filter((input) => !live.includes(input)),
          session.take,
          options.signal,
        ),
        ...live.map((input) => pump(input, session)),
      ]),
      options.signal,
    );
  } finally {
    judging.stop();
  }
  // A live input may never answer again: its reader is told to end, and nobody waits for it.
  for (const { reader } of inputs) void reader.close().catch(() => undefined);
  return judging.finish();
}

async function pump({ reader }: MergeInput, session: Session): Promise<void> {
  for (;;) {
    const records = await reader.next();
    if (records === undefined) return;
    takeAll(reader, records, session);
  }
}

function takeAll({ input, inputs }: RecordReader, records: Records, session: Session): void {
  let at = 0;
  for (const record of records) {
    session.take(record, inputs?.[at] ?? input);
    at += 1;
  }
}

async function untilAborted(work: Promise<unknown>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) {
    await work;
    return;
  }
  if (signal.aborted) return;
  let stop: (() => void) | undefined;
  const aborted = new Promise<void>((resolve) => {
    stop = resolve;
    signal.addEventListener('abort', stop, { once: true });
  });
  await Promise.race([work, aborted]);
  if (stop !== undefined) signal.removeEventListener('abort', stop);
}

/** Judges from time to time, when something was taken since the last time. */
class Judging {
  readonly #session: Session;
  readonly #live: readonly RecordReader[];
  readonly #options: WatchOptions;
  readonly #tracker = new FindingTracker();
  readonly #settling = new Settling();
  readonly #timer: NodeJS.Timeout;
  #seen = 0;
  #quietUntil = 0;

  constructor(session: Session, live: readonly RecordReader[], options: WatchOptions) {
    this.#session = session;
    this.#live = live;
    this.#options = options;
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  finish(): Analysis {
    const analysis = this.#session.end();
    this.#options.onUpdate(analysis, this.#tracker.update(analysis.findings));
    return analysis;
  }

  #tick(): void {
    for (const reader of this.#live) takeAll(reader, reader.idle(), this.#session);
    if (this.#session.taken === this.#seen || performance.now() < this.#quietUntil) return;
    this.#seen = this.#session.taken;
    const started = performance.now();
    const analysis = this.#session.analysis();
    const settled = this.#settling.settled(analysis.findings, this.#session.rules, started);
    this.#options.onUpdate(analysis, this.#tracker.update(settled));
    const ended = performance.now();
    this.#quietUntil = ended + (ended - started) * SHARE;
  }
}
