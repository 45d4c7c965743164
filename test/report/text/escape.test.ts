import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { escapeProse, escapeText } from '../../../src/report/text/escape.js';

describe('escapeText', () => {
  test.each([
    ['plain text stays: é 漢 → …', 'plain text stays: é 漢 → …'],
    ['\u001b[31mred\u001b[0m', '\\x1b[31mred\\x1b[0m'],
    ['a\r\nb\tc', 'a\\r\\nb c'],
    ['\u009b2J', '\\x9b2J'],
    ['\u202egpj.exe\u2066', '\\u202egpj.exe\\u2066'],
    ['zero\u200bwidth\ufeff', 'zero\\u200bwidth\\ufeff'],
    ['\u{e0041}', '\\u{e0041}'],
    ['\ud800', '\\ud800'],
  ])('%j becomes %j', (text, escaped) => {
    expect(escapeText(text)).toBe(escaped);
  });

  test('leaves nothing that a terminal acts on', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(escapeText(text)).not.toMatch(/[\p{Control}\p{Bidi_Control}\p{Surrogate}]/u);
      }),
    );
  });
});

test('escapeProse folds line breaks, so that a value cannot begin a line of its own', () => {
  expect(escapeProse(' one\n  two\r\nCRITICAL three \u001b[1m')).toBe('one two CRITICAL three \\x1b[1m');
});
