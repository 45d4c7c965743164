/** The recorded runs of samples/ as inputs in memory, and what of a result must not depend on how they are given. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { analyze } from '../../src/analysis/index.js';
import { compareFindings } from '../../src/conformance/compare-findings.js';
import { type Expected, expectedSchema } from '../../src/conformance/expected.js';
import { type AnalysisResult, toResult } from '../../src/report/index.js';
import { loadRules } from '../../src/rules/index.js';
import { memorySources, type TestInput } from '../correlate/kit.js';

const ROOT = fileURLToPath(new URL('../../samples', import.meta.url));
export const RULES = await loadRules({ shipped: true });

export const RUNS = readdirSync(ROOT, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
  .sort();

export interface TextInput extends TestInput {
  readonly content: string;
}

export function inputsOfRun(run: string): TextInput[] {
  return readdirSync(join(ROOT, run))
    .filter((name) => name.endsWith('.gz'))
    .sort()
    .map((name) => ({
      name: name.slice(0, -3),
      content: gunzipSync(readFileSync(join(ROOT, run, name))).toString('utf8'),
    }));
}

export function expectedOf(run: string): Expected {
  return expectedSchema.parse(JSON.parse(readFileSync(join(ROOT, run, 'expected.json'), 'utf8')));
}

export async function resultOf(inputs: readonly TestInput[], chunk?: number): Promise<AnalysisResult> {
  return toResult(await analyze(memorySources(inputs, chunk), { rules: RULES }));
}

/** Findings at warning or above that stand by themselves and that the run does not allow. */
export function falseFindings(
  run: string,
  result: AnalysisResult,
  which: 'findings' | 'auditOnly' = 'auditOnly',
): string[] {
  const { differences } = compareFindings(expectedOf(run)[which], result.findings);
  return differences.filter(({ kind }) => kind === 'false').map(({ text }) => text);
}

/** Rules that speak of the inputs themselves. */
const OF_INPUTS = new Set(['audit-damaged', 'audit-duplicated', 'audit-gap', 'server-log-missing']);

/** The result without `inputs`, without the places that evidence points to, and without findings about the inputs. */
export function essence({ inputs: _, findings, unjudged, ...rest }: AnalysisResult) {
  return {
    ...rest,
    findings: findings.filter(({ rule }) => !OF_INPUTS.has(rule)).map(({ evidence: _evidence, ...finding }) => finding),
    unjudged: unjudged.filter(({ rule }) => !OF_INPUTS.has(rule)),
  };
}

export function linesOf(text: string): string[] {
  return text.split(/(?<=\n)/);
}

export function isAudit({ name }: TestInput): boolean {
  return name.includes('audit');
}

export function isProcessLog({ name }: TestInput): boolean {
  return name.includes('kube-apiserver');
}

/** Only the audit logs, each line kept or changed. */
export function auditLogs(inputs: readonly TextInput[], line: (text: string) => string | undefined): TextInput[] {
  return inputs.filter(isAudit).map((input) => ({
    ...input,
    content: linesOf(input.content)
      .flatMap((text) => line(text) ?? [])
      .join(''),
  }));
}
