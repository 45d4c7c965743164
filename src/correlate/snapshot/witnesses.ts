/** Which servers serve a resource while another one says 404, and whether records would show all that may. */
import { groupVersionOf } from '../../model/resource.js';
import { SECOND } from '../../model/time.js';
import { isBuiltIn, servedByDefault } from '../serving/version-table.js';
import type { Context } from './context.js';
import { Learning } from './learning.js';
import { mayRunUnseen } from './presence.js';
import type { Relayed } from './relayed.js';
import { type Boot, isUp, type ServerView } from './server-view.js';
import { type Basis, emulatedVersion } from './serving.js';
import { clustersWithStrangers } from './strangers.js';

/** Peers learn each other's resources some seconds after a start; until then a 404 is a server that does not know yet. */
const GRACE = 10 * SECOND;
/** One peer that is not reached may be at fault itself. */
const FEWEST = 2;

export interface Span {
  readonly from: number;
  readonly to: number;
}

/** One that serves a resource, and how that is known. */
export interface Witness {
  readonly server: ServerView;
  readonly basis: Basis;
}

export class Witnesses {
  readonly #context: Context;
  readonly #relayed: Relayed;
  readonly #learning: Learning;
  readonly #strangers: ReadonlySet<string>;

  constructor(context: Context, relayed: Relayed) {
    this.#context = context;
    this.#relayed = relayed;
    this.#learning = new Learning(context);
    this.#strangers = clustersWithStrangers(context.state, context.servers, context.addresses);
  }

  /** The peers that surely served it at the time, when the boot did not and could have known it. */
  servingAt(boot: Boot, resource: string, timeUs: number): Witness[] {
    const { serving } = this.#context;
    if (!isBuiltIn(resource) || !isUp(boot, timeUs, GRACE) || serving.of(boot, resource).serves === true) return [];
    return this.#peers(boot).flatMap((server) =>
      server.boots.flatMap((other) => {
        if (!isUp(other, timeUs, GRACE) || this.#learning.isUnderWay(boot, other, timeUs)) return [];
        const { serves, basis, relayable } = serving.of(other, resource);
        if (serves !== true) return [];
        // Without boot ID and version no start is seen: a first answer may be that of a server just upgraded. And an
        // answer that may have been handed back tells of no other time.
        const dated = !isMarked(other) || (relayable === true && this.#mayHandBack(other, timeUs));
        if (dated && !serving.answeredAround(other, resource, timeUs - GRACE)) return [];
        // Who knows what the peer lists, and passes nothing on to it, refutes what versions make likely.
        if (isGuess(basis) && this.#learning.isDone(boot, other, timeUs)) return [];
        return [{ server, basis }];
      }),
    );
  }

  /** Whether a peer may have given an answer of that time of which no record is here. */
  isBlind(boot: Boot, { from, to }: Span): boolean {
    if (this.#context.servers.partial || this.#strangers.has(boot.server.cluster)) return true;
    return this.#peers(boot).some((server) => !server.hasAudit || mayRunUnseen(server, from, to));
  }

  /** None of the peers whose logs are here was asked by the boot or given a request, though that would be recorded: nor was another, it seems. */
  reachesNobody(boot: Boot): boolean {
    const edges = this.#context.edges.filter((edge) => edge.source === boot.server && edge.destination.hasAudit);
    if (boot !== boot.server.boots.at(-1) || edges.length < FEWEST) return false;
    return edges.every(
      ({ state, attempts }) =>
        (state === 'missing' || state === 'failing') && attempts.ok.between(boot.from, boot.to) === 0,
    );
  }

  /** Whether a peer served it then, or one may have of which nothing tells what it did; not where this boot has it itself. */
  mayBeServed(boot: Boot, resource: string, span: Span): boolean {
    const { servers, serving } = this.#context;
    if (isBuiltIn(resource) && this.#hasItself(boot, resource, span)) return false;
    const isServed = (by: Boot) => serving.of(by, resource).serves === true;
    const peers = this.#peers(boot);
    if (
      peers.flatMap(({ boots }) => boots).some((peer) => isServed(peer) && peer.from <= span.to && peer.to >= span.from)
    )
      return true;
    const unseen = servers.partial || this.#strangers.has(boot.server.cluster);
    if (!unseen && !peers.some((server) => mayRunUnseen(server, span.from, span.to))) return false;
    return servers.all.some(({ boots }) => boots.some(isServed));
  }

  /** What it answered may be a peer's answer whose log is not here; the core group cannot be turned off. */
  #hasItself(boot: Boot, resource: string, span: Span): boolean {
    const { serves, basis } = this.#context.serving.of(boot, resource);
    if (serves !== true) return false;
    if (groupVersionOf(resource) === 'v1')
      return basis === 'requests' || servedByDefault(resource, emulatedVersion(boot)) === true;
    return basis === 'requests' ? !this.isBlind(boot, span) : basis !== 'version-table';
  }

  #mayHandBack(boot: Boot, timeUs: number): boolean {
    const passesOn = this.#context.proxies.of(boot).state !== 'inactive';
    return passesOn && !this.#relayed.isLogged(boot, timeUs) && this.isBlind(boot, { from: timeUs, to: timeUs });
  }

  #peers({ server }: Boot): ServerView[] {
    return this.#context.servers.all.filter((other) => other !== server && other.cluster === server.cluster);
  }
}

/** No answer and no list of its own says so. */
function isGuess(basis: Basis): boolean {
  return basis === 'version-table' || basis === 'process-log';
}

function isMarked(boot: Boot): boolean {
  return boot.lives.some((life) => life.uid !== '' || life.version !== '');
}
