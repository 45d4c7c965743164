/**
 * Which peer each request was for that could not be passed on. The audit log has the request and its exact times, the
 * process log the call, which follows within moments and names the peer, and the error, which comes right before the
 * answer. What fits calls to several peers is given to none.
 */
import type { PeerCallCause } from '../../model/observations/index.js';
import { resourceOfPath } from '../../model/resource.js';
import { MILLISECOND, SECOND } from '../../model/time.js';
import type { State } from '../cluster-correlator.js';
import { type FailedAnswer, UNTIL_CALL } from '../peers/failed-answers.js';
import { CALL_OPEN, type LifeRequests, type RequestCall, type RequestError } from '../peers/request-log.js';
import { BESIDE } from '../requests/pair-totals.js';
import type { Addresses } from './addresses.js';
import type { ProxiedPair } from './pairs-view.js';
import { type PeerServers, peerServers } from './peer-servers.js';
import type { Boot, ServerView } from './server-view.js';
import type { Servers } from './servers.js';
import type { Serving } from './serving.js';

/** From an error line to the time of the answer in the audit log. */
const UNTIL_ANSWER = 300 * MILLISECOND;
const EARLY = 20 * MILLISECOND;
/** A client that goes away after so long had waited in vain. */
const PATIENCE = 10 * SECOND;

/** One request that was answered 503 or 504. */
export interface Hop {
  readonly answer: FailedAnswer;
  /** A call line stands in the process log: it was to be passed on. */
  readonly called: boolean;
  readonly destination: ServerView | undefined;
  readonly cause: PeerCallCause | undefined;
  /** It reached a peer nevertheless, perhaps after its client had gone. */
  readonly reached: boolean;
}

/** An error line without an answer beside it. */
export interface LoneError {
  readonly timeUs: number;
  readonly destination: ServerView | undefined;
}

export interface SourceHops {
  readonly hops: readonly Hop[];
  readonly lone: readonly LoneError[];
  /** Error lines by what they mean. */
  readonly causes: ReadonlyMap<PeerCallCause, number>;
  readonly logs: readonly LifeRequests[];
}

export class FailedHops {
  readonly #bySource = new Map<ServerView, SourceHops>();
  readonly #called = new Map<Boot, Set<string>>();

  constructor(state: State, servers: Servers, addresses: Addresses, pairs: readonly ProxiedPair[], serving: Serving) {
    const peers = peerServers(state, servers, addresses);
    for (const source of servers.all) {
      const lives = source.boots.flatMap((boot) => boot.lives).filter((life) => servers.of(life) === source);
      const logs = lives.flatMap((life) => state.calls.requests.of(life) ?? []);
      const answers = lives.flatMap((life) => state.failedAnswers.of(life));
      const own = pairs.filter((pair) => pair.source === source);
      const found = new Matching(source, peers, logs, answers, own).result();
      this.#bySource.set(source, { ...found, logs });
      for (const { answer, called } of found.hops)
        if (called) this.#note(serving.bootOf(answer.life), state.resources.name(answer.resource));
      for (const life of lives) this.#noteLogged(serving.bootOf(life), state.calls.requests.of(life));
    }
  }

  of(source: ServerView): SourceHops {
    return this.#bySource.get(source) ?? { hops: [], lone: [], causes: new Map(), logs: [] };
  }

  /** The boot's process log says that requests for the resource were to be passed on and failed. */
  called(boot: Boot, resource: string): boolean {
    return this.#called.get(boot)?.has(resource) === true;
  }

  /** Of which the boot's process log says so. */
  resources(boot: Boot): Iterable<string> {
    return this.#called.get(boot) ?? [];
  }

  /** All calls that were open at an error are for one resource: then that one failed, whichever it was. */
  #noteLogged(boot: Boot | undefined, log: LifeRequests | undefined): void {
    if (log === undefined) return;
    for (const resource of log.unresolved.keys()) this.#note(boot, resource);
    const resources = new Set(log.errors.length === 0 ? [] : log.calls.map((call) => resourceOfPath(call.path)));
    const [only] = resources;
    if (resources.size === 1 && only !== undefined && only !== '') this.#note(boot, only);
  }

  #note(boot: Boot | undefined, resource: string): void {
    if (boot !== undefined) this.#called.set(boot, (this.#called.get(boot) ?? new Set()).add(resource));
  }
}

/** Answers, calls and errors of one source. */
class Matching {
  readonly #calls: readonly RequestCall[];
  readonly #callsOf = new Map<string, RequestCall[]>();
  /** By path: requests that reached a peer. */
  readonly #reached = new Map<string, { readonly pair: ProxiedPair; readonly receivedUs: number }[]>();
  /** Pairs of which not every request is kept. */
  readonly #full: readonly ProxiedPair[];
  readonly #hops: Hop[];

  constructor(
    readonly source: ServerView,
    readonly peers: PeerServers,
    readonly logs: readonly LifeRequests[],
    answers: readonly FailedAnswer[],
    pairs: readonly ProxiedPair[],
  ) {
    this.#calls = logs.flatMap((log) => log.calls);
    for (const call of this.#calls) file(this.#callsOf, call.path, call);
    for (const pair of pairs)
      for (const { path, receivedUs } of pair.total.beside) file(this.#reached, path, { pair, receivedUs });
    this.#full = pairs.filter(({ total }) => total.beside.length >= BESIDE && total.sourceFailed.total > 0);
    this.#hops = answers.map((answer) => this.#hopOf(answer));
  }

  result(): Omit<SourceHops, 'logs'> {
    const causes = new Map<PeerCallCause, number>();
    const count = (cause: PeerCallCause, by = 1) => causes.set(cause, (causes.get(cause) ?? 0) + by);
    const lone: LoneError[] = [];
    const errorsOf = new Map<Hop, { cause: PeerCallCause; destination: ServerView | undefined }[]>();
    for (const log of this.logs) {
      const counted = new Map<PeerCallCause, number>();
      for (const error of log.errors) {
        const hops = this.#hopsAt(error.timeUs);
        const cause = meaningOf(error, hops);
        const destination = this.#destinationOf(error, hops);
        count(cause);
        counted.set(error.cause, (counted.get(error.cause) ?? 0) + 1);
        if (hops.length === 0) lone.push({ timeUs: error.timeUs, destination });
        for (const hop of hops) errorsOf.set(hop, [...(errorsOf.get(hop) ?? []), { cause, destination }]);
      }
      for (const [cause, { times }] of log.attempts.failures) {
        const more = times.total - (counted.get(cause) ?? 0);
        if (more > 0) count(cause, more);
      }
    }
    const unresolved = this.logs
      .flatMap((log) => [...log.unresolved.values()])
      .reduce((sum, { failures }) => sum + failures.times.total, 0);
    const missing = Math.max(unresolved, this.#hops.filter((hop) => hop.answer.endpointMissing).length);
    if (missing > 0) count('no-endpoint', missing);
    return { hops: this.#hops.map((hop) => completed(hop, errorsOf.get(hop) ?? [])), lone, causes };
  }

  #hopOf(answer: FailedAnswer): Hop {
    const { receivedUs, doneUs, endpointMissing } = answer;
    const reached = this.#hasReached(answer);
    if (endpointMissing) return { answer, called: true, destination: undefined, cause: 'no-endpoint', reached };
    const until = Math.min(doneUs, receivedUs + UNTIL_CALL);
    const calls = (this.#callsOf.get(answer.path) ?? []).filter(
      ({ timeUs }) => timeUs >= receivedUs - MILLISECOND && timeUs <= until,
    );
    const complete = !this.logs.some((log) => lacks(log, receivedUs, until));
    const open = complete ? calls.filter((call) => !this.#isOfOthers(answer, call)) : [];
    const destination = this.#onlyPeer(open);
    return { answer, called: calls.length > 0, destination, cause: undefined, reached };
  }

  /** As exactly as the pairs are kept. */
  #hasReached({ path, resource, receivedUs }: FailedAnswer): boolean {
    const fits = ({ total }: ProxiedPair) =>
      total.resource === resource && total.sourceFailed.between(receivedUs, receivedUs) > 0;
    const kept = this.#reached.get(path) ?? [];
    return kept.some((one) => one.receivedUs === receivedUs && fits(one.pair)) || this.#full.some(fits);
  }

  /** All calls of the path to this peer at the time are those of requests that reached it. */
  #isOfOthers({ path, receivedUs }: FailedAnswer, call: RequestCall): boolean {
    const peer = this.#peerAt(call.address, call.timeUs);
    const reached = (this.#reached.get(path) ?? [])
      .filter((one) => one.pair.destination === peer && one.receivedUs !== receivedUs)
      .sort((a, b) => a.receivedUs - b.receivedUs);
    const calls = (this.#callsOf.get(path) ?? []).filter(
      ({ address, timeUs }) => address === call.address && Math.abs(timeUs - receivedUs) <= 2 * UNTIL_CALL,
    );
    let at = 0;
    for (const { timeUs } of calls) {
      while (at < reached.length && (reached[at]?.receivedUs ?? 0) < timeUs - UNTIL_CALL) at += 1;
      if (at >= reached.length || (reached[at]?.receivedUs ?? 0) > timeUs) return false;
      at += 1;
    }
    return true;
  }

  /** Requests whose answer was about to be written when an error came. */
  #hopsAt(timeUs: number): Hop[] {
    return this.#hops.filter(
      ({ answer, cause }) =>
        cause !== 'no-endpoint' &&
        answer.receivedUs <= timeUs &&
        answer.doneUs >= timeUs - EARLY &&
        answer.doneUs <= timeUs + UNTIL_ANSWER,
    );
  }

  #destinationOf(error: RequestError, hops: readonly Hop[]): ServerView | undefined {
    if (error.address !== '') return this.#peerAt(error.address, error.timeUs);
    const [first] = hops;
    if (first !== undefined)
      return hops.every(({ destination }) => destination === first.destination) ? first.destination : undefined;
    const since = error.timeUs - CALL_OPEN;
    if (this.logs.some((log) => lacks(log, since, error.timeUs))) return undefined;
    const open: RequestCall[] = [];
    for (const call of this.#calls) {
      if (call.timeUs < since || call.timeUs > error.timeUs) continue;
      open.push(call);
      if (call.address !== open[0]?.address) return undefined;
    }
    return this.#onlyPeer(open);
  }

  #onlyPeer(calls: readonly RequestCall[]): ServerView | undefined {
    const [first] = calls;
    const same = first !== undefined && calls.every(({ address }) => address === first.address);
    return same ? this.#peerAt(first.address, first.timeUs) : undefined;
  }

  #peerAt(address: string, timeUs: number): ServerView | undefined {
    const peer = this.peers.atAddress(address, this.source, timeUs);
    return peer === this.source ? undefined : peer;
  }
}

function file<T>(map: Map<string, T[]>, key: string, value: T): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [value]);
  else known.push(value);
}

function lacks({ missing }: LifeRequests, from: number, to: number): boolean {
  return missing !== undefined && missing.from <= to && missing.to >= from;
}

/** A client that gives up on a request that hangs leaves the same words as one that loses interest at once. */
function meaningOf({ cause }: RequestError, hops: readonly Hop[]): PeerCallCause {
  const inVain = hops.length > 0 && hops.every(({ answer }) => answer.doneUs - answer.receivedUs >= PATIENCE);
  return cause === 'canceled' && inVain ? 'timeout' : cause;
}

/** The errors at a request's end tell its cause, and its peer where no call line does, if all say the same. */
function completed(
  hop: Hop,
  errors: readonly { readonly cause: PeerCallCause; readonly destination: ServerView | undefined }[],
): Hop {
  const [first] = errors;
  if (first === undefined) return hop;
  const same = errors.every(({ destination }) => destination === first.destination);
  return {
    ...hop,
    destination: hop.destination ?? (same ? first.destination : undefined),
    cause: errors.every(({ cause }) => cause === first.cause) ? first.cause : undefined,
  };
}
