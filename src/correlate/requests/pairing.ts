/** Which of the requests that share an Audit-ID are one proxied request, and which merely reuse the ID. */
import { canonicalURI } from '../../model/resource.js';
import { MINUTE } from '../../model/time.js';
import { bootID, type Life } from '../writer.js';
import type { Half } from './half.js';

/** How much earlier than the source the destination may claim to have received: the clock skew that is tolerated. */
const SKEW_TOLERANCE = 10 * MINUTE;

export interface Pair {
  readonly source: Half;
  readonly destination: Half;
  /** The last of the destination's sourceIPs: the only one that the client cannot forge. */
  readonly via: string;
}

export interface Pairing {
  readonly pairs: readonly Pair[];
  /** Requests that are no half of any pair. */
  readonly single: readonly Half[];
}

/** Pairs the requests of one Audit-ID; each is used once, the nearest fitting destination first. */
export function pairUp(first: Half): Pairing {
  const halves: Half[] = [];
  for (let half: Half | null = first; half !== null; half = half.next) halves.push(half);
  if (halves.length === 1) return { pairs: [], single: halves };
  halves.sort(byTime);
  const used = new Set<Half>();
  const pairs: Pair[] = [];
  for (const source of halves) {
    if (used.has(source)) continue;
    const destination = nearest(source, halves, used);
    if (destination === undefined) continue;
    used.add(source);
    used.add(destination);
    pairs.push({ source, destination, via: lastOf(destination.sourceIPs) });
  }
  return { pairs, single: halves.filter((half) => !used.has(half)) };
}

function nearest(source: Half, halves: readonly Half[], used: ReadonlySet<Half>): Half | undefined {
  let best: Half | undefined;
  for (const candidate of halves) {
    if (used.has(candidate) || !isPair(source, candidate)) continue;
    if (best === undefined || gap(source, candidate) < gap(source, best)) best = candidate;
  }
  return best;
}

function gap(source: Half, destination: Half): number {
  return Math.abs(destination.receivedUs - source.receivedUs);
}

/** As far as it is known while records come: one writer, one boot, or one identity. A mixed stream's writer is no server. */
function oneServer(a: Life, b: Life): boolean {
  if (a.writer === b.writer && !a.writer.mixed) return true;
  const identity = identityOf(a);
  return (bootID(a) !== '' && bootID(a) === bootID(b)) || (identity !== '' && identity === identityOf(b));
}

function identityOf({ identity, next }: Life): string {
  return identity === '' ? (next?.identity ?? '') : identity;
}

function isPair(source: Half, destination: Half): boolean {
  if (source === destination) return false;
  if (oneServer(source.life, destination.life)) return false;
  return (
    source.verb === destination.verb &&
    source.resource === destination.resource &&
    source.resource !== 0 &&
    source.userAgent === destination.userAgent &&
    destination.receivedUs >= source.receivedUs - SKEW_TOLERANCE &&
    passedOn(source.sourceIPs, destination.sourceIPs) &&
    (source.uri === destination.uri || canonicalURI(source.uri) === canonicalURI(destination.uri))
  );
}

/**
 * True when the destination's addresses are the source's with one appended. A client on the source's own address
 * leaves no second entry; X-Real-Ip may stand in another place.
 */
function passedOn(source: string, destination: string): boolean {
  if (source === '' || destination === '') return false;
  if (destination === source) return true;
  if (destination.length > source.length && destination.startsWith(source) && destination[source.length] === ',') {
    return destination.indexOf(',', source.length + 1) < 0;
  }
  const cut = destination.lastIndexOf(',');
  if (cut < 0) return false;
  const before = new Set(destination.slice(0, cut).split(','));
  const claimed = new Set(source.split(','));
  return before.size === claimed.size && [...claimed].every((ip) => before.has(ip));
}

export function lastOf(sourceIPs: string): string {
  return sourceIPs.slice(sourceIPs.lastIndexOf(',') + 1);
}

function byTime(a: Half, b: Half): number {
  return a.receivedUs - b.receivedUs || a.sourceIPs.length - b.sourceIPs.length || (a.uri < b.uri ? -1 : 1);
}
