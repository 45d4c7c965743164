/** The terminal summary: verdict first, then what to do about each finding, then the facts behind it. */
import type { Analysis } from '../../model/analysis.js';
import type { Finding } from '../../model/finding.js';
import { sortFindings } from '../order.js';
import { addressed } from './addressed.js';
import { createClock } from './clock.js';
import { renderContents, renderFinding, renderNoted } from './findings.js';
import { renderInputs } from './inputs.js';
import { renderMatrix } from './matrix.js';
import { renderNotFound } from './not-found.js';
import { createPage, type TextOptions } from './page.js';
import { renderRoutes } from './routes.js';
import { renderServers } from './servers.js';
import { shortNames } from './short-names.js';
import { renderUnjudged } from './unjudged.js';
import { renderVerdict } from './verdict.js';

export type { TextOptions } from './page.js';

/**
 * The summary as text, newline-terminated. Pure: equal analyses and options give equal text. Whatever stands in logs,
 * the only control characters are newlines and, with `color`, this program's own colour codes.
 */
export function renderText(whole: Analysis, options: TextOptions): string {
  const { analysis: named, domain } = shortNames({ ...whole, findings: sortFindings(whole.findings) });
  const page = createPage(options, createClock(whole), domain);
  const analysis = addressed(named);
  const findings = withCluster(analysis);
  const problems = findings.filter(({ severity }) => severity !== 'info');
  const noted = findings.filter(({ severity }) => severity === 'info');
  const section = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : ['', page.bold(title), ...lines];
  const contents = renderContents(page, problems);
  return [
    ...renderVerdict(page, analysis, problems),
    ...(contents.length === 0 ? [] : ['', ...contents]),
    ...problems.flatMap((finding, at) => ['', ...renderFinding(page, finding, at + 1)]),
    ...section('Also noted', analysis.leftOut?.kept === 0 ? [] : renderNoted(page, noted)),
    ...(isEmpty(analysis)
      ? section('Inputs', renderInputs(page, analysis))
      : [
          ...section('Servers', renderServers(page, named)),
          ...section('Requests passed on to peers', renderRoutes(page, analysis)),
          ...section('Peer discovery', renderMatrix(page, analysis)),
          ...section('404 answers', renderNotFound(page, analysis)),
          ...section('Inputs', renderInputs(page, analysis)),
          ...section('Not judged', renderUnjudged(page, analysis.unjudged)),
        ]),
    '',
  ].join('\n');
}

/** Of several clusters each statement says of which it is: servers may have the same names. */
function withCluster({ findings, clusters }: Analysis): readonly Finding[] {
  if (clusters.length < 2) return findings;
  return findings.map((finding) => ({ ...finding, summary: `${finding.cluster}: ${finding.summary}` }));
}

/** Nothing was seen of any server: empty tables and a list of all rules would only hide that. */
function isEmpty(analysis: Analysis): boolean {
  return analysis.leftOut?.kept === 0 || (analysis.servers.length === 0 && analysis.findings.length === 0);
}
