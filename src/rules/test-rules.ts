/** Runs the tests that rules carry, and says which of their branches no test reaches. */
import { CAPABILITIES, type Capability } from '../model/analysis.js';
import type { Finding } from '../model/finding.js';
import { canonicalJson } from './canonical.js';
import { judgeRule } from './judge.js';
import type { ExpectedFinding, Rule, RuleSet, RuleTest } from './rule.js';
import { TEXTS } from './rule.js';

export interface RuleTestResult {
  readonly name: string;
  readonly line: number;
  readonly kind: 'positive' | 'negative';
  /** Empty when it passed; else what was expected and what came instead. */
  readonly failures: readonly string[];
}

export interface RuleReport {
  readonly id: string;
  readonly file: string;
  readonly tests: readonly RuleTestResult[];
  /** Faults of the rule's tests as a whole: no positive test, no negative test. */
  readonly problems: readonly string[];
  /** Every branch of the rule and whether a test took it; undefined unless asked for. */
  readonly coverage: readonly { readonly branch: string; readonly covered: boolean }[] | undefined;
}

export interface RuleTestReport {
  readonly rules: readonly RuleReport[];
  readonly passed: number;
  readonly failed: number;
  /** No test failed and no rule has a problem. */
  readonly ok: boolean;
}

export interface RuleTestOptions {
  /** Only rules of these files, by full name or by its end. */
  readonly files?: readonly string[];
  readonly coverage?: boolean;
}

/** Load the rules without severity overrides first: the tests speak of the severities that the files give. */
export function testRules(ruleSet: RuleSet, options: RuleTestOptions = {}): RuleTestReport {
  const wanted = [...ruleSet.rules, ...ruleSet.disabled].filter((rule) => isWanted(rule, options.files));
  const rules = wanted.map((rule) => testRule(rule, options.coverage ?? false));
  const results = rules.flatMap(({ tests }) => tests);
  const failed = results.filter(({ failures }) => failures.length > 0).length;
  const ok = failed === 0 && rules.every(({ problems }) => problems.length === 0);
  return { rules, passed: results.length - failed, failed, ok };
}

/** Every branch that a rule has, in the order of its file. */
export function branchesOf(rule: Rule): string[] {
  const choice = (name: 'severity' | 'confidence') => [
    ...rule[name].branches.map(({ value }, at) => `${name} ${at + 1}: ${value}`),
    `${name} default: ${rule[name].fallback}`,
  ];
  const thresholded = rule.threshold.count > 1 || rule.threshold.lasting > 0;
  return [
    ...(rule.when === undefined ? [] : ['when true', 'when false']),
    'threshold reached',
    ...(thresholded ? ['threshold not reached'] : []),
    ...choice('severity'),
    ...(rule.confidence.branches.length > 0 ? choice('confidence') : []),
  ];
}

function isWanted(rule: Rule, files: readonly string[] | undefined): boolean {
  return files === undefined || files.some((file) => rule.file === file || rule.file.endsWith(`/${file}`));
}

function testRule(rule: Rule, withCoverage: boolean): RuleReport {
  const taken = new Set<string>();
  const tests = rule.tests.map((test) => runTest(rule, test, (branch) => taken.add(branch)));
  const problems = (['positive', 'negative'] as const)
    .filter((kind) => !tests.some((test) => test.kind === kind))
    .map((kind) => `has no ${kind} test`);
  const coverage = withCoverage
    ? branchesOf(rule).map((branch) => ({ branch, covered: taken.has(branch) }))
    : undefined;
  return { id: rule.id, file: rule.file, tests, problems, coverage };
}

function runTest(rule: Rule, test: RuleTest, trace: (branch: string) => void): RuleTestResult {
  const capabilities = new Set(test.capabilities ?? (Object.keys(CAPABILITIES) as Capability[]));
  const { findings, unjudged } = judgeRule(rule, { observations: test.observations, capabilities }, trace);
  const failures = compare(test.expect, findings);
  const blind = unjudged.length > 0;
  if (blind !== (test.unjudged ?? false)) {
    failures.push(blind ? `unjudged: ${unjudged.map(({ reason }) => reason).join('; ')}` : 'expected to be unjudged');
  }
  return { name: test.name, line: test.line, kind: test.expect.length > 0 ? 'positive' : 'negative', failures };
}

/** Each expected finding takes one that fits; what is left over on either side is a failure. */
function compare(expected: readonly ExpectedFinding[], findings: readonly Finding[]): string[] {
  const left = [...findings];
  const failures: string[] = [];
  for (const wanted of expected) {
    const at = left.findIndex((finding) => differences(wanted, finding).length === 0);
    if (at >= 0) {
      left.splice(at, 1);
      continue;
    }
    const nearest = left
      .map((finding) => differences(wanted, finding))
      .sort((a, b) => a.length - b.length)
      .at(0);
    failures.push(nearest === undefined ? `no finding, expected ${JSON.stringify(wanted)}` : nearest.join('; '));
    if (nearest !== undefined) left.shift();
  }
  failures.push(...left.map((finding) => `not expected: ${finding.severity}: ${finding.summary}`));
  return failures;
}

function differences(wanted: ExpectedFinding, finding: Finding): string[] {
  return (Object.keys(wanted) as (keyof ExpectedFinding)[]).flatMap((key) => {
    const want = wanted[key];
    const have = finding[key];
    const isText = TEXTS.some((text) => text === key);
    const fits = isText ? String(have).includes(String(want)) : canonicalJson(want) === canonicalJson(have);
    if (want === undefined || fits) return [];
    return [`${key}: expected ${isText ? 'it to contain ' : ''}${JSON.stringify(want)}, got ${JSON.stringify(have)}`];
  });
}
