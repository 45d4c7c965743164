import { expect, test } from '@jest/globals';
import {
  explain,
  isFenced,
  isHopeless,
  isHopelessAtStart,
  kafkaFailure,
  refusesMessage,
} from '../../../src/kafka/kafkajs/failures.js';
import { matchTopics } from '../../../src/kafka/kafkajs/topics.js';
import { KafkaFailure } from '../../../src/kafka/port.js';

const failed = (message: string, more: object = {}) => Object.assign(new Error(message), more);

test('what an error means is found in whatever it is wrapped in', () => {
  const inner = failed('fenced', { type: 'INVALID_PRODUCER_EPOCH' });
  const error = failed('number of retries exceeded', { cause: failed('outer', { originalError: inner }) });
  expect([isFenced(error), isHopeless(error), refusesMessage(error)]).toEqual([true, true, false]);
  expect(kafkaFailure(error, 'sending')).toMatchObject({
    retry: false,
    message: expect.stringMatching(/^sending: .*taken over/),
  });
  const own = new KafkaFailure('own', true);
  expect(kafkaFailure(own, 'sending')).toBe(own);
});

test('a network that fails is worth another attempt, a mistake in the settings is not at the start', () => {
  const refused = failed('Connection error: connect ECONNREFUSED', { code: 'ECONNREFUSED' });
  expect([isHopeless(refused), isHopelessAtStart(refused)]).toEqual([false, false]);
  expect(explain(refused)).toMatch(/is it running/);
  const unknown = failed('Connection error: getaddrinfo ENOTFOUND kafka', { code: 'ENOTFOUND' });
  expect([isHopeless(unknown), isHopelessAtStart(unknown)]).toEqual([false, true]);
});

test('a session that the brokers do not allow is a mistake in the settings, with the key to change', () => {
  const error = failed('The session timeout is not within the range', { type: 'INVALID_SESSION_TIMEOUT' });
  expect(isHopelessAtStart(error)).toBe(true);
  expect(explain(error)).toMatch(/; set kafka\.session to what the brokers allow/);
});

test('an error that is its own cause ends the search', () => {
  const error = failed('round');
  Object.assign(error, { cause: error });
  expect(isHopeless(error)).toBe(false);
});

test('patterns find topics again and again, but not those of Kafka itself', () => {
  const topics = ['audit.b', 'audit.a', '__consumer_offsets', 'other'];
  expect(matchTopics(topics, [/audit/g, 'other', 'late'])).toEqual({
    names: ['audit.a', 'audit.b', 'other'],
    missing: ['late'],
  });
  expect(matchTopics(topics, [/./y]).names).not.toContain('__consumer_offsets');
});
