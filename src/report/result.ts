/** From an Analysis to the machine-readable result: RFC 3339 times, canonical order, nothing else changed. */
import { type Analysis, DEFAULT_CLUSTER, type ServerSummary } from '../model/analysis.js';
import type { Finding } from '../model/finding.js';
import { formatTime } from '../model/time.js';
import { sortBy, sortEdges, sortFindings } from './order.js';
import type { AnalysisResult, ResultFinding } from './result-schema.js';
import { RESULT_SCHEMA_ID } from './schema-id.js';

/** The result that `--format json` prints; shape in result-schema.ts. Equal analyses give equal results. */
export function toResult(analysis: Analysis): AnalysisResult {
  const clusterOf = clusterLookup(analysis);
  return {
    schema: RESULT_SCHEMA_ID,
    inputs: sortBy(analysis.inputs, (input) => [input.name, input.kind, input.cluster ?? null, input.bytes]).map(
      (input) => ({
        ...clusterOf.row(input.cluster, input.server),
        name: input.name,
        kind: input.kind,
        bytes: input.bytes,
        records: input.records,
        server: input.server,
        problems: Object.fromEntries(sortBy(Object.entries(input.problems), ([reason]) => [reason])),
      }),
    ),
    window: analysis.window && { from: formatTime(analysis.window.from), to: formatTime(analysis.window.to) },
    servers: sortBy(analysis.servers, (server) => [server.cluster, server.name]).map((server) => ({
      ...clusterOf.named(server.cluster),
      name: server.name,
      identity: server.identity,
      addresses: sortBy(server.addresses, (address) => [address]),
      peerAddress: server.peerAddress,
      versions: sortBy(server.versions, ({ from, version }) => [from, version]).map(({ version, from, to }) => ({
        version,
        from: formatTime(from),
        to: formatTime(to),
      })),
      peerProxy: server.peerProxy,
    })),
    clusters: sortBy(analysis.clusters, (name) => [name]).map((name) => ({ name })),
    proxied: {
      total: analysis.proxied.total,
      failed: analysis.proxied.failed,
      routes: sortBy(analysis.proxied.routes, (route) => [
        route.cluster ?? null,
        route.source,
        route.destination,
        route.resource,
        route.verb,
        route.code,
      ]).map(({ cluster, source, destination, verb, resource, code, count, hopMs }) => ({
        ...clusterOf.row(cluster, source),
        source,
        destination,
        verb,
        resource,
        code,
        count,
        hopMs: hopMs && { p50: hopMs.p50, p99: hopMs.p99, max: hopMs.max },
      })),
    },
    discovery: sortBy(analysis.discovery, (cell) => [cell.cluster ?? null, cell.source, cell.destination]).map(
      ({ cluster, source, destination, state, fetches, failures, lastAt, cause }) => ({
        ...clusterOf.row(cluster, source),
        source,
        destination,
        state,
        fetches,
        failures,
        lastAt: lastAt === null ? null : formatTime(lastAt),
        cause,
      }),
    ),
    notFound: sortBy(analysis.notFound, (row) => [row.cluster ?? null, row.server, row.resource, row.kind]).map(
      ({ cluster, server, resource, kind, count, clients }) => ({
        ...clusterOf.row(cluster, server),
        server,
        resource,
        kind,
        count,
        clients: sortBy(clients, (client) => [client]),
      }),
    ),
    findings: sortFindings(analysis.findings).map((finding) => ({
      ...clusterOf.named(finding.cluster),
      ...toResultFinding(finding),
    })),
    unjudged: sortBy(analysis.unjudged, (row) => [row.rule, row.reason, row.cluster ?? null]).map(
      ({ cluster, rule, reason }) => ({
        ...clusterOf.named(cluster),
        rule,
        reason,
      }),
    ),
  };
}

/** One finding as it stands in the result, without `cluster`; for outputs that send findings one at a time. */
export function toResultFinding(finding: Finding): ResultFinding {
  return {
    rule: finding.rule,
    title: finding.title,
    fingerprint: finding.fingerprint,
    severity: finding.severity,
    confidence: finding.confidence,
    server: finding.server,
    edges: sortEdges(finding.edges).map(({ source, destination }) => ({ source, destination })),
    resource: finding.resource,
    objects: sortBy(finding.objects, ({ resource, namespace, name }) => [resource, namespace, name]).map(
      ({ resource, namespace, name }) => ({ resource, namespace, name }),
    ),
    from: formatTime(finding.from),
    to: formatTime(finding.to),
    count: finding.count,
    summary: finding.summary,
    meaning: finding.meaning,
    cause: finding.cause,
    fix: finding.fix,
    verify: finding.verify,
    references: [...finding.references],
    evidence: sortBy(finding.evidence, ({ input, line, offset }) => [input, offset, line]).map(
      ({ input, line, offset, quote }) => ({ input, line, offset, quote }),
    ),
  };
}

/** `cluster` fields, present where something names a cluster and it is beyond doubt which one the row is of. */
function clusterLookup(analysis: Analysis) {
  const isNamed = analysis.clusters.some((name) => name !== DEFAULT_CLUSTER);
  const ofServer = new Map<string, string | null>();
  for (const { name, cluster } of analysis.servers as readonly ServerSummary[]) {
    ofServer.set(name, ofServer.has(name) && ofServer.get(name) !== cluster ? null : cluster);
  }
  const named = (cluster: string | null | undefined) => (isNamed && cluster ? { cluster } : {});
  const row = (cluster: string | undefined, server: string | null) =>
    named(cluster ?? (server === null ? undefined : ofServer.get(server)));
  return { named, row };
}
