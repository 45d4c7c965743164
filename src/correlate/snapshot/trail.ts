/** How good the evidence is: holes, damage, duplicates, reused Audit-IDs, clocks, missing logs, blind policies. */
import type { Observation } from '../../model/observations/index.js';
import type { InputRef } from '../../model/origin.js';
import type { ProblemReason } from '../../model/record.js';
import { MINUTE } from '../../model/time.js';
import type { Writer } from '../writer.js';
import { clockObservations } from './clock-skew.js';
import { type Context, facts } from './context.js';
import type { ServerView } from './server-view.js';
import { certainStrangers } from './strangers.js';

/** A server renews its lease every 10 s, and every renewal is an event (unless the policy leaves it out). */
const GAP = 1.5 * MINUTE;
const MIN_RENEWALS = 3;
const DAMAGE: ReadonlySet<ProblemReason> = new Set([
  'cut-line',
  'not-json',
  'line-too-long',
  'nul-bytes',
  'not-utf8',
  'bad-timestamp',
  'truncated-gzip',
  'damaged-gzip',
  'json-too-deep',
  'unreadable',
  'late',
]);

export function trailObservations(context: Context): Observation[] {
  const serverOf = beginnings(context);
  return [
    ...gaps(context),
    ...damage(context, serverOf),
    ...duplicates(context, serverOf),
    ...reuse(context),
    ...clockObservations(context),
    ...missingLogs(context),
    ...missingServers(context),
    ...blindPolicies(context),
  ];
}

/** From the server's first to its last record, or of all servers where it has none with a time; zeros where none has. */
function span({ servers }: Context, server: ServerView | undefined): Span {
  const boots = server?.boots.length ? server.boots : servers.all.flatMap((each) => each.boots);
  if (boots.length === 0) return { from: 0, to: 0 };
  return { from: Math.min(...boots.map((boot) => boot.from)), to: Math.max(...boots.map((boot) => boot.to)) };
}

/** Stretches of one boot in which none of the server's audit logs has a record: a pause between two boots is none. */
function gaps(context: Context): Observation[] {
  return context.servers.all.flatMap((server) => {
    const renewals = server.writers.flatMap((writer) => writer.lives).reduce((sum, life) => sum + life.renewals, 0);
    if (renewals < MIN_RENEWALS) return [];
    const marked = server.boots.filter((boot) => boot.lives.some((life) => life.uid !== ''));
    return holes(server.writers.filter((writer) => writer.audit > 0 && !writer.mixed).flatMap(spoken))
      .filter(({ from, to }) => marked.some((boot) => boot.markedFrom <= from && boot.markedTo >= to))
      .map(({ from, to }) => ({
        type: 'stream-gap' as const,
        ...facts({
          cluster: server.cluster,
          server: server.name,
          from,
          to,
          count: 1,
          certainty: 'likely',
          evidence: [],
        }),
        seconds: Math.round((to - from) / 1_000_000),
      }));
  });
}

interface Span {
  readonly from: number;
  readonly to: number;
}

/** A writer's time from its first to its last record, less its silences. */
function spoken(writer: Writer): Span[] {
  const lives = writer.lives.filter((life) => life.from <= life.to);
  if (lives.length === 0) return [];
  let from = Math.min(...lives.map((life) => life.from));
  const spans: Span[] = [];
  for (const silence of [...writer.silences].sort((a, b) => a.from - b.from)) {
    spans.push({ from, to: silence.from });
    from = silence.to;
  }
  return [...spans, { from, to: Math.max(...lives.map((life) => life.to)) }];
}

function holes(spans: readonly Span[]): Span[] {
  const sorted = [...spans].sort((a, b) => a.from - b.from);
  const found: Span[] = [];
  let end = sorted[0]?.to ?? 0;
  for (const { from, to } of sorted) {
    if (from - end > GAP) found.push({ from: end, to: from });
    end = Math.max(end, to);
  }
  return found;
}

function damage(context: Context, serverOf: ServerOf): Observation[] {
  const observations: Observation[] = [];
  for (const [input, problems] of context.state.problems) {
    const server = serverOf(input);
    for (const [reason, count] of problems) {
      if (!DAMAGE.has(reason) || count === 0) continue;
      const { from, to } = span(context, server);
      observations.push({
        type: 'stream-damage',
        ...facts({
          cluster: server?.cluster ?? input.cluster ?? context.servers.cluster,
          server: server?.name ?? null,
          from,
          to,
          count,
          certainty: 'certain',
          evidence: [],
        }),
        input: input.name,
        reason,
      });
    }
  }
  return observations;
}

type ServerOf = (input: InputRef) => ServerView | undefined;

/** The server that begins an input; none where several write into it. */
function beginnings(context: Context): ServerOf {
  const parts = new Map<InputRef, ServerView | undefined>();
  for (const writer of context.state.writers.all) {
    const [life] = writer.lives;
    if (life !== undefined && !parts.has(writer.input)) parts.set(writer.input, context.servers.of(life));
  }
  const byInput = new Map<InputRef, Set<ServerView | undefined>>();
  for (const [part, server] of parts) {
    for (const input of part.of === undefined ? [part] : [part, part.of]) {
      byInput.set(input, (byInput.get(input) ?? new Set()).add(server));
    }
  }
  return (input) => {
    const servers = byInput.get(input);
    return servers?.size === 1 ? [...servers][0] : undefined;
  };
}

function duplicates(context: Context, serverOf: ServerOf): Observation[] {
  const byServer = new Map<ServerView, { inputs: Set<string>; count: number; lines: number }>();
  for (const [input, { events, lines }] of context.state.duplicates.entries()) {
    const server = serverOf(input);
    if (server === undefined) continue;
    const entry = byServer.get(server) ?? { inputs: new Set<string>(), count: 0, lines: 0 };
    entry.inputs.add(input.name);
    entry.count += events + lines;
    entry.lines += lines;
    byServer.set(server, entry);
  }
  return [...byServer].map(([server, { inputs, count, lines }]) => ({
    type: 'stream-duplicate' as const,
    ...facts({
      cluster: server.cluster,
      server: server.name,
      ...span(context, server),
      count,
      certainty: 'certain',
      evidence: [],
    }),
    lines,
    inputs: [...inputs].sort(),
  }));
}

function reuse(context: Context): Observation[] {
  const { reuse } = context;
  if (reuse.times.total === 0) return [];
  return [
    {
      type: 'audit-id-reuse',
      ...facts({
        cluster: context.servers.all[0]?.cluster ?? context.servers.cluster,
        server: null,
        from: reuse.times.first,
        to: reuse.times.last,
        count: reuse.times.total,
        certainty: 'certain',
        evidence: [reuse.evidence],
      }),
      auditIDs: reuse.auditIDs.names().slice(0, 20),
      clients: reuse.clients.names().slice(0, 10),
    },
  ];
}

function missingLogs(context: Context): Observation[] {
  const anyLog = context.servers.all.some((server) => server.hasLog);
  return context.servers.all.flatMap((server) => {
    const audit = server.hasAudit ? '' : 'audit';
    const log = server.hasLog || !anyLog ? '' : 'process';
    if (audit === '' && log === '') return [];
    const missing =
      audit !== '' && (log !== '' || !server.hasLog)
        ? ('both' as const)
        : audit !== ''
          ? ('audit' as const)
          : ('process' as const);
    return {
      type: 'server-log-missing' as const,
      ...facts({
        cluster: server.cluster,
        server: server.name,
        ...span(context, server),
        count: 1,
        certainty: 'certain',
        evidence: [],
      }),
      missing,
      knownFrom: server.knownBy,
    };
  });
}

/** Servers that peers call and of which nothing else is known. */
function missingServers(context: Context): Observation[] {
  return certainStrangers(context.state, context.servers, context.addresses).map(({ cluster, address }) => ({
    type: 'server-log-missing' as const,
    ...facts({
      cluster,
      server: address,
      ...span(context, undefined),
      count: 1,
      certainty: 'likely',
      evidence: context.edges
        .filter(({ destination }) => destination.cluster === cluster && destination.name === address)
        .map(({ attempts }) => attempts.okEvidence),
    }),
    missing: 'both' as const,
    knownFrom: "a peer's log only",
  }));
}

function blindPolicies(context: Context): Observation[] {
  return context.servers.all
    .filter((server) => server.hasAudit && server.writers.every((writer) => writer.nonResource === 0))
    .map((server) => ({
      type: 'policy-blind' as const,
      ...facts({
        cluster: server.cluster,
        server: server.name,
        ...span(context, server),
        count: 1,
        certainty: 'likely',
        evidence: [],
      }),
      missing: 'non-resource requests',
    }));
}
