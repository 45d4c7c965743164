/** The findings at warning or above: a table of contents, then each with cause, fix, verification and evidence. */

import type { Finding, HarmedObject } from '../../model/finding.js';
import { type Evidence, placeText } from '../../model/origin.js';
import { sortBy, sortEdges } from '../order.js';
import { escapeProse, escapeText } from './escape.js';
import { enumerate, type Page, paintOf, plural } from './page.js';
import { labelledProse } from './prose.js';
import { isState } from './states.js';
import { table } from './table.js';
import { statement } from './verdict.js';
import { columnsOf, cutMiddle, cutWords } from './width.js';

const CONTENTS_SHOWN = 12;
const EVIDENCE_SHOWN = 2;
const OBJECTS_SHOWN = 6;
const EDGES_SHOWN = 6;
const QUOTE_LINES = 2;

/** One line a finding, numbered as the details are; nothing when there is only one. */
export function renderContents(page: Page, findings: readonly Finding[]): string[] {
  if (findings.length < 2) return [];
  const rows = findings.slice(0, CONTENTS_SHOWN).map((finding, at) => [
    `${at + 1}`,
    {
      text: `${finding.severity.toUpperCase()}${finding.confidence === 'possible' ? '?' : ''}`,
      paint: paintOf(page, finding.severity),
    },
    { text: statement(finding, ''), subject: finding.server ?? '' },
    isState(finding.rule) ? '' : `${finding.count}x`,
  ]);
  const right = { title: '', align: 'right' } as const;
  const lines = table(page, [right, { title: '' }, { title: '', cut: 'words' }, right], rows);
  const more = findings.length - CONTENTS_SHOWN;
  return more > 0 ? [...lines, `  and ${plural(more, 'more problem')}, all below`] : lines;
}

/** One finding in full. `number` is its place in the contents. */
export function renderFinding(page: Page, finding: Finding, number: number): string[] {
  const possible = finding.confidence === 'possible';
  const head = `${number}. ${paintOf(page, finding.severity)(severityOf(finding))}  ${page.bold(escapeProse(finding.title))}`;
  const layout = { indent: 3, label: 9, width: page.width };
  const part = (label: string, text: string) => labelledProse(label, text, layout);
  return [
    `${head}  ${page.dim(`[${escapeText(finding.rule)}]`)}`,
    ...part('What', statement(finding)),
    ...part('Means', finding.meaning),
    ...part(possible ? 'Cause?' : 'Cause', finding.cause),
    ...part(possible ? 'Fix?' : 'Fix', finding.fix).map(page.bold),
    ...part('Verify', finding.verify),
    ...part('Harmed', objectsOf(finding.objects)),
    ...part('Seen', seen(page, finding)),
    ...part('See', finding.references.join(' ')),
    ...evidenceOf(page, finding.evidence),
  ];
}

/** Findings of severity info, one line each: worth knowing, nothing to do at night. */
export function renderNoted(page: Page, findings: readonly Finding[]): string[] {
  return findings.map((finding) => {
    const rule = escapeText(finding.rule);
    const room = Math.max(30, page.width - columnsOf(rule) - 4);
    return `  ${rule}  ${cutWords(statement(finding), room, escapeText(finding.server ?? ''))}`;
  });
}

function severityOf(finding: Finding): string {
  return `${finding.severity.toUpperCase()}${finding.confidence === 'possible' ? ' (possible)' : ''}`;
}

function seen(page: Page, finding: Finding): string {
  const edges = sortEdges(finding.edges).map(({ source, destination }) => `${source} → ${destination}`);
  const parts = [
    finding.server === null ? '' : `on ${finding.server}`,
    edges.length === 0 ? '' : `${edges.length === 1 ? 'call' : 'calls'} ${enumerate(edges, EDGES_SHOWN)}`,
    finding.resource === null ? '' : finding.resource,
    whenOf(page, finding),
    finding.confidence,
  ];
  return parts.filter((part) => part !== '').join('; ');
}

function whenOf(page: Page, { rule, count, from, to }: Finding): string {
  const times = isState(rule) ? '' : plural(count, 'time');
  // What has no time of its own, such as a damaged file, has 0.
  const when = from > 0 ? `${page.clock.range(from, to)} UTC` : '';
  return [times, when].filter((part) => part !== '').join(', ');
}

function objectsOf(objects: readonly HarmedObject[]): string {
  const names = sortBy(objects, (o) => [o.resource, o.namespace, o.name]).map(
    ({ resource, namespace, name }) => `${resource} ${namespace === '' ? name : `${namespace}/${name}`}`,
  );
  return enumerate(names, OBJECTS_SHOWN);
}

function evidenceOf(page: Page, evidence: readonly Evidence[]): string[] {
  const indent = ' '.repeat(12);
  const room = Math.max(30, page.width - indent.length);
  const lines = telling(evidence).flatMap((one, at) => {
    const label = (at === 0 ? '   Proof' : '').padEnd(indent.length);
    const quoted = cutMiddle(escapeText(one.quote.trim()), room * QUOTE_LINES);
    return [`${label}${escapeText(placeText(one))}`, ...slices(quoted, room).map((text) => page.dim(indent + text))];
  });
  const more = evidence.length - EVIDENCE_SHOWN;
  return more > 0 ? [...lines, `${indent}${page.dim(`and ${more} more in --format json`)}`] : lines;
}

/** One of each input before a second of any: what the other end of a call says tells more than the same words again. */
function telling(evidence: readonly Evidence[]): Evidence[] {
  const firsts = evidence.filter(({ input }, at) => evidence.findIndex((other) => other.input === input) === at);
  return [...new Set([...firsts, ...evidence])].slice(0, EVIDENCE_SHOWN);
}

/** Lines of at most `room` columns that hold every character of the text, broken after a space where one is near. */
function slices(text: string, room: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const character of text) {
    if (columnsOf(line + character) > room) {
      const space = line.lastIndexOf(' ') + 1;
      const end = space > line.length * (2 / 3) ? space : line.length;
      lines.push(line.slice(0, end).trimEnd());
      line = line.slice(end);
    }
    line += character;
  }
  return line === '' ? lines : [...lines, line];
}
