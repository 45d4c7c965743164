import { describe, expect, it } from '@jest/globals';
import { skipNuls } from '../../src/formats/nul-runs.js';

describe('skipNuls', () => {
  it.each([0, 1, 7, 65_535, 65_536, 65_537, 300_000])('skips a run of %d', (length) => {
    const bytes = Buffer.concat([Buffer.from('ab'), Buffer.alloc(length), Buffer.from('c\0')]);
    expect(skipNuls(bytes, 2)).toBe(2 + length);
    expect(skipNuls(Buffer.alloc(length), 0)).toBe(length);
  });
});
