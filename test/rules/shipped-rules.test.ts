import { describe, expect, it } from '@jest/globals';
import { loadRules, testRules } from '../../src/rules/index.js';

const IDS = [
  'advertise-half-set',
  'advertise-ignored',
  'advertise-invalid',
  'advertise-loopback',
  'advertise-refused',
  'advertise-shared',
  'advertise-unreachable',
  'apiservice-flapping',
  'audit-damaged',
  'audit-duplicated',
  'audit-gap',
  'audit-id-reused',
  'audit-policy-blind',
  'clock-skew',
  'clusters-mixed',
  'discovery-edge-missing',
  'discovery-forbidden',
  'discovery-given-up',
  'discovery-stale',
  'feature-inactive',
  'gate-off',
  'gc-after-wrong-not-found',
  'legacy-discovery-client',
  'mixed-version-window',
  'namespace-orphans',
  'peer-ca-missing',
  'peer-ca-untrusted',
  'peer-via-proxy',
  'proxy-identity-rejected',
  'proxy-identity-replaced',
  'proxy-slow',
  'proxy-unavailable',
  'server-log-missing',
  'serving-cert-expired',
  'serving-cert-invalid',
  'serving-cert-name',
  'startup-refused',
  'upgrade-stalled',
  'version-skew-unsupported',
  'wrong-not-found',
];

const ruleSet = await loadRules();
const report = testRules(ruleSet, { coverage: true });

describe('the shipped rules', () => {
  it('are these, no more and no fewer: ids are stable', () => {
    expect(ruleSet.rules.map(({ id }) => id)).toEqual(IDS);
  });

  it.each(report.rules.map((rule) => [rule.id, rule] as const))('%s passes its own tests', (_, rule) => {
    expect(rule.problems).toEqual([]);
    expect(rule.tests.flatMap(({ name, failures }) => failures.map((failure) => `${name}: ${failure}`))).toEqual([]);
  });

  it.each(report.rules.map((rule) => [rule.id, rule] as const))('%s has every branch tested', (_, rule) => {
    expect(rule.coverage?.filter(({ covered }) => !covered)).toEqual([]);
  });

  it('stand in files named after them, and say where to read on', () => {
    for (const rule of ruleSet.rules) {
      expect(rule.file).toBe(`rules/${rule.id}.yaml`);
      expect(rule.references.length).toBeGreaterThan(0);
    }
  });

  it('never promise anything of the flags that do nothing', () => {
    for (const rule of ruleSet.rules) {
      expect(rule.texts.fix.text).not.toMatch(/^\s+--peer-advertise-(ip|port)=/m);
    }
  });
});
