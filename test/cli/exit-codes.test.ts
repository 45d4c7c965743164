import { expect, test } from '@jest/globals';
import { exitCodeFor } from '../../src/cli/exit-codes.js';
import type { FailOn } from '../../src/config/config.js';
import type { Severity } from '../../src/model/finding.js';
import { analysis, finding } from './fakes.js';

const input = (over: object) => ({
  name: 'a',
  kind: 'file',
  bytes: 1,
  records: 1,
  server: null,
  problems: {},
  ...over,
});

test.each([
  [[], 'info', 0],
  [['info'], 'info', 1],
  [['info'], 'warning', 0],
  [['warning'], 'warning', 1],
  [['warning', 'critical'], 'critical', 1],
  [['warning'], 'critical', 0],
  [['critical'], 'never', 0],
] as [Severity[], FailOn, number][])('%j with --fail-on %s gives %d', (severities, failOn, code) => {
  const findings = severities.map((severity) => finding({ severity }));
  const outcome = { analysis: analysis({ findings }), failOn, interrupted: false, unreadable: false };
  expect(exitCodeFor(outcome)).toBe(code);
  expect(exitCodeFor({ ...outcome, unreadable: true })).toBe(3);
  expect(exitCodeFor({ ...outcome, interrupted: true, unreadable: true })).toBe(130);
});

test('input that broke off, or that held nothing usable, is a failure', () => {
  const code = (...inputs: object[]) =>
    exitCodeFor({
      analysis: analysis({ inputs: inputs.map(input), findings: [finding()] }),
      failOn: 'warning',
      interrupted: false,
      unreadable: false,
    });
  expect(code({}, { problems: { unreadable: 1 } })).toBe(3);
  expect(code({ records: 0 }, { records: 0 })).toBe(3);
  expect(code()).toBe(3);
  // Lines that are none of ours, and inputs without any, are normal beside others.
  expect(code({ problems: { 'unknown-line': 9 } }, { records: 0 })).toBe(1);
});

test('nothing in the time that was asked for is a failure', () => {
  const code = (kept: number) =>
    exitCodeFor({
      analysis: analysis({ inputs: [input({})], leftOut: { records: 9, kept, recorded: { from: 1, to: 2 } } }),
      failOn: 'warning',
      interrupted: false,
      unreadable: false,
    });
  expect(code(0)).toBe(3);
  expect(code(1)).toBe(0);
});
