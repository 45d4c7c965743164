/** Proxied requests added up by route, bounded by lives, verbs, resources and codes. */
import { originText } from '../../model/origin.js';
import { MILLISECOND } from '../../model/time.js';
import { EvidenceSet } from '../evidence.js';
import { Moments } from '../moments.js';
import type { FailedAnswers } from '../peers/failed-answers.js';
import { NameCounts, Sample } from '../sketch.js';
import { TimeHistogram } from '../time-histogram.js';
import type { Life } from '../writer.js';
import type { Half } from './half.js';
import type { Pair } from './pairing.js';

/** Routes over this are added up under the code null, so that hostile traffic cannot grow the table. */
const LIMIT = 50_000;
/** Hops that long are slow when a few are, and when most are; in milliseconds. */
const SLOW = 1_000;
const LAGGING = 300;
/** Requests of one route that are kept one by one. */
export const BESIDE = 256;

export class PairTotal {
  count = 0;
  /** The hop's own time in milliseconds: the source's total less the destination's. */
  readonly hop = new Sample();
  /** Destination clock less source clock, in milliseconds, from requests that both sides completed. */
  readonly skew = new Sample();
  /** When requests came in whose hop took longer than `SLOW`, and than `LAGGING`. */
  readonly slow = new TimeHistogram(128);
  readonly lagging = new TimeHistogram(128);
  readonly times = new TimeHistogram();
  readonly evidence = new EvidenceSet();
  /** Users that the destination saw in place of the source's. */
  readonly otherUsers = new NameCounts(8);
  /** Pairs whose source answered its client 404, and 503 or 504: they are no wrong answers and did reach a peer. */
  readonly sourceNotFound = new TimeHistogram();
  /** Exact times of the former, by which quotes of them are told from quotes of the source's own answers. */
  sourceNotFoundAt: Moments | undefined;
  readonly sourceFailed = new TimeHistogram();
  /** Requests of this route that came in beside one of the same path that failed: none of their calls was that one's. */
  readonly beside: { readonly path: string; readonly receivedUs: number }[] = [];
  /** When the destination took the request for nobody's (401), by its own clock; undefined when it never did. */
  rejectedAt: Moments | undefined;

  constructor(
    readonly source: Life,
    readonly destination: Life,
    readonly via: string,
    readonly verb: string,
    readonly resource: number,
    readonly code: number,
  ) {}

  /** `path` is told where a request of that path failed at the time. */
  add(pair: Pair, path: string | undefined): void {
    const { source, destination } = pair;
    this.count += 1;
    if (path !== undefined && this.beside.length < BESIDE) this.beside.push({ path, receivedUs: source.receivedUs });
    this.times.add(source.receivedUs);
    if (source.doneUs !== 0 && destination.doneUs !== 0) {
      const hop = source.doneUs - source.receivedUs - (destination.doneUs - destination.receivedUs);
      if (source.verb !== 'watch') {
        this.hop.add(source.auditID, hop / MILLISECOND);
        if (hop > SLOW * MILLISECOND) this.slow.add(source.receivedUs);
        if (hop > LAGGING * MILLISECOND) this.lagging.add(source.receivedUs);
        const offset = destination.receivedUs - source.receivedUs + destination.doneUs - source.doneUs;
        this.skew.add(source.auditID, offset / 2 / MILLISECOND);
      }
    }
    if (destination.username !== '' && source.userIsKnown && destination.username !== source.effectiveUser) {
      this.otherUsers.add(destination.username);
    }
    if (destination.finalCode === 401 && destination.username === '') {
      this.rejectedAt ??= new Moments();
      this.rejectedAt.add(destination.receivedUs);
    }
    if (source.finalCode === 404) {
      this.sourceNotFound.add(source.receivedUs);
      this.sourceNotFoundAt ??= new Moments();
      this.sourceNotFoundAt.add(source.receivedUs);
    }
    if (source.finalCode === 503 || source.finalCode === 504) this.sourceFailed.add(source.receivedUs);
    if (this.evidence.wants(source.receivedUs)) this.evidence.add(source.receivedUs, ...quotePair(pair));
  }

  merge(other: PairTotal): void {
    this.count += other.count;
    if (other.rejectedAt !== undefined) {
      this.rejectedAt ??= new Moments();
      this.rejectedAt.merge(other.rejectedAt);
    }
    this.beside.push(...other.beside.slice(0, BESIDE - this.beside.length));
    this.hop.merge(other.hop);
    this.skew.merge(other.skew);
    this.slow.merge(other.slow);
    this.lagging.merge(other.lagging);
    this.times.merge(other.times);
    this.evidence.merge(other.evidence);
    this.otherUsers.merge(other.otherUsers);
    this.sourceNotFound.merge(other.sourceNotFound);
    if (other.sourceNotFoundAt !== undefined) {
      this.sourceNotFoundAt ??= new Moments();
      this.sourceNotFoundAt.merge(other.sourceNotFoundAt);
    }
    this.sourceFailed.merge(other.sourceFailed);
  }
}

export class PairTotals {
  readonly #totals = new Map<string, PairTotal>();

  add(pair: Pair, failed?: FailedAnswers): void {
    const { source, destination, via } = pair;
    const code = destination.finalCode || source.finalCode;
    let key = `${source.life.id} ${destination.life.id} ${via} ${source.verb} ${source.resource} ${code}`;
    if (this.#totals.size >= LIMIT && !this.#totals.has(key)) key = `${source.life.id} ${destination.life.id} others`;
    let total = this.#totals.get(key);
    if (total === undefined) {
      total = new PairTotal(source.life, destination.life, via, source.verb, source.resource, code);
      this.#totals.set(key, total);
    }
    total.add(pair, failed?.besideOf(source.uri, source.receivedUs));
  }

  /** A copy to which pending pairs can be added without touching this one. */
  fork(): PairTotals {
    const copy = new PairTotals();
    for (const [key, total] of this.#totals) {
      const fresh = new PairTotal(total.source, total.destination, total.via, total.verb, total.resource, total.code);
      fresh.merge(total);
      copy.#totals.set(key, fresh);
    }
    return copy;
  }

  all(): Iterable<PairTotal> {
    return this.#totals.values();
  }
}

function quotePair({ source, destination }: Pair): [Half['life']['writer']['input'], number, number, string] {
  const seen = originText(destination.life.writer.input, destination.line, destination.offset);
  const codes = `${source.finalCode || 'open'} at the source, ${destination.finalCode || 'open'} at the destination`;
  const text = `${source.verb} ${source.uri.slice(0, 160)} auditID ${source.auditID.slice(0, 64)}: ${codes} (${seen}, from ${destination.sourceIPs} as ${destination.username || 'nobody'})`;
  return [source.life.writer.input, source.line, source.offset, text];
}
