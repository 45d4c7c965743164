/** Audit-IDs that stand in requests which cannot be one request. */
import { EvidenceSet } from './evidence.js';
import type { Half } from './requests/half.js';
import type { Pairing } from './requests/pairing.js';
import { clientOf } from './serving/outcomes.js';
import { NameCounts } from './sketch.js';
import { TimeHistogram } from './time-histogram.js';

export class AuditIDReuse {
  readonly times = new TimeHistogram();
  readonly auditIDs = new NameCounts(64);
  readonly clients = new NameCounts(32);
  readonly evidence = new EvidenceSet();

  /** Takes the requests of one Audit-ID after pairing: more than one request in all is a reuse. */
  take(pairing: Pairing): void {
    const requests = pairing.pairs.length + pairing.single.length;
    if (requests < 2) return;
    for (const half of [...pairing.pairs.map((pair) => pair.source), ...pairing.single]) this.#add(half);
  }

  merge(other: AuditIDReuse): void {
    this.times.merge(other.times);
    this.auditIDs.merge(other.auditIDs);
    this.clients.merge(other.clients);
    this.evidence.merge(other.evidence);
  }

  #add(half: Half): void {
    this.times.add(half.receivedUs);
    this.auditIDs.add(half.auditID.slice(0, 64));
    this.clients.add(clientOf(half));
    if (!this.evidence.wants(half.receivedUs)) return;
    const quote = `${half.verb} ${half.uri.slice(0, 160)} by ${half.username} from ${half.sourceIPs}, auditID ${half.auditID.slice(0, 64)}`;
    this.evidence.add(half.receivedUs, half.life.writer.input, half.line, half.offset, quote);
  }
}
