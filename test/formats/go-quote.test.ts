import { describe, expect, it } from '@jest/globals';
import { quotedEnd, unquote } from '../../src/formats/go-quote.js';

describe('quotedEnd', () => {
  it('finds the closing quote and knows when there is none', () => {
    expect(quotedEnd('"a" b', 0)).toBe(3);
    expect(quotedEnd('x "a\\"b\\\\" c', 2)).toBe(10);
    expect(quotedEnd('"a\\"', 0)).toBe(-1);
  });
});

describe('unquote', () => {
  it.each([
    ['"plain"', 'plain'],
    ['"a\\"b\\\\c\\n\\t\\a"', 'a"b\\c\n\t\x07'],
    ['"\\u00fc\\U0001f600\\x41\\101"', 'ü😀AA'],
    ['"\\xff\\Uffffffff"', '\ufffd\ufffd'],
    ['"\\q"', '\\q'],
    ['""', ''],
  ])('%s', (quoted, content) => {
    expect(unquote(quoted)).toBe(content);
  });
});
