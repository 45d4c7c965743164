/** The first sentences of the text report for each cluster, so that page and terminal say the same. */
import type { Analysis } from '../../model/analysis.js';
import { sortFindings } from '../../report/index.js';
import { createClock } from '../../report/text/clock.js';
import { createPage } from '../../report/text/page.js';
import { renderVerdict } from '../../report/text/verdict.js';

export interface Verdict {
  /** null: the analysis holds one cluster only. */
  readonly cluster: string | null;
  readonly level: 'critical' | 'warning' | 'none';
  readonly headline: string;
  /** How many, and whom it hit; '' when there is nothing to say. */
  readonly details: string;
  readonly lookedAt: string;
}

export function verdictsOf(analysis: Analysis): Verdict[] {
  if (analysis.clusters.length < 2) return [verdict(analysis, null)];
  return [...analysis.clusters].sort().map((cluster) => verdict(ofCluster(analysis, cluster), cluster));
}

function verdict(analysis: Analysis, cluster: string | null): Verdict {
  const problems = sortFindings(analysis.findings).filter(({ severity }) => severity !== 'info');
  // As wide as it takes: each part is then one line.
  const page = { ...createPage({ color: false, width: 80 }, createClock(analysis)), width: Number.POSITIVE_INFINITY };
  const lines = renderVerdict(page, analysis, problems);
  return {
    cluster,
    level: problems.some(({ severity }) => severity === 'critical')
      ? 'critical'
      : problems.length > 0
        ? 'warning'
        : 'none',
    headline: lines[0] ?? '',
    details: lines.slice(1, -1).join(' '),
    lookedAt: lines.at(-1) ?? '',
  };
}

/** What is known to be of one cluster; what could not be judged is told of all together. */
function ofCluster(analysis: Analysis, cluster: string): Analysis {
  const servers = analysis.servers.filter((server) => server.cluster === cluster);
  const names = new Set(servers.map(({ name }) => name));
  const routes = analysis.proxied.routes.filter(({ source }) => names.has(source));
  const total = routes.reduce((sum, { count }) => sum + count, 0);
  return {
    ...analysis,
    inputs: analysis.inputs.filter(({ server }) => server === null || names.has(server)),
    servers,
    clusters: [cluster],
    // Requests that reached nobody are counted for all clusters together: of one, nothing can be said.
    proxied: { total, failed: 0, routes },
    discovery: analysis.discovery.filter(({ source }) => names.has(source)),
    notFound: analysis.notFound.filter(({ server }) => names.has(server)),
    findings: analysis.findings.filter((finding) => finding.cluster === cluster),
  };
}
