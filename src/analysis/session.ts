/** Joins the stages for one run: records go in, an Analysis can be had at any time. */
import { Correlator } from '../correlate/correlator.js';
import type { Keeper } from '../correlate/requests/recent-events.js';
import type { Analysis, InputSummary, Snapshot } from '../model/analysis.js';
import type { InputRef } from '../model/origin.js';
import type { ProblemReason, Rec } from '../model/record.js';
import type { RuleSet } from '../rules/index.js';
import { judge } from '../rules/judge.js';
import { reread } from './input-reader.js';
import type { AnalyzeOptions } from './options.js';
import type { RecordReader } from './record-reader.js';
import { timeOf } from './survey.js';
import { TimeWindow } from './time-window.js';

/** What is counted of an input. */
export type InputAccount = Pick<RecordReader, 'input' | 'bytes' | 'records' | 'problems'>;

/** Single requests are told in portions, so that they do not pile up. */
const TELL_AT = 5_000;

export class Session {
  readonly #correlator: Correlator;
  readonly #options: AnalyzeOptions;
  /** undefined: all of time. */
  readonly #window: TimeWindow | undefined;
  /** The inputs of the run, in the order of their numbers. */
  readers: readonly InputAccount[] = [];
  /** What is judged by; may be changed at any time. */
  rules: RuleSet;
  /** Records taken so far. */
  taken = 0;

  /** `keeper` hears of the bytes that are kept for rereading; see Correlator. */
  constructor(options: AnalyzeOptions, keeper?: Keeper) {
    this.#correlator = new Correlator(reread, options.onRequests !== undefined, keeper);
    this.#options = options;
    this.rules = options.rules;
    if (options.since !== undefined || options.until !== undefined) this.#window = new TimeWindow(options);
  }

  readonly take = (record: Rec, input: InputRef): void => {
    if (this.#window?.takes(timeOf(record), input) === false) return;
    this.taken += 1;
    this.#correlator.take(record, input);
    if (this.#correlator.waitingRequests >= TELL_AT) this.tellRequests();
  };

  /** The end of the records: nothing that is still open can be answered any more. */
  end(): Analysis {
    this.#correlator.end();
    return this.analysis();
  }

  analysis(): Analysis {
    this.tellRequests();
    for (const reader of this.readers) this.#correlator.noteProblems(reader.input, reader.problems);
    const { observations, capabilities, capabilitiesOf, writers, ...result } = this.#correlator.snapshot();
    const leftOut = this.#window?.leftOut;
    return {
      ...result,
      ...this.#judged({ observations, capabilities, capabilitiesOf, servers: result.servers }),
      inputs: this.readers.map((reader) => this.#summary(reader, writers)),
      ...(leftOut === undefined || leftOut.records === 0 ? {} : { leftOut }),
    };
  }

  /** Hands over the requests that are complete and were not told before. */
  tellRequests(): void {
    if (this.#options.onRequests === undefined) return;
    const requests = this.#correlator.requests();
    if (requests.length > 0) this.#options.onRequests(requests);
  }

  /** What is absent only because it was not looked at is no finding; rules about that say so. */
  #judged(snapshot: Pick<Snapshot, 'observations' | 'capabilities' | 'capabilitiesOf' | 'servers'>) {
    const unsure = this.#window?.unsure ?? new Set();
    if (unsure.size === 0) return judge(this.rules, snapshot);
    const sure = snapshot.observations.filter(({ type }) => !unsure.has(type));
    const { findings, unjudged } = judge(this.rules, { ...snapshot, observations: sure });
    const blind = this.rules.rules
      .filter(
        ({ id, consumes }) => consumes.every((type) => unsure.has(type)) && !unjudged.some(({ rule }) => rule === id),
      )
      .map(({ id }) => ({ rule: id, reason: 'too little lies in the time that was asked for' }));
    const told = unjudged.map((one) => ({ ...one, reason: `${one.reason} (in the time that was asked for)` }));
    return { findings, unjudged: [...told, ...blind] };
  }

  #summary(reader: InputAccount, writers: ReadonlyMap<number, string>): InputSummary {
    const problems: Partial<Record<ProblemReason, number>> = Object.fromEntries(reader.problems);
    const duplicates = this.#correlator.duplicates.get(reader.input) ?? 0;
    if (duplicates > 0) problems.duplicate = (problems.duplicate ?? 0) + duplicates;
    const outside = this.#window?.leftOutOf(reader.input) ?? 0;
    if (outside > 0) problems['outside-time'] = outside;
    const { cluster } = reader.input;
    return {
      ...(cluster === undefined ? {} : { cluster }),
      name: reader.input.name,
      kind: reader.input.kind,
      bytes: reader.bytes,
      records: reader.records,
      server: writers.get(reader.input.id) ?? null,
      problems,
    };
  }
}
