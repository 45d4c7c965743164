/** Text on its way out: bounded, visible, without credentials. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { safeText } from '../../../src/outputs/otlp/safe-text.js';

describe('safeText', () => {
  test.each([
    ['Authorization: Bearer abc.def-ghi', 'Authorization: REDACTED'],
    ['{"authorization":"Basic dXNlcjpwYXNzd29yZA=="}', '{"authorization":"REDACTED'],
    ['x bearer 0123456789abcdef y', 'x bearer REDACTED y'],
    ['Bearer%200123456789abcdef', 'Bearer%20REDACTED'],
    ['basic dXNlcjpwYXNzd29yZA==', 'basic REDACTED'],
    ['token=abcdef&x=1', 'token=REDACTED&x=1'],
    ['access_token = abcdef', 'access_token = REDACTED'],
    ['key eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJrIn0.c2ln end', 'key REDACTED end'],
    ['-----BEGIN EC PRIVATE KEY-----\nMHcC\n-----END EC PRIVATE KEY-----', '-----BEGIN EC PRIVATE KEY-----REDACTED'],
  ])('takes the secret out of %j', (text, safe) => {
    expect(safeText(text, 200)).toBe(safe);
  });

  test.each(['uses basic authentication only', 'the token reviewer failed', 'a secret named tls'])(
    'leaves %j alone',
    (text) => {
      expect(safeText(text, 200)).toBe(text);
    },
  );

  test('writes out what moves cursors or turns text around', () => {
    expect(safeText('a\u001b[2Jb\u202ec\u200bd\n', 100)).toBe('a\\u{1b}[2Jb\\u{202e}c\\u{200b}d\\u{a}');
  });

  test('never cuts a character in half', () => {
    expect(safeText('ab😀cd', 4)).toBe('ab…');
    expect(safeText('ab😀cd', 5)).toBe('ab😀…');
  });

  test('is bounded, whole and visible for any text', () => {
    const text = fc.string({ unit: 'binary', maxLength: 400 });
    fc.assert(
      fc.property(text, fc.integer({ min: 2, max: 300 }), (given, limit) => {
        const safe = safeText(given, limit);
        expect(safe.length).toBeLessThanOrEqual(limit);
        expect(safe).not.toMatch(/[\p{Control}\p{Surrogate}\p{Bidi_Control}]/u);
      }),
    );
  });

  test('is quick with text made to be slow', () => {
    const texts = ['-----BEGIN '.repeat(20_000), 'authorization:'.repeat(20_000), `bearer${' '.repeat(200_000)}`];
    const from = performance.now();
    for (const text of [...texts, 'eyJ'.repeat(100_000), 'token='.repeat(50_000)]) safeText(text, 1_000);
    expect(performance.now() - from).toBeLessThan(1_000);
  });
});
