import { describe, expect, it } from '@jest/globals';
import { explainRule } from '../../src/rules/explain-rule.js';
import { parseRule } from '../../src/rules/parse-rule.js';
import { assembleRules } from '../../src/rules/rule-set.js';
import { ruleText } from './rule-text.js';

describe('explainRule', () => {
  const text = ruleText({
    severity: '[{ when: o.recovered, severity: info }, { default: warning }]',
    threshold: '{ count: 3, lasting: 1m }',
    window: '1h',
    needs: '[[flags, process-log]]',
    references: '["https://kubernetes.io/"]',
    tests: '[{ name: t1, observations: [{ type: peer-call-failure, cause: refused, count: 3 }], expect: [{}] }]',
  });
  const ruleSet = assembleRules([[parseRule(text, 'x.yaml')]]);

  it('is a page that tells everything a reader may ask', () => {
    const page = explainRule(ruleSet, 'some-rule');
    for (const part of [
      'some-rule: Some rule',
      'x.yaml',
      'info when o.recovered',
      'warning otherwise',
      'peer-call-failure: Calls between peers',
      '"cause":"unknown-authority"',
      'o.cause == "refused"',
      'one finding for each cluster, o.server',
      'counted at least 3 times',
      'lasting at least 1 min 00 s',
      'within the last 1 h 00 min',
      'flags or process-log (else unjudged: no FLAG lines',
      'Confidence\n  that of the surest observation',
      'Texts, as of the test “t1”',
      'Summary\n  cp1 fails 3 times',
      'https://kubernetes.io/',
      'finds      t1',
    ]) {
      expect(page).toContain(part);
    }
    expect(page.endsWith('\n')).toBe(true);
  });

  it('shows the templates of a rule that no test finds', () => {
    const silent = assembleRules([[parseRule(ruleText({ id: 'silent' }), 'x.yaml')]]);
    expect(explainRule(silent, 'silent')).toContain('{{ o.error }}');
  });

  it('knows the nearest ids', () => {
    expect(() => explainRule(ruleSet, 'some-rul')).toThrow('no rule "some-rul"; did you mean "some-rule"?');
  });
});
