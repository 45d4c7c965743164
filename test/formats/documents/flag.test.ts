import { describe, expect, it } from '@jest/globals';
import { readFlag } from '../../../src/formats/documents/flag.js';

describe('readFlag', () => {
  it('reads name and value', () => {
    expect(readFlag('FLAG: --feature-gates="A=true,B=false"', 7, 1, 2)).toEqual({
      type: 'flag',
      line: 1,
      offset: 2,
      timeUs: 7,
      name: 'feature-gates',
      value: 'A=true,B=false',
    });
    expect(readFlag('FLAG: --x="a\\"b"', 0, 1, 0)?.value).toBe('a"b');
  });

  it.each(['FLAG: --x=y', 'FLAG: x="y"', 'FLAG: --x="y', 'flag', 'a FLAG: --x="y"'])('refuses %j', (text) => {
    expect(readFlag(text, 0, 1, 0)).toBeUndefined();
  });
});
