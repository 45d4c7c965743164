/** Whether a boot knew what a peer serves at a time, as its fetches and what it passed on show. */
import { SECOND } from '../../model/time.js';
import type { TimeHistogram } from '../time-histogram.js';
import type { Context } from './context.js';
import type { ProxiedPair } from './pairs-view.js';
import { recordsFetches } from './recording.js';
import { type Boot, isStart } from './server-view.js';

/** An edge that came up within this time after both ran was only starting. */
const SETTLING = 60 * SECOND;
/** Where nothing would show when it came up: it takes some seconds, seldom more. */
const UNSEEN = 20 * SECOND;

export class Learning {
  readonly #known = new Map<Boot, Map<Boot, TimeHistogram[]>>();

  constructor(private readonly context: Context) {}

  /**
   * True while the source had not yet fetched what the peer serves, and did so soon after, as its fetch or the first
   * request that it passed on shows. Where neither would be recorded, for as long as learning takes.
   */
  isUnderWay(boot: Boot, peer: Boot, timeUs: number): boolean {
    if (this.isDone(boot, peer, timeUs)) return false;
    const together = Math.max(boot.from, peer.from);
    const signs = this.#signs(boot, peer);
    const learnt = signs.flatMap((times) => [...times.entries()].map(([at]) => at));
    if (learnt.some((at) => at > timeUs && at >= together && at <= together + SETTLING)) return true;
    const started = boot.from >= peer.from ? isStart(boot) : isStart(peer);
    if (!started || timeUs > together + UNSEEN || this.context.proxies.of(boot).state === 'inactive') return false;
    return !recordsFetches(boot.server, peer.server);
  }

  isDone(boot: Boot, peer: Boot, timeUs: number): boolean {
    const together = Math.max(boot.from, peer.from);
    return this.#signs(boot, peer).some((times) => times.between(together, timeUs) > 0);
  }

  /** It is asked for every stretch of every resource that the boot answered 404 for. */
  #signs(boot: Boot, peer: Boot): TimeHistogram[] {
    const byPeer = this.#known.get(boot) ?? new Map<Boot, TimeHistogram[]>();
    this.#known.set(boot, byPeer);
    const known = byPeer.get(peer);
    if (known !== undefined) return known;
    const edge = this.context.edges.find((e) => e.source === boot.server && e.destination === peer.server);
    const signs = [
      ...(edge === undefined ? [] : [edge.attempts.ok]),
      ...this.context.pairs.filter(isBetween(boot, peer)).map(({ total }) => total.times),
    ];
    byPeer.set(peer, signs);
    return signs;
  }
}

function isBetween(boot: Boot, peer: Boot): (pair: ProxiedPair) => boolean {
  return ({ total }) => boot.lives.includes(total.source) && peer.lives.includes(total.destination);
}
