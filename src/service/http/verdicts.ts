/** The first sentences of the text report for each cluster, so that page and terminal say the same. */
import { type Analysis, DEFAULT_CLUSTER } from '../../model/analysis.js';
import { sortFindings } from '../../report/index.js';
import { createClock } from '../../report/text/clock.js';
import { createPage } from '../../report/text/page.js';
import { renderVerdict } from '../../report/text/verdict.js';

export interface Verdict {
  /** null: nothing names it, and there is but one. */
  readonly cluster: string | null;
  readonly level: 'critical' | 'warning' | 'none';
  readonly headline: string;
  /** How many, and whom it hit; '' when there is nothing to say. */
  readonly details: string;
  readonly lookedAt: string;
}

export function verdictsOf(analysis: Analysis): Verdict[] {
  const [only = DEFAULT_CLUSTER, ...more] = analysis.clusters;
  if (more.length === 0) return [verdict(analysis, only === DEFAULT_CLUSTER ? null : only)];
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

/** What is known to be of one cluster. */
function ofCluster(analysis: Analysis, cluster: string): Analysis {
  const servers = analysis.servers.filter((server) => server.cluster === cluster);
  const own = <Row extends { readonly cluster?: string }>(rows: readonly Row[]) =>
    rows.filter((row) => row.cluster === cluster);
  const routes = own(analysis.proxied.routes);
  const total = routes.reduce((sum, { count }) => sum + count, 0);
  return {
    ...analysis,
    inputs: analysis.inputs.filter((input) => input.cluster === undefined || input.cluster === cluster),
    servers,
    clusters: [cluster],
    // Requests that reached nobody are counted for all clusters together: of one, nothing can be said.
    proxied: { total, failed: 0, routes },
    discovery: own(analysis.discovery),
    notFound: own(analysis.notFound),
    findings: own(analysis.findings),
    unjudged: analysis.unjudged.filter((one) => one.cluster === undefined || one.cluster === cluster),
  };
}
