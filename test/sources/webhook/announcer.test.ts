import { expect, test } from '@jest/globals';
import { Announcer } from '../../../src/sources/webhook/announcer.js';

test('messages of one kind come once a minute and tell how many were left out', () => {
  let nowMs = 0;
  const told: string[] = [];
  const announcer = new Announcer(
    (text) => told.push(text),
    () => nowMs,
  );
  for (let second = 0; second < 90; second += 10) {
    nowMs = second * 1000;
    announcer.say('store', `at ${second}`);
  }
  announcer.say('other', 'other');
  expect(told).toEqual(['at 0', 'at 60 (and 5 more like it before)', 'other']);
});
