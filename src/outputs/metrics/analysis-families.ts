/** What an analysis says as metrics: each is set from the analysis as it is now, so nothing is counted twice. */
import type { Analysis, DiscoveryCell } from '../../model/analysis.js';
import { type Finding, SEVERITIES } from '../../model/finding.js';
import type { Family, Sample } from './family.js';

const STATES: readonly DiscoveryCell['state'][] = ['ok', 'failing', 'missing', 'unknown'];
const SECOND_US = 1_000_000;

/** `findings`: those that are open now. `nowMs`: for the lag behind the newest record. */
export function analysisFamilies(analysis: Analysis, findings: readonly Finding[], nowMs: number): Family[] {
  return [
    ...inputFamilies(analysis),
    ...timeFamilies(analysis, nowMs),
    ...proxyFamilies(analysis),
    ...discoveryFamilies(analysis),
    ...serverFamilies(analysis),
    findingsOpen(findings),
  ];
}

function inputFamilies({ inputs }: Analysis): Family[] {
  return [
    counter(
      'skewscope_records_read_total',
      'Records read, by input.',
      inputs.map(({ name, records }) => ({ labels: { input: name }, value: records })),
    ),
    {
      ...counter(
        'skewscope_bytes_read_total',
        'Bytes read, by input.',
        inputs.map(({ name, bytes }) => ({ labels: { input: name }, value: bytes })),
      ),
      unit: 'By',
    },
    counter(
      'skewscope_records_skipped_total',
      'Pieces of input that became no record, by input and reason.',
      inputs.flatMap(({ name, problems }) =>
        Object.entries(problems).map(([reason, value]) => ({ labels: { input: name, reason }, value })),
      ),
    ),
  ];
}

function timeFamilies({ window }: Analysis, nowMs: number): Family[] {
  const lag = window === null ? [] : [{ labels: {}, value: Math.max(0, nowMs / 1000 - window.to / SECOND_US) }];
  const last = window === null ? [] : [{ labels: {}, value: window.to / SECOND_US }];
  return [
    { ...gauge('skewscope_lag_seconds', 'How far the newest record read lies behind the clock.', lag), unit: 's' },
    {
      ...gauge('skewscope_last_record_timestamp_seconds', 'Time of the newest record read, as Unix time.', last),
      unit: 's',
    },
  ];
}

function proxyFamilies(analysis: Analysis): Family[] {
  const { proxied, notFound } = analysis;
  const clusterOf = clusters(analysis);
  return [
    counter(
      'skewscope_proxied_requests_total',
      'Requests that one apiserver passed to another, by source, destination and final code.',
      proxied.routes.map(({ cluster, source, destination, code, count }) => ({
        labels: {
          cluster: cluster ?? clusterOf(source),
          source,
          destination,
          code: code === null ? 'none' : String(code),
        },
        value: count,
      })),
    ),
    counter('skewscope_proxied_unreached_total', 'Requests that a source tried to pass on and that reached no peer.', [
      { labels: {}, value: proxied.failed },
    ]),
    counter(
      'skewscope_wrong_not_found_total',
      'Answers 404 for a resource that another live apiserver serves, by server and resource.',
      notFound
        .filter(({ kind }) => kind === 'wrong')
        .map(({ cluster, server, resource, count }) => ({
          labels: { cluster: cluster ?? clusterOf(server), server, resource },
          value: count,
        })),
    ),
  ];
}

function discoveryFamilies(analysis: Analysis): Family[] {
  const clusterOf = clusters(analysis);
  const cells = analysis.discovery.map((cell) => ({ ...cell, cluster: cell.cluster ?? clusterOf(cell.source) }));
  return [
    gauge(
      'skewscope_discovery_edges',
      'Directed pairs of apiservers, by what the source learnt of the destination.',
      namesOfClusters(analysis).flatMap((cluster) =>
        STATES.map((state) => ({
          labels: { cluster, state },
          value: cells.filter((cell) => cell.cluster === cluster && cell.state === state).length,
        })),
      ),
    ),
    gauge(
      'skewscope_discovery_edge',
      '1 for the present state of each directed pair of apiservers.',
      cells.map(({ cluster, source, destination, state }) => ({
        labels: { cluster, source, destination, state },
        value: 1,
      })),
    ),
  ];
}

function serverFamilies(analysis: Analysis): Family[] {
  const { servers } = analysis;
  return [
    gauge(
      'skewscope_server_info',
      '1 for each apiserver, with the version it ran last.',
      servers.map(({ cluster, name, versions, peerProxy }) => ({
        labels: { cluster, server: name, version: versions.at(-1)?.version ?? 'unknown', peer_proxy: peerProxy },
        value: 1,
      })),
    ),
    gauge(
      'skewscope_cluster_versions',
      'Different versions that the apiservers of a cluster ran last.',
      namesOfClusters(analysis).map((cluster) => {
        const last = servers.filter((server) => server.cluster === cluster).map((server) => server.versions.at(-1));
        return { labels: { cluster }, value: new Set(last.flatMap((entry) => entry?.version ?? [])).size };
      }),
    ),
  ];
}

/** All severities of a rule that has a finding are told, zeros too: one that became milder is seen to have. */
function findingsOpen(findings: readonly Finding[]): Family {
  const counts = new Map<string, Sample>();
  const add = (cluster: string, rule: string, severity: string, value: number) => {
    const key = JSON.stringify([cluster, rule, severity]);
    counts.set(key, { labels: { cluster, rule, severity }, value: (counts.get(key)?.value ?? 0) + value });
  };
  for (const { cluster, rule } of findings) {
    for (const severity of SEVERITIES) add(cluster, rule, severity, 0);
  }
  for (const { cluster, rule, severity } of findings) add(cluster, rule, severity, 1);
  return gauge('skewscope_findings_open', 'Findings that are open, by rule and severity.', [...counts.values()]);
}

function clusters({ servers, clusters: names }: Analysis): (server: string) => string {
  const byServer = new Map(servers.map((server) => [server.name, server.cluster]));
  return (server) => byServer.get(server) ?? names[0] ?? 'default';
}

function namesOfClusters({ servers, clusters: names }: Analysis): string[] {
  return [...new Set([...names, ...servers.map((server) => server.cluster)])].sort();
}

function counter(name: string, help: string, samples: readonly Sample[]): Family {
  return { name, help, type: 'counter', unit: '1', samples };
}

function gauge(name: string, help: string, samples: readonly Sample[]): Family {
  return { name, help, type: 'gauge', unit: '1', samples };
}
