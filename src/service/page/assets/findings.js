/** The open findings, worst first; each opens to cause, fix, verification and proof. */
import { edge, h, icon, name } from './dom.js';
import { ofCluster, shownClusters } from './page-state.js';
import { prose } from './prose.js';
import { visible } from './visible.js';
import { digits, duration, plural, span } from './words.js';

/** @typedef {import('./page-state.js').PageState} PageState */
/** @typedef {import('./page-state.js').Finding} Finding */

const EDGES_SHOWN = 6;
const OBJECTS_SHOWN = 20;
const PROOF_SHOWN = 2;
const CAUTION = 'This may be so, the records do not prove it: ';

/** @param {PageState} state */
export function renderFindings(state) {
  const all = state.analysis === null ? [] : ofCluster(state.analysis.findings, state.cluster);
  const problems = all.filter(({ severity }) => severity !== 'info');
  const noted = all.filter(({ severity }) => severity === 'info');
  return h(
    'section',
    { hidden: state.analysis === null },
    h('h2', { id: 'findings-title' }, 'Findings', count(problems.length)),
    problems.length > 0 ? list(problems, state) : h('p', { class: 'empty' }, nothing(state)),
    noted.length === 0 ? null : h('h3', {}, 'Also noted', count(noted.length)),
    noted.length === 0 ? null : list(noted, state),
  );
}

/**
 * A finding's summary as a sentence; one that is only possible says so.
 * @param {Finding} finding
 */
export function statement(finding) {
  const summary = visible((finding.summary || finding.title).replace(/\s+/g, ' ').trim());
  const sentence = /[.!?]$/.test(summary) ? summary : `${summary}.`;
  return finding.confidence === 'possible' ? `${CAUTION}${sentence}` : sentence;
}

/**
 * @param {readonly Finding[]} findings
 * @param {PageState} state
 */
function list(findings, state) {
  const several = shownClusters(state).length > 1;
  return h(
    'ul',
    { class: 'findings' },
    findings.map((finding) => item(finding, several, state.now)),
  );
}

/**
 * @param {Finding} finding
 * @param {boolean} several
 * @param {number} now
 */
function item(finding, several, now) {
  const { severity, confidence } = finding;
  return h(
    'li',
    { 'data-key': finding.fingerprint },
    h(
      'details',
      { class: `finding ${severity}` },
      h(
        'summary',
        {},
        h('span', { class: 'severity' }, icon(severity), ' ', severity, confidence === 'possible' ? '?' : null),
        h('span', { class: 'what' }, statement(finding), h('span', { class: 'whom' }, whom(finding, several))),
        h(
          'span',
          { class: 'when' },
          h('span', {}, `since ${span(finding.from, finding.from, now)}`),
          h('span', { class: 'quiet' }, `last ${span(finding.to, finding.to, now)}, ${plural(finding.count, 'time')}`),
        ),
      ),
      h('dl', { class: 'body' }, body(finding, now)),
    ),
  );
}

/**
 * @param {Finding} finding
 * @param {boolean} several
 */
function whom(finding, several) {
  const edges = finding.edges.slice(0, EDGES_SHOWN);
  const rest = finding.edges.length - edges.length;
  return [
    several && finding.cluster !== undefined ? h('span', { class: 'tag' }, name(finding.cluster)) : null,
    h('code', {}, visible(finding.rule)),
    finding.server === null ? null : h('span', {}, 'on ', name(finding.server)),
    ...edges.map(({ source, destination }) => edge(source, destination)),
    rest > 0 ? h('span', {}, `and ${plural(rest, 'more call')}`) : null,
    finding.resource === null ? null : name(finding.resource),
  ];
}

/**
 * @param {Finding} finding
 * @param {number} now
 */
function body(finding, now) {
  const doubt = finding.confidence === 'possible' ? '?' : '';
  const lasted = Date.parse(finding.to) - Date.parse(finding.from);
  const seen = `${plural(finding.count, 'time')}, ${span(finding.from, finding.to, now)} UTC${lasted > 0 ? ` (${duration(lasted)})` : ''}; ${finding.confidence}`;
  return [
    ...part('What', [h('p', {}, visible(finding.title))]),
    ...part('Means', prose(finding.meaning)),
    ...part(`Cause${doubt}`, prose(finding.cause)),
    ...part(`Fix${doubt}`, prose(finding.fix), 'fix'),
    ...part('Verify', prose(finding.verify)),
    ...part('Harmed', objects(finding)),
    ...part('Seen', [h('p', {}, seen)]),
    ...part('Proof', proof(finding)),
    ...part(
      'See',
      finding.references.map((reference) => h('p', {}, link(reference))),
    ),
  ];
}

/**
 * @param {string} title
 * @param {readonly HTMLElement[]} content
 */
function part(title, content, className = '') {
  return content.length === 0 ? [] : [h('dt', {}, title), h('dd', { class: className || null }, content)];
}

/** @param {Finding} finding */
function objects({ objects: harmed }) {
  const shown = harmed
    .slice(0, OBJECTS_SHOWN)
    .map(({ resource, namespace, name: object }) =>
      h(
        'li',
        {},
        name(resource),
        ' ',
        namespace === '' ? null : name(namespace),
        namespace === '' ? null : '/',
        name(object),
      ),
    );
  const rest = harmed.length - shown.length;
  if (shown.length === 0) return [];
  return [h('ul', {}, shown, rest > 0 ? h('li', {}, `and ${digits(rest)} more, in /api/v1/findings`) : null)];
}

/** @param {Finding} finding */
function proof({ evidence }) {
  const quotes = evidence.map(quotation);
  const rest = quotes.splice(PROOF_SHOWN);
  if (rest.length === 0) return quotes;
  return [...quotes, h('details', { class: 'more' }, h('summary', {}, `${digits(rest.length)} more`), rest)];
}

/** @param {Finding['evidence'][number]} evidence */
function quotation({ input, line, offset, quote }) {
  return h(
    'figure',
    { class: 'proof' },
    h(
      'figcaption',
      {},
      h('bdi', {}, `${visible(input)}@${offset}`),
      line > 1 ? h('span', { class: 'quiet' }, ` line ${line}`) : null,
    ),
    h('blockquote', {}, h('bdi', {}, visible(quote.trim()))),
  );
}

/** @param {string} reference */
function link(reference) {
  const url = URL.canParse(reference) ? new URL(reference) : null;
  if (url?.protocol !== 'https:') return visible(reference);
  return h('a', { href: url.href, target: '_blank', rel: 'noopener noreferrer' }, visible(reference));
}

/** @param {PageState} state */
function nothing(state) {
  const { analysis, now } = state;
  if (analysis === null) return '';
  if (analysis.inputs.every(({ records }) => records === 0))
    return 'Nothing could be judged: no usable record has come.';
  const window =
    analysis.window === null ? '' : ` in the window ${span(analysis.window.from, analysis.window.to, now)} UTC`;
  const blind = new Set(analysis.unjudged.map(({ rule }) => rule)).size;
  return `Nothing wrong found${window}.${blind === 0 ? '' : ` ${plural(blind, 'rule')} could not be judged: see the last section.`}`;
}

/** @param {number} number */
function count(number) {
  return h('span', { class: 'count' }, ` ${digits(number)}`);
}
