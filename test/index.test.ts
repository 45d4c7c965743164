/** The library as a caller sees it. */
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { analyze, loadRules, renderText, toResult } from '../src/index.js';

const SAMPLE = fileURLToPath(new URL('../samples/wrong-peer-ca', import.meta.url));

describe('analyze', () => {
  test('reads a folder and judges it by the shipped rules', async () => {
    const analysis = await analyze([SAMPLE]);
    expect(analysis.findings.map(({ rule, server }) => `${rule} ${server}`)).toContain('peer-ca-untrusted cp1');
    expect(toResult(analysis).schema).toBe('skewscope.analysis/v1');
    expect(renderText(analysis, { color: false, width: 100 })).toContain('cp1');
  });

  test('takes other rules', async () => {
    const rules = await loadRules({ shipped: false });
    expect((await analyze([SAMPLE], { rules })).findings).toEqual([]);
  });

  test('leaves out what is outside since and until', async () => {
    const { window, inputs } = await analyze([SAMPLE], { until: 1 });
    expect(window).toBeNull();
    expect(inputs.length).toBeGreaterThan(3);
  });

  test('throws on a path that does not exist, and names it', async () => {
    await expect(analyze([`${SAMPLE}/nowhere`])).rejects.toThrow('nowhere');
  });
});
