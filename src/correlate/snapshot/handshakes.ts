/**
 * What calls that work prove about certificates. A certificate and its CA are judged once for each connection, which then
 * stays open for hours: peers that are connected go on although the certificate was exchanged meanwhile.
 */
import { SECOND } from '../../model/time.js';
import type { Failures } from '../peers/attempts.js';
import type { TimeHistogram } from '../time-histogram.js';
import type { Role } from './blame.js';
import type { EdgeView } from './edges.js';
import type { Boot, ServerView } from './server-view.js';

interface FailingHandshake {
  readonly edge: EdgeView;
  readonly failures: Failures;
}

/**
 * A source is cleared by a peer that it accepts in the same boot, so with the same file. A destination is cleared by a
 * peer that connected to it after the failures had begun: one of the two started later than that.
 */
export function clearsHandshake(healthy: EdgeView, role: Role, failing: readonly FailingHandshake[]): boolean {
  return role === 'source'
    ? failing.every(({ failures }) => acceptsInSameBoot(healthy, failures))
    : failing.every(({ failures }) => connectedSince(healthy, failures.times.first));
}

function acceptsInSameBoot({ source, attempts }: EdgeView, { times }: Failures): boolean {
  return source.boots.some((boot) => within(times, boot) && within(attempts.ok, boot));
}

function connectedSince({ source, destination, attempts }: EdgeView, since: number): boolean {
  return [...startsAfter(source, since), ...startsAfter(destination, since)].some(
    (boot) => attempts.ok.last >= boot.from && within(attempts.ok, boot),
  );
}

function startsAfter({ boots }: ServerView, since: number): Boot[] {
  return boots.filter((boot) => boot.from >= since);
}

/** Some of the times are surely the boot's own. */
function within(times: TimeHistogram, { from, to }: Boot): boolean {
  for (const [at] of times.entries()) {
    const [first, last] = [Math.max(at, times.first), Math.min(at + times.width, times.last)];
    if (first >= from - SECOND && last <= to + SECOND) return true;
  }
  return false;
}
