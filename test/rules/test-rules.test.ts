import { describe, expect, it } from '@jest/globals';
import { parseRule } from '../../src/rules/parse-rule.js';
import { assembleRules } from '../../src/rules/rule-set.js';
import { testRules } from '../../src/rules/test-rules.js';
import { ruleText } from './rule-text.js';

const positive = `{ name: "finds <it> & more", observations: [{ type: peer-call-failure, cause: refused }], expect: [{ severity: warning, summary: "cp1 fails" }] }`;
const negative = '{ name: silent, observations: [{ type: peer-call-failure }], expect: none }';

function report(tests: string, changes: Record<string, string> = {}) {
  const rule = parseRule(ruleText({ ...changes, tests: `[${tests}]` }), 'dir/x.yaml');
  return testRules(assembleRules([[rule]]), { coverage: true });
}

describe('testRules', () => {
  it('passes what comes as expected', () => {
    expect(report(`${positive}, ${negative}`)).toMatchObject({ passed: 2, failed: 0, ok: true });
  });

  it('needs a positive and a negative test of each rule', () => {
    expect(report(positive)).toMatchObject({ ok: false, failed: 0, rules: [{ problems: ['has no negative test'] }] });
    expect(report('')).toMatchObject({ rules: [{ problems: ['has no positive test', 'has no negative test'] }] });
  });

  it('tells what was expected and what came', () => {
    const wrong = positive.replace('warning', 'critical').replace('cp1 fails', 'cp2 fails');
    const [rule] = report(`${wrong}, ${negative.replace('failure', 'failure, cause: refused')}`).rules;
    expect(rule?.tests[0]?.failures).toEqual([
      'severity: expected "critical", got "warning"; summary: expected it to contain "cp2 fails", got "cp1 fails 12 times"',
    ]);
    expect(rule?.tests[1]?.failures).toEqual(['not expected: warning: cp1 fails 12 times']);
  });

  it('tells a finding that did not come', () => {
    const [rule] = report(positive.replace('refused', 'timeout')).rules;
    expect(rule?.tests[0]?.failures).toEqual(['no finding, expected {"severity":"warning","summary":"cp1 fails"}']);
  });

  it('checks whether a rule was blind', () => {
    const blind = '{ name: blind, observations: [], capabilities: [], expect: none, unjudged: true }';
    expect(report(`${positive}, ${blind}`, { needs: 'audit' })).toMatchObject({ ok: true });
    const [rule] = report(`${positive}, ${blind}`).rules;
    expect(rule?.tests[1]?.failures).toEqual(['expected to be unjudged']);
  });

  it('covers conditions, thresholds and branches', () => {
    const changes = {
      threshold: '{ count: 2 }',
      severity: '[{ when: o.recovered, severity: info }, { default: warning }]',
    };
    const covered = (tests: string) =>
      report(tests, changes)
        .rules[0]?.coverage?.filter((branch) => !branch.covered)
        .map(({ branch }) => branch);
    expect(covered(positive)).toEqual(['when false', 'threshold not reached', 'severity 1: info']);
    expect(covered(negative)).toEqual([
      'when true',
      'threshold reached',
      'threshold not reached',
      'severity 1: info',
      'severity default: warning',
    ]);
  });

  it('can be limited to files', () => {
    const rule = parseRule(ruleText(), 'dir/x.yaml');
    expect(testRules(assembleRules([[rule]]), { files: ['x.yaml'] }).rules).toHaveLength(1);
    expect(testRules(assembleRules([[rule]]), { files: ['y.yaml'] }).rules).toHaveLength(0);
  });
});
