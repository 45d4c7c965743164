import { describe, expect, it } from '@jest/globals';
import { conditionValue, plain, textValue } from '../../src/rules/values.js';
import { observation } from './observations.js';

describe('values', () => {
  it('are BigInt where the schema has whole numbers and double elsewhere', () => {
    const value = conditionValue(observation('proxy-latency', { p50: 3, count: 7 }), []);
    expect(value).toMatchObject({ count: 7n, p50: 3 });
  });

  it('hold null for fields that other types of the rule have', () => {
    expect(conditionValue(observation('stream-gap'), ['seconds', 'skewMs'])).toMatchObject({
      seconds: 312,
      skewMs: null,
    });
  });

  it('are cleaned for texts only', () => {
    const hostile = observation('policy-blind', { missing: 'a\u001bb' });
    expect(conditionValue(hostile, []).missing).toBe('a\u001bb');
    expect(textValue(hostile, []).missing).toBe('a b');
  });

  it('can go back to what JSON holds', () => {
    expect(plain({ a: [1n, { b: 2n }], c: 'x' })).toEqual({ a: [1, { b: 2 }], c: 'x' });
  });
});
