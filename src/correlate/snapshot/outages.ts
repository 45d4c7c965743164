/**
 * Which peers a source could not reach with its clients' requests, and where the fault lies: with a peer that nobody
 * reached meanwhile, else with the source.
 */
import { SECOND } from '../../model/time.js';
import { SETTING_CAUSES } from '../peers/error-cause.js';
import { TimeHistogram } from '../time-histogram.js';
import { blame, type PeerEdge } from './blame.js';
import type { Context } from './context.js';
import type { Hop } from './failed-hops.js';
import { type Boot, isUp, type ServerView } from './server-view.js';

/** Outages of two sources this far apart are not one. */
const APART = 30 * SECOND;

/** Requests that a source could not pass on, to one peer or to nobody knows whom. */
export interface Outage {
  readonly source: ServerView;
  readonly destination?: ServerView;
  /** When the requests came in that failed. */
  readonly times: TimeHistogram;
}

export interface FailedEdge extends Outage {
  readonly destination: ServerView;
}

/** The peers of one source that are known to have failed. `isPassedOn` tells of a request whether it was to be passed on. */
export function failedEdges(context: Context, source: ServerView, isPassedOn: (hop: Hop) => boolean): FailedEdge[] {
  const edges = new Map<ServerView, FailedEdge>();
  const add = (destination: ServerView, timeUs: number) => {
    const edge = edges.get(destination) ?? { source, destination, times: new TimeHistogram() };
    edges.set(destination, edge);
    edge.times.add(timeUs);
  };
  const { hops, lone, logs } = context.hops.of(source);
  for (const hop of hops) {
    const { answer, destination, reached } = hop;
    const { receivedUs: at } = answer;
    const resource = context.state.resources.name(answer.resource);
    if (reached || !isPassedOn(hop)) continue;
    if (answer.endpointMissing) for (const peer of peersWith(context, source, resource, at).sure) add(peer, at);
    else {
      const peer = destination ?? (hop.called ? undefined : onlyPeerWith(context, source, resource, at));
      if (peer !== undefined) add(peer, at);
    }
  }
  for (const { timeUs, destination } of lone) if (destination !== undefined) add(destination, timeUs);
  if (hops.some(({ answer }) => answer.endpointMissing)) return [...edges.values()];
  for (const { resource, failures } of logs.flatMap((log) => [...log.unresolved.values()]))
    for (const peer of peersWith(context, source, resource, failures.times.first).sure)
      for (const [timeUs] of failures.times.entries()) add(peer, Math.max(timeUs, failures.times.first));
  return [...edges.values()];
}

export interface Fault {
  readonly server: ServerView;
  /** Its own calls fail as well as those to it. */
  readonly bothWays: boolean;
}

/** The server at fault for all failures of a source, by source; those that are not in it have none. */
export function peersAtFault(context: Context, edges: readonly FailedEdge[]): ReadonlyMap<ServerView, Fault> {
  const found = new Map<ServerView, Fault>();
  for (const cluster of new Set(edges.map(({ source }) => source.cluster))) {
    const here = edges.filter(({ source }) => source.cluster === cluster);
    const working = workingEdges(context, here);
    const cutOff = serverCutOff(here, working);
    if (cutOff !== undefined) {
      for (const { source } of here) found.set(source, { server: cutOff, bothWays: true });
      continue;
    }
    for (const { server, role, edges: own } of blame(here, working, 'source')) {
      if (role !== 'destination' || own.length < 2 || !atOneTime(own)) continue;
      for (const { source } of own)
        if (here.every((edge) => edge.source !== source || edge.destination === server))
          found.set(source, { server, bothWays: false });
    }
  }
  for (const [source, fault] of found)
    if ([...found.values()].filter(({ server }) => server === fault.server).length < 2) found.delete(source);
  return found;
}

/** All that failed at one time was from or to this server, nothing else did, and nothing from or to it worked. */
function serverCutOff(failed: readonly FailedEdge[], working: readonly PeerEdge[]): ServerView | undefined {
  if (!atOneTime(failed)) return undefined;
  const candidates = [...new Set(failed.map(({ source }) => source))].filter(
    (server) =>
      failed.some(({ destination }) => destination === server) &&
      failed.every(({ source, destination }) => source === server || destination === server) &&
      !working.some(({ source, destination }) => source === server || destination === server),
  );
  return candidates.length === 1 ? candidates[0] : undefined;
}

function atOneTime(edges: readonly FailedEdge[]): boolean {
  return (
    Math.max(...edges.map(({ times }) => times.first)) <= Math.min(...edges.map(({ times }) => times.last)) + APART
  );
}

/**
 * Edges over which requests got their answer while others failed. Of these that came late in that time some waited for
 * the end of it: the first half of it tells.
 */
export function workingEdges(context: Context, failed: readonly FailedEdge[]) {
  const from = Math.min(...failed.map(({ times }) => times.first));
  const last = Math.max(...failed.map(({ times }) => times.last));
  const until = from + (last - from) / 2;
  const isFailed = (source: ServerView, destination: ServerView) =>
    failed.some((edge) => edge.source === source && edge.destination === destination);
  return context.pairs.filter(
    ({ source, destination, total }) =>
      !isFailed(source, destination) &&
      total.code !== 0 &&
      total.code < 500 &&
      total.times.between(from, until) > total.sourceFailed.between(from, until),
  );
}

/** The only peer that can have been asked, or the only one of them that was down; undefined where the records do not tell of all servers. */
function onlyPeerWith(context: Context, source: ServerView, resource: string, at: number): ServerView | undefined {
  if (context.servers.partial) return undefined;
  const { sure, possible } = peersWith(context, source, resource, at);
  const down = possible.filter((peer) => !peer.boots.some((boot) => isUp(boot, at, 0)));
  const [only] = down.length === 1 ? down : possible;
  return only !== undefined && (down.length === 1 || possible.length === 1) && sure.includes(only) ? only : undefined;
}

/** The peers that a source passes requests for the resource on to: it knows them, and they have it. */
function peersWith(context: Context, source: ServerView, resource: string, at: number) {
  const known = context.edges.filter(
    (edge) => edge.source === source && (edge.cause === null || !SETTING_CAUSES.has(edge.cause)),
  );
  const sure: ServerView[] = [];
  const possible: ServerView[] = [];
  for (const { destination } of known) {
    const boot = bootAt(destination, at);
    const serves = boot === undefined ? undefined : context.serving.of(boot, resource).serves;
    if (serves === true) sure.push(destination);
    if (serves !== false) possible.push(destination);
  }
  return { sure, possible };
}

/** The boot that runs, or the last one that ran: a server that crashed stays among its peers' for an hour. */
function bootAt(server: ServerView, at: number): Boot | undefined {
  const boot = server.boots.findLast(({ from }) => from <= at);
  return boot === undefined || (boot.stoppedAt !== 0 && boot.stoppedAt < at - SECOND) ? undefined : boot;
}
