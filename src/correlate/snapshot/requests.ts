/** Gives the requests that wait to be told their servers' names, and leaves out what is no proxied request after all. */
import { placeIn } from '../../model/origin.js';
import type { ProxiedRequest, RequestSide } from '../../model/proxied-request.js';
import { MILLISECOND } from '../../model/time.js';
import type { Half } from '../requests/half.js';
import { pairUp } from '../requests/pairing.js';
import type { ToldPair } from '../requests/told-requests.js';
import { Sample } from '../sketch.js';
import type { Context } from './context.js';
import { isProxyFailure, loggedCause } from './proxy-failures.js';
import type { ServerView } from './server-view.js';

export function toldRequests(context: Context): ProxiedRequest[] {
  const { told, requests } = context.state;
  for (const first of requests.pending()) {
    const { pairs, single } = pairUp(first);
    for (const pair of pairs) {
      if (pair.source.finalCode !== 0 && pair.destination.finalCode !== 0)
        told.pair(pair, pairs.length + single.length > 1);
    }
  }
  const { pairs, failures } = told.drain();
  const skews = skewsOf(context);
  const list: ProxiedRequest[] = [];
  const openPairs: ToldPair[] = [];
  const openFailures: Half[] = [];
  for (const { source, destination, via, ambiguous } of pairs) {
    const [from, to] = [context.servers.of(source.life), context.servers.of(destination.life)];
    if (from === undefined || to === undefined || from === to || !context.addresses.owns(from, via)) {
      openPairs.push({ source, destination, via, ambiguous });
      continue;
    }
    const skewUs = skews.get(`${from.cluster} ${from.name} ${to.name}`) ?? 0;
    list.push({ ...common(context, source, from), destination: side(destination, to), cause: null, skewUs, ambiguous });
  }
  for (const half of failures) {
    const server = context.servers.of(half.life);
    const boot = context.serving.bootOf(half.life);
    const resource = context.state.resources.name(half.resource);
    if (server === undefined || boot === undefined || !isProxyFailure(context, { boot, resource })) {
      openFailures.push(half);
      continue;
    }
    list.push({
      ...common(context, half, server),
      destination: null,
      cause: loggedCause(context, server, half),
      skewUs: 0,
      ambiguous: half.next !== null,
    });
  }
  told.giveBack(openPairs, openFailures);
  return list.sort((a, b) => a.source.receivedUs - b.source.receivedUs || (a.auditID < b.auditID ? -1 : 1));
}

function common(context: Context, half: Half, server: ServerView) {
  return {
    auditID: half.auditID,
    cluster: server.cluster,
    verb: half.verb,
    requestURI: half.uri,
    resource: context.state.resources.name(half.resource),
    namespace: half.namespace,
    name: half.name,
    userAgent: half.userAgent,
    sourceIPs: half.sourceIPs,
    source: side(half, server),
  };
}

function side(half: Half, server: ServerView): RequestSide {
  return {
    server: server.name,
    receivedUs: half.receivedUs,
    doneUs:
      half.doneUs === 0 ? (half.startedUs === 0 ? null : half.finalCode === 0 ? null : half.startedUs) : half.doneUs,
    code: half.finalCode === 0 ? null : half.finalCode,
    ...placeIn(half.life.writer.input, half.line),
  };
}

/** Median clock difference by edge, in whole microseconds. */
function skewsOf(context: Context): Map<string, number> {
  const samples = new Map<string, Sample>();
  for (const { source, destination, total } of context.pairs) {
    const key = `${source.cluster} ${source.name} ${destination.name}`;
    const sample = samples.get(key) ?? new Sample();
    samples.set(key, sample);
    sample.merge(total.skew);
  }
  return new Map(
    [...samples].flatMap(([key, sample]) =>
      sample.count === 0 ? [] : [[key, Math.round(sample.quantile(0.5) * MILLISECOND)] as const],
    ),
  );
}
