import { describe, expect, it } from '@jest/globals';
import { pathOf, textAt, valuesAt } from '../../../src/formats/envelopes/paths.js';

describe('valuesAt', () => {
  const value = {
    a: { b: 1, 'c.d': [10, 20] },
    list: [{ x: 1 }, { x: 2 }, { y: 3 }, 4],
    pairs: [
      { key: 'k.1', value: 'v1' },
      { field: '@f', value: 'v2' },
    ],
    flat: ['b', 'a', 'a', 'x', 'a'],
    none: null,
  };

  it.each<[string, readonly unknown[]]>([
    ['a/b', [1]],
    ['a/c.d/1', [20]],
    ['a/c.d/2', []],
    ['a/c.d/*', [10, 20]],
    ['list/*/x', [1, 2]],
    ['pairs/=k.1', ['v1']],
    ['pairs/=@f', ['v2']],
    ['pairs/=other', []],
    ['flat/a', ['x']],
    ['flat/x', []],
    ['none', [null]],
    ['none/a', []],
    ['a/b/c', []],
    ['toString', []],
    ['constructor/name', []],
    ['__proto__', []],
    ['list/length', []],
  ])('%s', (path, values) => {
    expect(valuesAt(value, pathOf(path))).toEqual(values);
  });

  it('takes a member called __proto__ for a member', () => {
    expect(valuesAt(JSON.parse('{"__proto__":{"a":1}}'), pathOf('__proto__/a'))).toEqual([1]);
  });
});

describe('textAt', () => {
  it('gives the first text that is not empty, of bounded length', () => {
    const value = { a: '', b: { c: 1 }, d: { stringValue: 'typed' }, e: 5, f: 'x'.repeat(5000) };
    expect(textAt(value, ['a', 'b', 'd', 'e'].map(pathOf))).toBe('typed');
    expect(textAt(value, ['a', 'e', 'd'].map(pathOf))).toBe('5');
    expect(textAt(value, [pathOf('f')])).toHaveLength(1024);
    expect(textAt(value, ['a', 'b', 'x'].map(pathOf))).toBe('');
  });
});
