/** What a receiver knows: of each finding its state, of each incident its members and its count of states. */
import type { Finding } from '../../model/finding.js';
import type { Notice, Told } from './notice.js';

export interface KnownFinding {
  readonly key: string;
  readonly state: 'firing' | 'resolved';
  /** All digests told since it fired, bounded: going back to one of them is no news. */
  readonly digests: readonly string[];
  readonly toUs: number;
  /** Told by an earlier process. */
  readonly earlier: boolean;
  /** Told before whoever reads began anew, in this process or the one before: the same evidence may be read once more. */
  readonly again: boolean;
  /** Of one that is firing, as it was last told; undefined where it was one of many. */
  readonly sketch: Finding | undefined;
  /** '' where it is not known. */
  readonly cluster: string;
}

export interface LedgerEntry {
  readonly key: string;
  readonly counter: number;
  readonly kind: Notice['kind'];
  readonly atMs: number;
  readonly told: readonly Told[];
}

const MAX_FINDINGS = 50_000;
const MAX_DIGESTS = 32;

/** Kept in memory; the notification log makes it last. */
export class Ledger {
  /** Least recently told first. */
  readonly #findings = new Map<string, KnownFinding>();
  readonly #incidents = new Map<string, { counter: number; firing: Set<string> }>();
  /** When incidents were opened, in milliseconds, oldest first. */
  #openings: number[] = [];

  finding(fingerprint: string): KnownFinding | undefined {
    return this.#findings.get(fingerprint);
  }

  counter(key: string): number {
    return this.#incidents.get(key)?.counter ?? 0;
  }

  firing(key: string): ReadonlySet<string> {
    return this.#incidents.get(key)?.firing ?? NONE;
  }

  /** Findings that the receiver holds as open and are not among these, as they were last told. */
  stale(open: ReadonlySet<string>): Finding[] {
    const gone: Finding[] = [];
    for (const [fingerprint, { state, sketch, cluster, toUs }] of this.#findings) {
      if (state !== 'firing' || open.has(fingerprint)) continue;
      gone.push(sketch === undefined ? unknownFinding(fingerprint, cluster, toUs) : { ...sketch, to: toUs });
    }
    return gone;
  }

  /** All that was told so far may be read once more. */
  readAnew(): void {
    for (const [fingerprint, known] of this.#findings) this.#findings.set(fingerprint, { ...known, again: true });
  }

  /** How many incidents were opened after `sinceMs`. */
  openedSince(sinceMs: number): number {
    const first = this.#openings.findIndex((at) => at > sinceMs);
    this.#openings = first < 0 ? [] : this.#openings.slice(first);
    return this.#openings.length;
  }

  /** Takes what a notice tells as told. `earlier`: it was told, or is waiting, from a process before this one. */
  apply(entry: LedgerEntry, earlier = false): void {
    const incident = this.#incidents.get(entry.key) ?? { counter: 0, firing: new Set<string>() };
    incident.counter = Math.max(incident.counter, entry.counter);
    this.#incidents.set(entry.key, incident);
    if (entry.kind === 'opened') this.#openings.push(entry.atMs);
    for (const told of entry.told) {
      if (told.state === 'firing') incident.firing.add(told.fingerprint);
      else incident.firing.delete(told.fingerprint);
      this.#know(entry.key, told, earlier);
    }
    this.#forget();
  }

  /** The state as entries: few, whatever the length of its history. */
  *entries(): Generator<LedgerEntry> {
    const byKey = new Map<string, Told[]>([...this.#incidents.keys()].map((key) => [key, []]));
    for (const [fingerprint, { key, state, digests, toUs, sketch, cluster }] of this.#findings) {
      for (const digest of digests) byKey.get(key)?.push({ fingerprint, state, digest, toUs });
      const last = byKey.get(key)?.pop();
      if (last !== undefined) byKey.get(key)?.push({ ...last, ...(sketch === undefined ? { cluster } : { sketch }) });
    }
    for (const [key, told] of byKey) yield { key, counter: this.counter(key), kind: 'updated', atMs: 0, told };
  }

  #know(key: string, { fingerprint, state, digest, toUs, sketch, cluster }: Told, earlier: boolean): void {
    const before = this.#findings.get(fingerprint);
    const goesOn = before !== undefined && before.state === state;
    const digests = goesOn ? [...before.digests.filter((known) => known !== digest), digest] : [digest];
    this.#findings.delete(fingerprint);
    this.#findings.set(fingerprint, {
      key,
      state,
      digests: digests.slice(-MAX_DIGESTS),
      toUs: Math.max(toUs, before?.toUs ?? 0),
      earlier,
      again: earlier,
      sketch: state === 'firing' ? (sketch ?? before?.sketch) : undefined,
      cluster: sketch?.cluster ?? cluster ?? before?.cluster ?? '',
    });
  }

  #forget(): void {
    for (const [fingerprint, { key }] of this.#findings) {
      if (this.#findings.size <= MAX_FINDINGS) return;
      this.#findings.delete(fingerprint);
      const incident = this.#incidents.get(key);
      incident?.firing.delete(fingerprint);
      if (incident?.firing.size === 0) this.#incidents.delete(key);
    }
  }
}

/** One of many, of which only the fingerprint was kept: what it belongs to can still be ended. */
function unknownFinding(fingerprint: string, cluster: string, toUs: number): Finding {
  const prose = { title: '', summary: '', meaning: '', cause: '', fix: '', verify: '' };
  const lists = { edges: [], objects: [], references: [], evidence: [] };
  const whom = { cluster, server: null, resource: null };
  const weight = { severity: 'info', confidence: 'possible', count: 1 } as const;
  return { rule: '', fingerprint, from: toUs, to: toUs, ...weight, ...whom, ...prose, ...lists };
}

const NONE: ReadonlySet<string> = new Set();
