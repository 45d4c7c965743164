import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import snappyjs from 'snappyjs';
import { snappy, unsnappy } from '../../../src/kafka/kafkajs/snappy.js';

test('both framings give back what went in', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 2_000 }), fc.integer({ min: 1, max: 60 }), (bytes, times) => {
      const plain = Buffer.concat(Array.from({ length: times }, () => Buffer.from(bytes)));
      expect(unsnappy(snappy(plain)).equals(plain)).toBe(true);
      expect(unsnappy(snappyjs.compress(plain)).equals(plain)).toBe(true);
    }),
  );
});

test('damage is an error, at any place', () => {
  const packed = snappy(Buffer.from('a line that is long enough to be cut\n'.repeat(2_000)));
  for (const length of [17, 19, 40, packed.length - 1]) {
    expect(() => unsnappy(packed.subarray(0, length))).toThrow(/snappy|Invalid/i);
  }
});
