import { describe, expect, it } from '@jest/globals';
import { alternativesFor, formatRuleError, RuleErrors } from '../../src/rules/rule-error.js';

describe('alternativesFor', () => {
  it('gives the nearest names first', () => {
    expect(alternativesFor('critcal', ['info', 'warning', 'critical'])).toEqual(['critical']);
    expect(alternativesFor('peer-call-failur', ['peer-call-failure', 'proxy-failure', 'server'])).toEqual([
      'peer-call-failure',
    ]);
  });

  it('gives all of few names when none is near', () => {
    expect(alternativesFor('zzzzzz', ['b', 'a'])).toEqual(['a', 'b']);
  });

  it('gives none of very many names when none is near', () => {
    const many = Array.from({ length: 100 }, (_, at) => `name-number-${at}`);
    expect(alternativesFor('qqqqqqqqqqqqqqqqqqqqqqqqqq', many)).toEqual([]);
  });
});

describe('formatRuleError', () => {
  const error = { file: 'x.yaml', line: 3, column: 12, message: 'unknown key "whem"' };

  it('names the place and what was probably meant', () => {
    expect(formatRuleError({ ...error, alternatives: ['when'] })).toBe(
      'x.yaml:3:12: unknown key "whem"; did you mean "when"?',
    );
  });

  it('lists what is known when it is not a matter of spelling', () => {
    const alternatives = ['a', 'b', 'c', 'd'];
    expect(formatRuleError({ ...error, alternatives })).toBe(
      'x.yaml:3:12: unknown key "whem"; known: "a", "b", "c", "d"',
    );
  });

  it('leaves line and column out where the whole file is meant', () => {
    expect(new RuleErrors([{ ...error, line: 0, column: 0, alternatives: [] }]).message).toBe(
      'x.yaml: unknown key "whem"',
    );
  });
});
