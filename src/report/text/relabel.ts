/** The same analysis with its servers called otherwise, for people: machines and commands keep the names. */
import type { Analysis } from '../../model/analysis.js';
import type { Finding } from '../../model/finding.js';

export interface Labels {
  /** What a server is called. */
  readonly name: (name: string) => string;
  /** A line of prose with its servers called so. */
  readonly prose: (line: string) => string;
}

/** Indented lines of texts are commands, which stay as they are, as do evidence, objects and names of inputs. */
export function relabelled(analysis: Analysis, labels: Labels): Analysis {
  const ends = <E extends { readonly source: string; readonly destination: string }>(edge: E): E => ({
    ...edge,
    source: labels.name(edge.source),
    destination: labels.name(edge.destination),
  });
  const orNull = (name: string | null) => (name === null ? null : labels.name(name));
  return {
    ...analysis,
    inputs: analysis.inputs.map((input) => ({ ...input, server: orNull(input.server) })),
    servers: analysis.servers.map((server) => ({ ...server, name: labels.name(server.name) })),
    proxied: { ...analysis.proxied, routes: analysis.proxied.routes.map(ends) },
    discovery: analysis.discovery.map(ends),
    notFound: analysis.notFound.map((entry) => ({ ...entry, server: labels.name(entry.server) })),
    findings: analysis.findings.map((finding) => ({
      ...finding,
      ...texts(finding, labels),
      server: orNull(finding.server),
      edges: finding.edges.map(ends),
    })),
  };
}

function texts(finding: Finding, labels: Labels): Pick<Finding, 'summary' | 'meaning' | 'cause' | 'fix' | 'verify'> {
  const prose = (text: string) =>
    text
      .split('\n')
      .map((line) => (/^(?: {2}|\t)/.test(line) ? line : labels.prose(line)))
      .join('\n');
  return {
    summary: prose(finding.summary),
    meaning: prose(finding.meaning),
    cause: prose(finding.cause),
    fix: prose(finding.fix),
    verify: prose(finding.verify),
  };
}
