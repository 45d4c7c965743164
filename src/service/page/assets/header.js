/** The head of the page: phase, cluster, window, speed, and how fresh all of it is. */
import { h, icon } from './dom.js';
import { visible } from './visible.js';
import { age, clock, digits, duration, plural, span } from './words.js';

/** @typedef {import('./page-state.js').PageState} PageState */

/** Longest notice, in characters. */
const NOTICE = 400;
const PHASES = { starting: 'starting', 'catching-up': 'catching up', live: 'live', stopping: 'stopping' };

/** @param {PageState} state */
export function renderHeader(state) {
  const { status, now } = state;
  return h(
    'header',
    {},
    h('h1', {}, 'skewscope'),
    h('p', { class: `phase ${status.phase}`, id: 'phase' }, icon(status.phase), ' ', phaseWords(state)),
    clusterChoice(state),
    h(
      'dl',
      { class: 'facts' },
      fact(
        'Window',
        status.window === null ? 'no record yet' : `${span(status.window.from, status.window.to, now)} UTC`,
      ),
      fact('Records', `${digits(status.records)}, ${rate(status.recordsPerSecond)}`),
      fact('Behind', behind(state)),
      h(
        'div',
        { class: 'fact' },
        h('dt', {}, 'Updated'),
        h('dd', { id: 'updated' }, `${clock(new Date(now).toISOString(), now)} UTC`),
      ),
    ),
  );
}

/** Below the head: what an operator must see first about the service itself.
 * @param {PageState} state
 */
export function notices({ status }) {
  return [
    ...(status.reasons.length === 0 ? [] : [`Not ready: ${status.reasons.join('; ')}.`]),
    ...(status.config.failure === ''
      ? []
      : [`The configuration was not taken over, the old one holds: ${status.config.failure}`]),
    ...status.sinks
      .filter(({ failure }) => failure !== '')
      .map(({ name, waiting, failure }) => `${name} takes nothing, ${plural(waiting, 'message')} waiting: ${failure}`),
  ].map((text) => visible(text, NOTICE));
}

/** @param {PageState} state */
export function renderFooter({ status, now }) {
  return h(
    'footer',
    {},
    `skewscope ${visible(status.version)}; started ${clock(status.startedAt, now)} UTC; rules and configuration of `,
    `${clock(status.config.loadedAt, now)} UTC; ${plural(status.members, 'member')} in the group. The same as JSON: `,
    '/api/v1/analysis, /api/v1/findings, /api/v1/status.',
  );
}

/**
 * Said while answers do not come.
 * @param {number | null} forMs since the last one; null when there was none
 * @param {string} reason
 */
export function lostWords(forMs, reason) {
  if (forMs === null) return `No connection: ${reason}. Nothing can be shown yet; trying again.`;
  return `Connection lost: ${reason}. What is shown is ${age(forMs)} old; trying again.`;
}

/** @param {PageState} state */
function phaseWords({ status }) {
  if (status.phase !== 'catching-up') return PHASES[status.phase];
  return `${PHASES[status.phase]}, ${Math.floor(share(status) * 100)} % read`;
}

/**
 * Of what has come or waits, what is read.
 * @param {import('./page-state.js').Status} status
 */
function share({ records, lag }) {
  return records + lag.messages === 0 ? 0 : records / (records + lag.messages);
}

/** @param {PageState} state */
function behind({ status, now }) {
  const { messages, behindSince } = status.lag;
  if (status.partitions.length === 0) return 'no partition';
  if (messages === 0) return 'nothing waits';
  const time = behindSince === null ? '' : `, ${duration(Math.max(0, now - Date.parse(behindSince)))}`;
  return `${plural(messages, 'message')}${time}`;
}

/** @param {number} perSecond */
function rate(perSecond) {
  return `${perSecond < 10 ? Math.round(perSecond * 10) / 10 : digits(perSecond)}/s`;
}

/**
 * @param {string} title
 * @param {string} text
 */
function fact(title, text) {
  return h('div', { class: 'fact' }, h('dt', {}, title), h('dd', {}, text));
}

/** @param {PageState} state */
function clusterChoice({ analysis, cluster }) {
  const names = (analysis?.clusters ?? []).map(({ name }) => name);
  if (names.length < 2) return null;
  const option = (/** @type {string} */ value, /** @type {string} */ text) =>
    h('option', { value, 'data-key': `cluster ${value}`, selected: value === (cluster ?? '') }, text);
  return h(
    'label',
    { class: 'cluster' },
    'Cluster ',
    h(
      'select',
      { id: 'cluster' },
      option('', `all ${names.length}`),
      names.map((name) => option(name, visible(name))),
    ),
  );
}
