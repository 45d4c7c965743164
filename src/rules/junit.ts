/** A rule test report as JUnit XML, for CI systems. */
import type { RuleReport, RuleTestReport, RuleTestResult } from './test-rules.js';

/** One suite a rule, one case a test; a rule without a positive or negative test fails in a case of its own. */
export function toJUnit(report: RuleTestReport): string {
  const suites = report.rules.map(suite);
  const tests = sum(suites.map(({ tests }) => tests));
  const failures = sum(suites.map(({ failures }) => failures));
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="skewscope rules" tests="${tests}" failures="${failures}">`,
    ...suites.flatMap(({ lines }) => lines),
    '</testsuites>',
    '',
  ].join('\n');
}

function suite(rule: RuleReport): { lines: string[]; tests: number; failures: number } {
  const problems = rule.problems.map((problem) => ({ name: problem, line: 1, failures: [`the rule ${problem}`] }));
  const cases = [...rule.tests, ...problems];
  const failures = cases.filter((test) => test.failures.length > 0).length;
  const attributes = `name="${xml(rule.id)}" tests="${cases.length}" failures="${failures}" file="${xml(rule.file)}"`;
  return {
    lines: [`  <testsuite ${attributes}>`, ...cases.flatMap((test) => testCase(rule, test)), '  </testsuite>'],
    tests: cases.length,
    failures,
  };
}

function testCase(rule: RuleReport, test: Pick<RuleTestResult, 'name' | 'line' | 'failures'>): string[] {
  const head = `    <testcase classname="${xml(rule.id)}" name="${xml(test.name)}" file="${xml(rule.file)}" line="${test.line}"`;
  if (test.failures.length === 0) return [`${head}/>`];
  const message = test.failures.join('\n');
  return [
    `${head}>`,
    `      <failure message="${xml(test.failures[0] ?? '')}">${xml(message)}</failure>`,
    '    </testcase>',
  ];
}

/** XML 1.0 has no way to write most control characters: they become the replacement character. */
function xml(text: string): string {
  return text
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udfff]/gu, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll('\n', '&#10;')
    .replaceAll('\t', '&#9;');
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
