import { describe, expect, it } from '@jest/globals';
import { canonicalJson, union } from '../../src/rules/canonical.js';

describe('canonicalJson', () => {
  it('does not depend on the order of keys', () => {
    expect(canonicalJson({ b: 1, a: [{ d: null, c: 2n }] })).toBe('{"a":[{"c":2,"d":null}],"b":1}');
  });
});

describe('union', () => {
  it('holds each value once, in canonical order', () => {
    expect(union([{ a: 2 }, { a: 1 }, { a: 2 }])).toEqual([{ a: 1 }, { a: 2 }]);
  });

  it('takes an order of its own', () => {
    expect(union([10, 9, 10], (a, b) => a - b)).toEqual([9, 10]);
  });
});
