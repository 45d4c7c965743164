/** The page writes out hostile characters as the text report does. */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { escapeText } from '../../../src/report/text/escape.js';
import { shortName, visible } from '../../../src/service/page/assets/visible.js';

test('as the text report does, whatever the text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
      expect(visible(text)).toBe(escapeText(text));
    }),
  );
  expect(visible('a\u202eb\u0007\n\ud800')).toBe('a\\u202eb\\x07\\n\\ud800');
});

test('no more than fits', () => {
  expect(visible('x'.repeat(10_000)).length).toBe(4097);
  expect(shortName('cp1.example')).toBe('cp1.example');
  expect(shortName(`begin${'x'.repeat(500)}end`)).toMatch(/^beginx{27}…x{28}end$/);
  expect([...shortName('\u{1f600}'.repeat(100))].length).toBe(64);
});
