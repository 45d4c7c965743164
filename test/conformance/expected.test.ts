import { describe, expect, test } from '@jest/globals';
import { expectedSchema, isAssertion } from '../../src/conformance/expected.js';
import { expected } from './example.js';

describe('expected.json', () => {
  test('is read as it is', () => {
    expect(expectedSchema.parse(JSON.parse(JSON.stringify(expected)))).toStrictEqual(expected);
  });

  test('is refused with a field that nobody would check', () => {
    const { findings } = expected;
    const required = [{ rule: 'gate-off', sever: 'cp1' }];
    expect(expectedSchema.safeParse({ ...expected, findings: { ...findings, required } }).success).toBe(false);
  });
});

test.each([
  ['critical', 'certain', true],
  ['warning', 'likely', true],
  ['warning', 'possible', false],
  ['info', 'certain', false],
])('a %s finding that is %s is an assertion: %s', (severity, confidence, assertion) => {
  expect(isAssertion({ severity, confidence })).toBe(assertion);
});
