import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isUtf8SoFar } from '../../src/formats/utf8.js';

describe('isUtf8SoFar', () => {
  it('forgives a character that is cut at the end, and nothing else', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(), (text, cut) => {
        const bytes = Buffer.from(text);
        expect(isUtf8SoFar(bytes.subarray(0, cut % (bytes.length + 1)))).toBe(true);
        expect(isUtf8SoFar(Buffer.concat([bytes, Buffer.from([0xff, 0x41])]))).toBe(false);
      }),
    );
    expect(isUtf8SoFar(Buffer.from([0x80]))).toBe(false);
    expect(isUtf8SoFar(Buffer.from([0xe2, 0x41]))).toBe(false);
  });
});
