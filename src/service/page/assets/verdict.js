/** What is wrong, how bad and whom it hit, in the words of the text report; or what the service waits for. */
import { h, icon } from './dom.js';
import { notices } from './header.js';
import { shortName, visible } from './visible.js';
import { enumerate, plural } from './words.js';

/** @typedef {import('./page-state.js').PageState} PageState */

/** @param {PageState} state */
export function renderVerdict(state) {
  const { status, cluster } = state;
  const shown = status.verdicts.filter((verdict) => cluster === null || verdict.cluster === cluster);
  return h(
    'section',
    {},
    notices(state).map((text) => h('p', { class: 'notice' }, icon('warning'), ' ', text)),
    status.judged ? null : waiting(state),
    shown.map((verdict) =>
      h(
        'div',
        { class: `verdict ${verdict.level}`, 'data-key': `verdict ${verdict.cluster ?? ''}` },
        verdict.cluster === null ? null : h('p', { class: 'verdict-cluster' }, visible(verdict.cluster)),
        h(
          'p',
          { class: 'headline' },
          icon(verdict.level === 'none' ? 'ok' : verdict.level),
          ' ',
          visible(verdict.headline),
        ),
        verdict.details === '' ? null : h('p', {}, visible(verdict.details)),
        h('p', { class: 'quiet' }, visible(verdict.lookedAt)),
      ),
    ),
  );
}

/** @param {PageState} state */
function waiting({ status }) {
  return h(
    'div',
    { class: 'verdict waiting', 'data-key': 'waiting' },
    h('p', { class: 'headline' }, icon('starting'), ' ', 'Nothing has been judged yet.'),
    h('p', {}, waitsFor(status)),
  );
}

/** @param {import('./page-state.js').Status} status */
function waitsFor({ partitions, records, lag }) {
  if (partitions.length === 0) return 'No record yet: the consumer group has given no partition to this member.';
  const topics = enumerate([...new Set(partitions.map(({ topic }) => topic))].map((topic) => shortName(topic)));
  const where = `${plural(partitions.length, 'partition')} of ${topics}`;
  if (records > 0) return `${plural(records, 'record')} read from ${where}; the first judgement comes soon.`;
  if (lag.messages > 0) return `No record yet: ${plural(lag.messages, 'message')} of ${where} wait to be read.`;
  return `No record yet: nothing has arrived in ${where} since this service listens.`;
}
