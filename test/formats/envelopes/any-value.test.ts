import { describe, expect, it } from '@jest/globals';
import { plainValue } from '../../../src/formats/envelopes/any-value.js';

describe('plainValue', () => {
  it.each<[unknown, unknown]>([
    [{ stringValue: 'a' }, 'a'],
    [{ string_value: 'a' }, 'a'],
    [{ intValue: '42' }, 42],
    [{ intValue: 42 }, 42],
    [{ intValue: { valueOf: 1 } }, null],
    [{ doubleValue: 1.5 }, 1.5],
    [{ boolValue: false }, false],
    [{ arrayValue: { values: [{ stringValue: 'a' }, {}] } }, ['a', null]],
    [{ arrayValue: {} }, []],
    [{ kvlistValue: { values: [{ key: 'k', value: { intValue: '1' } }, 'no pair'] } }, { k: 1 }],
    [{ kvlist_value: { values: [{ key: 'k', value: { bytesValue: 'YQ==' } }] } }, { k: 'YQ==' }],
    [{ bytesValue: 'YQ==' }, Buffer.from('a')],
    [{ other: 1 }, null],
    ['text', 'text'],
    [null, null],
  ])('%j', (value, plain) => {
    expect(plainValue(value)).toEqual(plain);
  });

  it('ends at a depth that no event has', () => {
    let value: unknown = { stringValue: 'a' };
    for (let depth = 0; depth < 10_000; depth++) value = { arrayValue: { values: [value] } };
    expect(JSON.stringify(plainValue(value)).length).toBeLessThan(200);
  });

  it('keeps a member called __proto__ a member', () => {
    const value = { kvlistValue: { values: [{ key: '__proto__', value: { stringValue: 'a' } }] } };
    expect(JSON.stringify(plainValue(value))).toBe('{"__proto__":"a"}');
  });
});
