import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { cleanText, MAX_PIECE, shellWord } from '../../src/rules/sanitize.js';

describe('cleanText', () => {
  it('makes one harmless line of control characters, escapes and text that runs backwards', () => {
    expect(cleanText('a\u001b[31mb\r\nc\u202ed\u0000e\u009bf\u200bg')).toBe('a [31mb c d e f g');
  });

  it('keeps text of any language', () => {
    expect(cleanText('Prüfung 検証 🚀')).toBe('Prüfung 検証 🚀');
  });

  it('cuts long text without splitting a character', () => {
    const cut = cleanText('🚀'.repeat(MAX_PIECE + 5));
    expect([...cut]).toHaveLength(MAX_PIECE + 1);
    expect(cut.endsWith('🚀…')).toBe(true);
  });

  it('gives bounded text without control characters for any input', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 3_000 }), (text) => {
        const clean = cleanText(text);
        expect(clean).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/);
        expect([...clean].length).toBeLessThanOrEqual(MAX_PIECE + 1);
      }),
    );
  });
});

describe('shellWord', () => {
  it('leaves ordinary words alone', () => {
    expect(shellWord('10.0.0.12:6443')).toBe('10.0.0.12:6443');
    expect(shellWord('/apis/batch/v1/jobs')).toBe('/apis/batch/v1/jobs');
  });

  it('quotes what a shell would act on', () => {
    expect(shellWord('10.0.0.1; rm -rf /')).toBe("'10.0.0.1; rm -rf /'");
    expect(shellWord('$(id)')).toBe("'$(id)'");
    expect(shellWord("a'b")).toBe("'a'\\''b'");
    expect(shellWord('[::1]:6443')).toBe("'[::1]:6443'");
    expect(shellWord('')).toBe("''");
  });
});
