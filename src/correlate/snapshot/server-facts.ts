/** The servers themselves, starts that were refused, and APIServices that servers create and delete. */
import type { Observation } from '../../model/observations/index.js';
import type { Life } from '../writer.js';
import { type Context, facts } from './context.js';

export function serverFacts(context: Context): Observation[] {
  return [...servers(context), ...refusals(context), ...churn(context)];
}

function servers(context: Context): Observation[] {
  return context.servers.all.map((server) => ({
    type: 'server' as const,
    ...facts({
      cluster: server.cluster,
      server: server.name,
      from: server.boots[0]?.from ?? 0,
      to: server.boots.at(-1)?.to ?? 0,
      count: Math.max(1, server.boots.length),
      certainty: 'certain',
      evidence: [],
    }),
    identity: server.identity,
    version: server.boots.at(-1)?.version || null,
    peerProxy: context.proxies.last(server).state,
  }));
}

function refusals(context: Context): Observation[] {
  return context.state.logFacts.refusals.flatMap((refusal) => {
    const server = context.servers.of(refusal.life);
    if (server === undefined) return [];
    return {
      type: 'startup-refused' as const,
      ...facts({
        cluster: server.cluster,
        server: server.name,
        from: refusal.timeUs,
        to: refusal.timeUs,
        count: 1,
        certainty: severalWriteInto(context, refusal.life) ? 'possible' : 'certain',
        evidence: [refusal.evidence],
      }),
      error: refusal.error,
      flag: refusal.flag,
    };
  });
}

/** A start that was refused does not say whose it was; where logs were appended to one another it may be any other's. */
function severalWriteInto(context: Context, life: Life): boolean {
  const parts = context.state.writers.all.filter((writer) => writer.input.id === life.writer.input.id);
  const appended = parts.some((writer) => writer.audit > 0) && parts.some((writer) => writer.logs > 0);
  const identities = new Set(parts.flatMap((writer) => [...writer.identities]));
  return life.identity === '' && (identities.size > 1 || (appended && identities.size > 0));
}

function churn(context: Context): Observation[] {
  return [...context.state.apiservices.all()].flatMap((entry) => {
    const deleters = [...entry.deletes.keys()].flatMap((life) => context.serving.bootOf(life) ?? []);
    const creators = [...entry.creates.keys()].flatMap((life) => context.serving.bootOf(life) ?? []);
    const [first] = deleters;
    if (first === undefined) return [];
    const sum = (counts: ReadonlyMap<unknown, number>) => [...counts.values()].reduce((a, b) => a + b, 0);
    return {
      type: 'apiservice-churn' as const,
      ...facts({
        cluster: first.server.cluster,
        server: null,
        from: entry.times.first,
        to: entry.times.last,
        count: entry.times.total,
        certainty: 'certain',
        evidence: [entry.evidence],
      }),
      name: entry.name.slice(0, 200),
      builtIn: entry.builtIn,
      creates: sum(entry.creates),
      deletes: sum(entry.deletes),
      creators: [...new Set(creators.map((boot) => boot.server.name))].sort(),
      deleters: [...new Set(deleters.map((boot) => boot.server.name))].sort(),
      versions: [
        ...new Set([...creators, ...deleters].map((boot) => boot.version).filter((version) => version !== '')),
      ].sort(),
    };
  });
}
