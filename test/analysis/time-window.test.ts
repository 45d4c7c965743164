/** --since and --until: what they leave out is counted, and nobody is accused over it. */
import { describe, expect, test } from '@jest/globals';
import { analyze } from '../../src/analysis/index.js';
import { whyNothing } from '../../src/cli/nothing-judged.js';
import { toResult } from '../../src/report/index.js';
import { memorySources } from '../correlate/kit.js';
import { inputsOfRun, RULES } from './samples.js';

const inputs = inputsOfRun('healthy');
const YEAR = 366 * 24 * 3_600_000_000;

async function analyzed(window: { since?: number; until?: number }) {
  return analyze(memorySources(inputs), { rules: RULES, ...window });
}

describe('records outside the time that was asked for', () => {
  test('are counted by input', async () => {
    const whole = await analyzed({});
    expect(whole.leftOut).toBeUndefined();
    const middle = ((whole.window?.from ?? 0) + (whole.window?.to ?? 0)) / 2;
    const half = await analyzed({ since: middle });
    const outside = toResult(half).inputs.map(({ problems }) => problems['outside-time'] ?? 0);
    expect(outside.filter((count) => count > 0).length).toBeGreaterThan(3);
    expect(half.leftOut?.records).toBe(outside.reduce((sum, count) => sum + count, 0));
    expect(half.inputs.every(({ records, problems }) => (problems['outside-time'] ?? 0) <= records)).toBe(true);
    expect(half.leftOut?.recorded).toEqual((await analyzed({ since: middle + YEAR })).leftOut?.recorded);
    expect(whyNothing(half)).toBeUndefined();
  });

  test('all of them: the reason is told, and no log is called missing', async () => {
    const { window } = await analyzed({});
    const none = await analyzed({ since: (window?.to ?? 0) + YEAR });
    expect(none.leftOut?.kept).toBe(0);
    expect(none.findings.map(({ rule }) => rule)).not.toContain('server-log-missing');
    expect(none.unjudged.map(({ rule }) => rule)).toContain('server-log-missing');
    expect(whyNothing(none)).toMatch(
      /^no record in the time that was asked for: the logs reach from 2026-.* counts back/,
    );
  });

  test('a short time says nothing of the audit policy', async () => {
    const { window } = await analyzed({});
    const short = await analyzed({ since: (window?.to ?? 0) - 300_000 });
    expect(short.inputs.some(({ name }) => name.includes('audit'))).toBe(true);
    expect(short.findings.map(({ rule }) => rule)).not.toContain('audit-policy-blind');
    expect(short.unjudged.map(({ rule }) => rule)).toContain('audit-policy-blind');
  });
});
