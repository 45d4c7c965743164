/**
 * Servers of which nothing gives a host name are named by their identity lease, which ends in a hash. The summary for
 * people shows in front of it its node, else the address, where one is known; machines and the table of servers keep the whole name.
 */
import type { Analysis, ServerSummary } from '../../model/analysis.js';
import type { Finding } from '../../model/finding.js';

const IDENTITY = /(?<![\w-])apiserver-[a-z2-7]{26}(?![\w-])/g;
/** `apiserver-` and as much of the hash as tells servers apart. */
const SHORT = 15;

type Label = (name: string) => string;

/** The same analysis with `10.0.0.12 (apiserver-g4un5…)` for such names; as it was where there are none. */
export function addressed(analysis: Analysis): Analysis {
  const labels = labelsOf(analysis);
  if (labels.size === 0) return analysis;
  const label: Label = (name) => labels.get(name) ?? name;
  const ends = <E extends { readonly source: string; readonly destination: string }>(edge: E): E => ({
    ...edge,
    source: label(edge.source),
    destination: label(edge.destination),
  });
  return {
    ...analysis,
    inputs: analysis.inputs.map((input) => ({ ...input, server: input.server === null ? null : label(input.server) })),
    servers: analysis.servers.map((server) => ({ ...server, name: label(server.name) })),
    proxied: { ...analysis.proxied, routes: analysis.proxied.routes.map(ends) },
    discovery: analysis.discovery.map(ends),
    notFound: analysis.notFound.map((entry) => ({ ...entry, server: label(entry.server) })),
    findings: analysis.findings.map((finding) => ({
      ...finding,
      ...texts(finding, label),
      server: finding.server === null ? null : label(finding.server),
      edges: finding.edges.map(ends),
    })),
  };
}

function labelsOf({ servers }: Analysis): Map<string, string> {
  const nameless = servers.filter(({ name, identity }) => name === identity);
  return new Map(
    nameless.flatMap((server) => {
      const shown = server.node ?? ownAddress(server, servers);
      return shown === undefined ? [] : [[server.name, `${shown} (${server.name.slice(0, SHORT)}…)`] as const];
    }),
  );
}

/** An address that several have, such as a balancer's, names none of them. */
function ownAddress({ addresses: [only, ...more] }: ServerSummary, servers: readonly ServerSummary[]) {
  if (only === undefined || more.length > 0) return undefined;
  return servers.filter(({ addresses }) => addresses.includes(only)).length > 1 ? undefined : only;
}

function texts(finding: Finding, label: Label): Pick<Finding, 'summary' | 'meaning' | 'cause' | 'fix' | 'verify'> {
  const prose = (text: string) =>
    text
      .split('\n')
      .map((line) => inProse(line, label))
      .join('\n');
  return {
    summary: prose(finding.summary),
    meaning: prose(finding.meaning),
    cause: prose(finding.cause),
    fix: prose(finding.fix),
    verify: prose(finding.verify),
  };
}

/** Indented lines are commands, which must stay as they are. */
function inProse(line: string, label: Label): string {
  return /^(?: {2}|\t)/.test(line) ? line : line.replace(IDENTITY, label);
}
