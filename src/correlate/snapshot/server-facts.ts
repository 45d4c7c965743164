/** The servers themselves, starts that were refused, and APIServices that servers create and delete. */
import type { Observation } from '../../model/observations/index.js';
import type { Churn, ChurnShare } from '../apiservices.js';
import type { Life } from '../writer.js';
import { type Context, facts } from './context.js';
import type { Boot } from './server-view.js';

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
    const shares = [...entry.byLife].flatMap(([life, share]) => {
      const boot = context.serving.bootOf(life);
      return boot === undefined ? [] : [{ boot, share }];
    });
    const clusters = new Set(shares.map(({ boot }) => boot.server.cluster));
    return [...clusters].flatMap((cluster) =>
      churnIn(
        cluster,
        entry,
        shares.filter(({ boot }) => boot.server.cluster === cluster),
      ),
    );
  });
}

function churnIn(
  cluster: string,
  entry: Churn,
  shares: readonly { readonly boot: Boot; readonly share: ChurnShare }[],
): Observation[] {
  const creators = shares.filter(({ share }) => share.creates > 0);
  const deleters = shares.filter(({ share }) => share.deletes > 0);
  if (deleters.length === 0) return [];
  const names = (of: typeof shares) => [...new Set(of.map(({ boot }) => boot.server.name))].sort();
  const versions = new Set(shares.map(({ boot }) => boot.version).filter((version) => version !== ''));
  return [
    {
      type: 'apiservice-churn',
      ...facts({
        cluster,
        server: null,
        from: Math.min(...shares.map(({ share }) => share.times.first)),
        to: Math.max(...shares.map(({ share }) => share.times.last)),
        count: shares.reduce((sum, { share }) => sum + share.times.total, 0),
        certainty: 'certain',
        evidence: shares.map(({ share }) => share.evidence),
      }),
      name: entry.name.slice(0, 200),
      builtIn: entry.builtIn,
      creates: creators.reduce((sum, { share }) => sum + share.creates, 0),
      deletes: deleters.reduce((sum, { share }) => sum + share.deletes, 0),
      creators: names(creators),
      deleters: names(deleters),
      versions: [...versions].sort(),
    },
  ];
}
