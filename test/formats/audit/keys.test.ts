import { describe, expect, test } from '@jest/globals';
import { field, fieldOf, keyAt } from '../../../src/formats/audit/keys.js';

const viewOf = (text: string) => {
  const bytes = Buffer.from(text);
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
};
const padding = ' '.repeat(40);
/** Keys that few events have and that take the general way. */
const rare = ['impersonatedUser', 'timestamp', 'metadata'];
const usual = Object.entries(field).filter(([key]) => !rare.includes(key));

describe('keyAt', () => {
  test.each(usual)('knows the key %s', (key, number) => {
    const text = `"${key}":`;
    expect(keyAt(viewOf(text + padding), 0, text.length + padding.length)).toBe((text.length << 8) | number);
  });

  test.each(usual)('knows no other key than %s by its beginning or end', (key) => {
    const text = `"${key}":`;
    for (let at = 0; at < text.length; at++) {
      const other = `${text.slice(0, at)}~${text.slice(at + 1)}`;
      expect(keyAt(viewOf(other + padding), 0, other.length + padding.length)).toBe(0);
    }
    expect(keyAt(viewOf(text), 0, text.length)).toBe(0);
  });

  test('leaves rare keys to the general way', () => {
    for (const key of rare) {
      expect(keyAt(viewOf(`"${key}":${padding}`), 0, key.length + 3 + padding.length)).toBe(0);
      expect(fieldOf(key)).toBeGreaterThan(0);
    }
    expect(fieldOf('anything')).toBe(0);
  });
});
