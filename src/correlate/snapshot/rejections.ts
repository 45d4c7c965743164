/** Why a destination answered 401 to a peer: the certificate that its own log names at the times of these answers. */
import type { IdentityRejection } from '../../model/observations/index.js';
import { MILLISECOND, SECOND } from '../../model/time.js';
import type { State } from '../cluster-correlator.js';
import { EvidenceSet } from '../evidence.js';
import { Moments, together } from '../moments.js';
import type { Failures } from '../peers/attempts.js';
import type { RejectedCertificate } from '../peers/rejected-certificates.js';
import type { Role } from './blame.js';
import type { ServerView } from './server-view.js';

/** One server writes the line and the audit event of the same request, within a moment. */
const SAME_SERVER = 200 * MILLISECOND;
/** The caller's log has the clock of another server. */
const OTHER_SERVER = 2 * SECOND;

/** The end that a reason points to, whatever other edges say. */
const ENDS: Readonly<Partial<Record<IdentityRejection, Role>>> = {
  'not-configured': 'destination',
  'wrong-usage': 'source',
};

export interface EdgeRejection {
  readonly reason: IdentityRejection;
  /** The common name that is not allowed; '' with other reasons. */
  readonly name: string;
  readonly error: string;
  readonly evidence: EvidenceSet;
}

/** The 401s of one edge, as the destination's audit log has them and as the source's process log does. */
export interface Rejected {
  readonly arrived: Failures | undefined;
  readonly called: Failures | undefined;
}

/**
 * undefined where the destination's log is not among the inputs or does not tell. Others may be rejected there as well:
 * what the log says of one certificate holds for the edge only if half of its 401s at least have a line of it.
 */
export function edgeRejection(state: State, destination: ServerView, rejected: Rejected): EdgeRejection | undefined {
  const [failures, within] =
    rejected.arrived === undefined ? [rejected.called, OTHER_SERVER] : [rejected.arrived, SAME_SERVER];
  const times = failures?.at.list() ?? [];
  let best: RejectedCertificate | undefined;
  let most = 0;
  for (const certificate of certificatesAt(state, destination)) {
    const found = together(times, certificate.at.list(), within);
    if (found * 2 >= times.length && found > most) [best, most] = [certificate, found];
  }
  return best === undefined ? undefined : { ...best.rejection, evidence: best.evidence };
}

/** What the logs of several destinations say of the same callers. */
export interface SharedRejection {
  readonly reason: IdentityRejection;
  readonly names: readonly string[];
  readonly error: string;
  /** undefined where the certificate, or what judges it, may be wrong. */
  readonly end: Role | undefined;
  readonly evidence: readonly EvidenceSet[];
}

/** undefined where no log tells, or one tells something else. */
export function sharedRejection(rejections: readonly EdgeRejection[]): SharedRejection | undefined {
  const [first] = rejections;
  if (first === undefined || rejections.some(({ reason }) => reason !== first.reason)) return undefined;
  return {
    reason: first.reason,
    names: [...new Set(rejections.flatMap(({ name }) => (name === '' ? [] : [name])))].sort(),
    error: rejections.map(({ error }) => error).sort()[0] ?? '',
    end: ENDS[first.reason],
    evidence: rejections.map(({ evidence }) => evidence.first(rejections.length > 1 ? 1 : 2)),
  };
}

/** Those of all parts of the server's log, each certificate and reason once, in an order of their own. */
function certificatesAt(state: State, destination: ServerView): RejectedCertificate[] {
  const merged = new Map<string, RejectedCertificate>();
  for (const { lives } of destination.boots) {
    for (const life of lives) {
      for (const [key, certificate] of state.rejectedCertificates.of(life)) {
        const known = merged.get(key) ?? {
          rejection: certificate.rejection,
          at: new Moments(),
          evidence: new EvidenceSet(3),
        };
        known.at.merge(certificate.at);
        known.evidence.merge(certificate.evidence);
        merged.set(key, known);
      }
    }
  }
  return [...merged.keys()].sort().flatMap((key) => merged.get(key) ?? []);
}
