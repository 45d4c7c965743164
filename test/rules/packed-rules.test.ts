import { describe, expect, it } from '@jest/globals';
import { packRule, unpackRule } from '../../src/rules/packed-rules.js';
import { parseRule } from '../../src/rules/parse-rule.js';
import { testRules } from '../../src/rules/test-rules.js';
import { ruleText } from './rule-text.js';

const RICH = parseRule(
  ruleText({
    severity: '[{ when: count > 10, severity: critical }, { default: warning }]',
    confidence: '[{ when: "all.exists(x, x.recovered)", confidence: possible }, { default: observed }]',
    group: '[server, o.cause]',
    resource: '"null"',
    threshold: '{ count: 2, lasting: 5s }',
    window: '1h',
    needs: '[audit, [process-log, peer-discovery-audit]]',
    references: '[https://example.com/]',
    tests: `
  - { name: found, observations: [{ type: peer-call-failure, cause: refused }], expect: [{ severity: critical }] }
  - { name: blind, observations: [], capabilities: [], expect: none, unjudged: true }`,
  }),
  'rules/some-rule.yaml',
  { shipped: true },
);

const throughJson = (value: unknown) => JSON.parse(JSON.stringify(value));
const ruleSet = (rule: typeof RICH) => ({ rules: [rule], disabled: [], replaced: [], severities: {} });

describe('a packed rule', () => {
  const unpacked = unpackRule(throughJson(packRule(RICH)));

  it('holds everything that the rule holds', () => {
    expect(throughJson(unpacked)).toEqual(throughJson(RICH));
    expect(packRule(unpacked)).toEqual(packRule(RICH));
  });

  it('passes the same tests over the same branches', () => {
    const report = testRules(ruleSet(RICH), { coverage: true });
    expect(report.passed).toBe(2);
    expect(testRules(ruleSet(unpacked), { coverage: true })).toEqual(report);
  });

  it('may do without a condition and a resource', () => {
    const plain = parseRule(ruleText({ when: null }), 'plain.yaml');
    const again = unpackRule(throughJson(packRule(plain)));
    expect([again.when, again.resource]).toEqual([undefined, undefined]);
    expect(throughJson(again)).toEqual(throughJson(plain));
  });
});
