import { describe, expect, it } from '@jest/globals';
import { valueFieldsOf } from '../../src/rules/schema-shape.js';
import { conditionReader, plain, textReader } from '../../src/rules/values.js';
import { observation } from './observations.js';

describe('values', () => {
  it('are BigInt where the schema has whole numbers and double elsewhere', () => {
    const value = conditionReader(valueFieldsOf(['proxy-latency']))(observation('proxy-latency', { p50: 3, count: 7 }));
    expect(value).toMatchObject({ count: 7n, p50: 3 });
  });

  it('hold null for fields that other types of the rule have', () => {
    const read = conditionReader(valueFieldsOf(['stream-gap', 'clock-skew']));
    expect(read(observation('stream-gap'))).toMatchObject({ seconds: 312, skewMs: null });
    expect(read(observation('clock-skew'))).toMatchObject({ seconds: null, skewMs: 2400 });
  });

  it('are cleaned for texts only', () => {
    const fields = valueFieldsOf(['policy-blind']);
    const hostile = observation('policy-blind', { missing: 'a\u001bb' });
    expect(conditionReader(fields)(hostile).missing).toBe('a\u001bb');
    expect(textReader(fields)(hostile).missing).toBe('a b');
  });

  it('can go back to what JSON holds', () => {
    expect(plain({ a: [1n, { b: 2n }], c: 'x' })).toEqual({ a: [1, { b: 2 }], c: 'x' });
  });
});
