/** What comes in and what goes out: partitions with their lag, sinks, and what the service noted. */
import { h, icon, name } from './dom.js';
import { table } from './table.js';
import { visible } from './visible.js';
import { clock, digits } from './words.js';

/** @typedef {import('./page-state.js').PageState} PageState */

const NOTES_SHOWN = 20;

/** @param {PageState} state */
export function renderPartitions({ status, now }) {
  const columns = [
    { title: 'Partition' },
    { title: 'Lag', number: true },
    { title: 'Next offset', number: true },
    { title: 'Committed', number: true },
    { title: 'Event time' },
    { title: 'State' },
    { title: 'Unreadable', number: true },
  ];
  const rows = status.partitions.map(
    ({ topic, partition, lag, position, committed, eventTime, paused, unreadable }) => ({
      key: `${topic} ${partition}`,
      cells: [
        h('span', {}, name(topic), ` ${partition}`),
        digits(lag),
        digits(position),
        committed === null ? '–' : digits(committed),
        eventTime === null ? '–' : clock(eventTime, now),
        paused ? 'paused' : 'reading',
        unreadable === 0 ? '0' : { of: [icon('warning'), ` ${digits(unreadable)}`], class: 'doubt' },
      ],
    }),
  );
  return h(
    'section',
    {},
    h('h2', { id: 'partitions-title' }, 'Partitions'),
    rows.length === 0
      ? h('p', { class: 'empty' }, 'This member of the group holds no partition.')
      : table('Partitions', columns, rows),
  );
}

/** @param {PageState} state */
export function renderSinks({ status, now }) {
  const number = true;
  const columns = [
    { title: 'Sink' },
    { title: 'State' },
    { title: 'Delivered', number },
    { title: 'Waiting', number },
    { title: 'Refused', number },
  ];
  const rows = status.sinks.map(({ name: sink, delivered, waiting, refused, failure }) => ({
    key: sink,
    cells: [
      name(sink),
      failure === ''
        ? h('span', { class: 'good' }, icon('ok'), ' takes what comes')
        : { of: h('span', { class: 'bad' }, icon('failing'), ' ', visible(failure)), class: 'long' },
      digits(delivered),
      digits(waiting),
      refused === 0 ? '0' : { of: [icon('warning'), ` ${digits(refused)}`], class: 'doubt' },
    ],
  }));
  const notes = [...status.notes].reverse().slice(0, NOTES_SHOWN);
  return h(
    'section',
    {},
    h('h2', { id: 'sinks-title' }, 'Sinks'),
    rows.length === 0
      ? h('p', { class: 'empty' }, 'No sink is configured: findings are shown here only.')
      : table('Sinks', columns, rows),
    notes.length === 0 ? null : h('h3', {}, 'Notes of the service'),
    notes.length === 0
      ? null
      : h(
          'ul',
          { class: 'notes' },
          notes.map(({ at, message }) =>
            h(
              'li',
              { 'data-key': `${at} ${message.slice(0, 200)}` },
              h('time', { datetime: at }, clock(at, now)),
              ' ',
              visible(message),
            ),
          ),
        ),
  );
}
