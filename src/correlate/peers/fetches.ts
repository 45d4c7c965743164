/**
 * Peer discovery as the destination's audit log shows it: `get /api` and `get /apis` without a query and without a
 * user agent, as system:apiserver but not over loopback, from the source's own address.
 */
import type { AuditEvent } from '../../model/record.js';
import { EvidenceSet } from '../evidence.js';
import { LOOPBACK_USER } from '../identity/own-client.js';
import { Moments } from '../moments.js';
import { lastOf } from '../requests/pairing.js';
import { NameCounts } from '../sketch.js';
import { TimeHistogram } from '../time-histogram.js';
import type { Life } from '../writer.js';

/** Fetches that reached one life from one address. */
export class Fetches {
  /** Answered `/apis`, in the source's true name. */
  readonly ok = new TimeHistogram();
  readonly okEvidence = new EvidenceSet(2);
  /** Answered 401: the proxy identity was rejected. */
  readonly rejected = new TimeHistogram();
  readonly rejectedAt = new Moments();
  readonly rejectedEvidence = new EvidenceSet();
  /** Came as another user: the certificate itself was taken for the user. */
  readonly replaced = new TimeHistogram();
  readonly replacedEvidence = new EvidenceSet();
  readonly users = new NameCounts(8);
  /** 403 or 5xx to the true name: normal while the destination starts. */
  readonly refused = new TimeHistogram();
  /** The 403s among them: the name is accepted, and may not read discovery. */
  readonly forbidden = new TimeHistogram();
  readonly forbiddenEvidence = new EvidenceSet();

  constructor(
    readonly destination: Life,
    readonly from: string,
  ) {}

  /** Those that came in one of the spans of time, in microseconds, as sharply as they were counted. */
  during(spans: readonly { readonly from: number; readonly to: number }[]): Fetches {
    const overlaps = (from: number, to: number) => spans.some((span) => from <= span.to && to >= span.from);
    const at = (timeUs: number) => overlaps(timeUs, timeUs);
    const found = new Fetches(this.destination, this.from);
    for (const name of ['ok', 'rejected', 'replaced', 'refused', 'forbidden'] as const)
      found[name].merge(this[name].where(overlaps));
    for (const name of ['okEvidence', 'rejectedEvidence', 'replacedEvidence', 'forbiddenEvidence'] as const)
      found[name].merge(this[name].where(at));
    found.rejectedAt.merge(this.rejectedAt.where(at));
    found.users.merge(this.users);
    return found;
  }
}

export class FetchLog {
  readonly #byKey = new Map<string, Fetches>();

  constructor(readonly limit = 5_000) {}

  /** Takes the event if it is a peer's discovery fetch that was answered. */
  take(event: AuditEvent, destination: Life): void {
    if (event.verb !== 'get' || event.stage === 'RequestReceived' || event.userAgent !== '') return;
    if (event.requestURI !== '/apis' && event.requestURI !== '/api') return;
    const from = lastOf(event.sourceIPs);
    if (event.username === LOOPBACK_USER) {
      if (event.userUID !== '' && event.userUID !== LOOPBACK_USER) return;
      const fetches = this.#of(destination, from);
      if (event.code >= 400) {
        fetches.refused.add(event.timeUs);
        if (event.code === 403) {
          fetches.forbidden.add(event.timeUs);
          fetches.forbiddenEvidence.addEvent(event, destination.writer.input);
        }
      } else if (event.requestURI === '/apis') {
        fetches.ok.add(event.timeUs);
        fetches.okEvidence.addEvent(event, destination.writer.input);
      }
    } else if (event.code === 401 && event.username === '') {
      const fetches = this.#of(destination, from);
      fetches.rejected.add(event.timeUs);
      fetches.rejectedAt.add(event.timeUs);
      fetches.rejectedEvidence.addEvent(event, destination.writer.input);
    } else if (event.username !== '' && !event.sourceIPs.includes(',')) {
      const fetches = this.#of(destination, from);
      fetches.replaced.add(event.timeUs);
      fetches.users.add(event.username);
      fetches.replacedEvidence.addEvent(event, destination.writer.input);
    }
  }

  all(): Iterable<Fetches> {
    return this.#byKey.values();
  }

  #of(destination: Life, from: string): Fetches {
    const key = `${destination.id} ${from}`;
    let fetches = this.#byKey.get(key);
    if (fetches === undefined) {
      fetches = new Fetches(destination, from);
      if (this.#byKey.size < this.limit) this.#byKey.set(key, fetches);
    }
    return fetches;
  }
}
