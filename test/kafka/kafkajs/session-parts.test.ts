import { expect, test } from '@jest/globals';
import { timesOf } from '../../../src/kafka/kafkajs/session-parts.js';

test.each([
  [30 * 60_000, 1_000],
  [20_000, 1_000],
  [6_000, 1_000],
  [2_000, 666],
])('a session of %i ms has a heartbeat every %i ms', (sessionMs, heartbeatInterval) => {
  expect(timesOf(sessionMs)).toMatchObject({ sessionTimeout: sessionMs, heartbeatInterval });
});
