/** Servers without a peer proxy, and clusters in which nobody has one although their servers differ. */
import type { Observation } from '../../model/observations/index.js';
import { type Context, edgeNames, facts } from './context.js';
import type { ServerView } from './server-view.js';

export function inactiveProxies(context: Context): Observation[] {
  return [...inactiveServers(context), ...inactiveClusters(context)];
}

function inactiveServers(context: Context): Observation[] {
  return context.servers.all.flatMap((server) => {
    const proxy = context.proxies.last(server);
    const boot = server.boots.at(-1);
    if (proxy.state !== 'inactive' || boot === undefined) return [];
    const peers = context.servers.all.filter((s) => s !== server && s.cluster === server.cluster);
    const evidence = boot.log.flatMap((f) => f.flagEvidence.get('peer-ca-file') ?? []);
    return {
      type: 'peer-proxy-state' as const,
      ...facts({
        cluster: server.cluster,
        server: server.name,
        from: boot.from,
        to: boot.to,
        count: 1,
        certainty: proxy.certain ? 'certain' : 'likely',
        edges: edgeNames(
          peers.filter((s) => s.boots.length > 0).map((destination) => ({ source: server, destination })),
        ),
        evidence: [...evidence, ...server.leases.slice(-1).map((lease) => lease.evidence)],
      }),
      state: 'inactive' as const,
      reason: proxy.reason,
      peersActive: peers.some((s) => context.proxies.last(s).state === 'active'),
    };
  });
}

/** Nobody has the proxy: worth a word only where servers differ in what they are or serve. */
function inactiveClusters(context: Context): Observation[] {
  const clusters = new Set(context.servers.all.map((server) => server.cluster));
  return [...clusters].flatMap((cluster) => {
    const all = context.servers.all.filter((server) => server.cluster === cluster && server.boots.length > 0);
    const inactive = all.filter((server) => context.proxies.last(server).state === 'inactive');
    const boots = all.flatMap((server) => server.boots);
    if (inactive.length < 2 || boots.some((boot) => context.proxies.of(boot).state === 'active')) return [];
    const versions = new Set(boots.map((boot) => boot.version).filter((version) => version !== ''));
    const resources = differing(context, all);
    return {
      type: 'cluster-proxy' as const,
      ...facts({
        cluster,
        server: null,
        from: Math.min(...boots.map((boot) => boot.from)),
        to: Math.max(...boots.map((boot) => boot.to)),
        count: inactive.length,
        certainty: inactive.some((server) => context.proxies.last(server).certain) ? 'certain' : 'likely',
        evidence: all.flatMap((server) => server.leases.slice(-1).map((lease) => lease.evidence)),
      }),
      servers: all.map((server) => server.name),
      versionsDiffer: versions.size > 1,
      resourcesDiffer: resources.length > 0,
      resources: resources.slice(0, 20),
    };
  });
}

/** Resources that one server answered and another said 404 for, by requests, documents or logs; not by the table alone. */
function differing(context: Context, all: readonly ServerView[]): string[] {
  return [...context.serving.resources()]
    .filter((resource) => {
      const judged = all.flatMap((server) => server.boots.slice(-1).map((boot) => context.serving.of(boot, resource)));
      const refused = judged.some((s) => s.serves === false && s.basis !== 'version-table');
      return refused && judged.some((s) => s.serves === true);
    })
    .sort();
}
