/** What wrong 404s destroyed: dependents that the collector deleted, objects that a finalized namespace left behind. */
import type { HarmedObject } from '../../model/finding.js';
import type { Observation } from '../../model/observations/index.js';
import { EvidenceSet } from '../evidence.js';
import type { Deletion, OwnerLookup } from '../harm/collector.js';
import type { Finalized } from '../harm/namespaces.js';
import { pairUp } from '../requests/pairing.js';
import { type Context, facts } from './context.js';
import type { NotFoundView } from './not-found.js';
import type { ServerView } from './server-view.js';

const OBJECTS = 500;

export function harmObservations(context: Context, notFound: NotFoundView): Observation[] {
  return [...collected(context, notFound), ...orphaned(context), ...legacyDiscovery(context)];
}

function collected(context: Context, notFound: NotFoundView): Observation[] {
  const byServer = new Map<ServerView, Deletion[]>();
  for (const deletion of context.state.collector.deletions) {
    const server = context.servers.of(deletion.lookup.life);
    if (server === undefined || !wasWrong(context, notFound, deletion.lookup)) continue;
    byServer.set(server, [...(byServer.get(server) ?? []), deletion]);
  }
  return [...byServer].map(([server, deletions]) => {
    const evidence = new EvidenceSet();
    for (const { lookup, ...deletion } of deletions) {
      evidence.add(lookup.timeUs, lookup.life.writer.input, lookup.line, lookup.offset, lookup.quote);
      evidence.add(deletion.timeUs, deletion.life.writer.input, deletion.line, deletion.offset, deletion.quote);
    }
    const times = deletions.map((deletion) => deletion.timeUs);
    return {
      type: 'collected-after-not-found' as const,
      ...facts({
        cluster: server.cluster,
        server: server.name,
        from: Math.min(...times),
        to: Math.max(...times),
        count: deletions.length,
        certainty: 'likely',
        evidence: [evidence],
      }),
      objects: objects(context, deletions),
      owners: objects(
        context,
        deletions.map((deletion) => deletion.lookup),
      ),
    };
  });
}

/** The owner's 404 was this server's own and a live peer serves the owner's resource. */
function wasWrong(context: Context, notFound: NotFoundView, lookup: OwnerLookup): boolean {
  const boot = context.serving.bootOf(lookup.life);
  if (boot === undefined) return false;
  if (
    pairUp(lookup.group).pairs.some((pair) => pair.source.life === lookup.life && pair.source.doneUs === lookup.timeUs)
  )
    return false;
  const resource = context.state.resources.name(lookup.resource);
  return notFound.wrongAt(boot, resource, lookup.timeUs, lookup.shape === 'bare').length > 0;
}

function orphaned(context: Context): Observation[] {
  return context.state.namespaces.finalized.flatMap((finalized) => {
    const server = context.servers.of(finalized.life);
    const boot = context.serving.bootOf(finalized.life);
    if (server === undefined || boot === undefined) return [];
    const hidden = finalized.left.filter(({ resource, createdBy }) => {
      const name = context.state.resources.name(resource);
      const creator = context.serving.bootOf(createdBy);
      if (creator === undefined || creator.server === server) return false;
      return context.serving.of(boot, name).serves !== true && context.serving.of(creator, name).serves === true;
    });
    return hidden.length === 0 ? [] : [orphan(context, server, finalized, hidden)];
  });
}

function orphan(context: Context, server: ServerView, finalized: Finalized, hidden: Finalized['left']): Observation {
  const left = hidden.map(({ resource, name }) => ({ resource, name, namespace: finalized.namespace }));
  const evidence = new EvidenceSet();
  evidence.add(finalized.timeUs, finalized.life.writer.input, finalized.line, finalized.offset, finalized.quote);
  return {
    type: 'namespace-finalized',
    ...facts({
      cluster: server.cluster,
      server: server.name,
      from: finalized.timeUs,
      to: finalized.timeUs,
      count: left.length,
      certainty: 'likely',
      evidence: [evidence],
    }),
    namespace: finalized.namespace,
    resources: [...new Set(left.map(({ resource }) => context.state.resources.name(resource)))].sort(),
    objects: objects(context, left),
  };
}

function legacyDiscovery(context: Context): Observation[] {
  const byClient = new Map<
    string,
    {
      server: ServerView;
      client: string;
      groupVersions: Set<string>;
      evidence: EvidenceSet;
      from: number;
      to: number;
      count: number;
    }
  >();
  for (const miss of context.state.legacyDiscovery.all()) {
    const boot = context.serving.bootOf(miss.life);
    if (boot === undefined || !servedByPeer(context, boot.server, miss.groupVersion)) continue;
    const key = `${boot.server.cluster} ${boot.server.name} ${miss.client}`;
    const entry = byClient.get(key) ?? {
      server: boot.server,
      client: miss.client,
      groupVersions: new Set<string>(),
      evidence: new EvidenceSet(),
      from: Number.POSITIVE_INFINITY,
      to: Number.NEGATIVE_INFINITY,
      count: 0,
    };
    byClient.set(key, entry);
    entry.groupVersions.add(miss.groupVersion);
    entry.evidence.merge(miss.evidence);
    entry.from = Math.min(entry.from, miss.times.first);
    entry.to = Math.max(entry.to, miss.times.last);
    entry.count += miss.times.total;
  }
  return [...byClient.values()].map(({ server, client, groupVersions, evidence, from, to, count }) => ({
    type: 'legacy-discovery' as const,
    ...facts({
      cluster: server.cluster,
      server: server.name,
      from,
      to,
      count,
      certainty: 'likely',
      evidence: [evidence],
    }),
    client,
    groupVersions: [...groupVersions].sort().slice(0, 50),
  }));
}

/** Some resource of the group/version was answered by a peer, or a document of a peer names one. */
function servedByPeer(context: Context, server: ServerView, groupVersion: string): boolean {
  const suffix = `.${groupVersion}`;
  return context.servers.all.some(
    (peer) =>
      peer !== server &&
      peer.cluster === server.cluster &&
      (peer.documents.some((d) => [...d.nopeer].some((resource) => resource.endsWith(suffix))) ||
        [...context.serving.resources()].some(
          (resource) =>
            resource.endsWith(suffix) && peer.boots.some((boot) => context.serving.of(boot, resource).serves === true),
        )),
  );
}

function objects(
  context: Context,
  list: readonly { resource: number; namespace: string; name: string }[],
): HarmedObject[] {
  const unique = new Map<string, HarmedObject>();
  for (const { resource, namespace, name } of list) {
    const object = { resource: context.state.resources.name(resource), namespace, name };
    unique.set(`${object.resource} ${namespace} ${name}`, object);
  }
  return [...unique.keys()]
    .sort()
    .slice(0, OBJECTS)
    .flatMap((key) => unique.get(key) ?? []);
}
