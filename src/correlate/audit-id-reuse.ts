/** Audit-IDs that stand in requests which cannot be one request. */
import { EvidenceSet } from './evidence.js';
import type { Half } from './requests/half.js';
import type { Pairing } from './requests/pairing.js';
import { clientOf } from './serving/outcomes.js';
import { NameCounts } from './sketch.js';
import { TimeHistogram } from './time-histogram.js';
import type { Writer } from './writer.js';

/** Requests whose Audit-ID stands in others too. */
export class ReusedAuditIDs {
  readonly times = new TimeHistogram();
  readonly auditIDs = new NameCounts(64);
  readonly clients = new NameCounts(32);
  readonly evidence = new EvidenceSet();

  merge(other: ReusedAuditIDs): void {
    this.times.merge(other.times);
    this.auditIDs.merge(other.auditIDs);
    this.clients.merge(other.clients);
    this.evidence.merge(other.evidence);
  }

  add(half: Half): void {
    this.times.add(half.receivedUs);
    this.auditIDs.add(half.auditID.slice(0, 64));
    this.clients.add(clientOf(half));
    if (!this.evidence.wants(half.receivedUs)) return;
    const quote = `${half.verb} ${half.uri.slice(0, 160)} by ${half.username} from ${half.sourceIPs}, auditID ${half.auditID.slice(0, 64)}`;
    this.evidence.add(half.receivedUs, half.life.writer.input, half.line, half.offset, quote);
  }
}

export class AuditIDReuse {
  readonly #byWriter = new Map<Writer, ReusedAuditIDs>();

  /** Takes the requests of one Audit-ID after pairing: more than one request in all is a reuse. */
  take(pairing: Pairing): void {
    const requests = pairing.pairs.length + pairing.single.length;
    if (requests < 2) return;
    for (const half of [...pairing.pairs.map((pair) => pair.source), ...pairing.single]) {
      this.#of(half.life.writer).add(half);
    }
  }

  merge(other: AuditIDReuse): void {
    for (const [writer, reused] of other.#byWriter) this.#of(writer).merge(reused);
  }

  /**
   * What is known of servers. Where several write by turns, a request and the same one passed on look like two of one
   * server until that is noticed.
   */
  ofServers(): ReusedAuditIDs {
    const all = new ReusedAuditIDs();
    for (const [writer, reused] of this.#byWriter) if (!writer.mixed) all.merge(reused);
    return all;
  }

  #of(writer: Writer): ReusedAuditIDs {
    let known = this.#byWriter.get(writer);
    if (known === undefined) {
      known = new ReusedAuditIDs();
      this.#byWriter.set(writer, known);
    }
    return known;
  }
}
