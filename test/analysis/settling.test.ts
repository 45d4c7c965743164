import { expect, test } from '@jest/globals';
import { Settling } from '../../src/analysis/settling.js';
import { finding } from '../report/example.js';
import { RULES } from './samples.js';

const missing = finding({ rule: 'server-log-missing', fingerprint: 'a', severity: 'info' });
const fault = finding({ fingerprint: 'b' });

test('what is absent is told when it stays so, everything else at once', () => {
  const settling = new Settling();
  expect(settling.settled([missing, fault], RULES, 1)).toEqual([fault]);
  expect(settling.settled([missing, fault], RULES, 10_000)).toEqual([fault]);
  expect(settling.settled([missing, fault], RULES, 10_001)).toEqual([missing, fault]);
});

test('what comes again waits again', () => {
  const settling = new Settling();
  settling.settled([missing], RULES, 1_000);
  settling.settled([], RULES, 5_000);
  expect(settling.settled([missing], RULES, 11_000)).toEqual([]);
  expect(settling.settled([missing], RULES, 21_000)).toEqual([missing]);
});
