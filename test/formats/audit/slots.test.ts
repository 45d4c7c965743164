import { describe, expect, test } from '@jest/globals';
import { Slots } from '../../../src/formats/audit/slots.js';

const viewOf = (bytes: Buffer) => new DataView(bytes.buffer, bytes.byteOffset, bytes.length);

describe('Slots', () => {
  test.each([4, 5, 6, 7, 8, 9, 15, 16, 17, 31, 32])(
    'finds a value of %i bytes again, and no value that differs',
    (length) => {
      const slots = new Slots<string>(8, 32, '');
      const bytes = Buffer.from(`"${'x'.repeat(length - 2)}" and more`);
      const view = viewOf(bytes);
      slots.put(5, view, 0, length, 'kept');
      expect(slots.values[slots.find(5, view, 0, bytes.length)]).toBe('kept');
      expect(slots.find(5, view, 0, length - 1)).toBe(-1);
      expect(slots.find(13, view, 0, bytes.length)).toBe(-1);
      for (let at = 0; at < length; at++) {
        const other = Buffer.from(bytes);
        other[at] = 0x79;
        expect(slots.find(5, viewOf(other), 0, bytes.length)).toBe(-1);
      }
    },
  );

  test('keeps two values of one hash and lets a third displace one', () => {
    const slots = new Slots<number>(2, 16, 0);
    const bytes = Buffer.from('"first""secnd""third"');
    const view = viewOf(bytes);
    const found = () => [0, 7, 14].map((at) => slots.values[slots.find(1, view, at, 7)]);
    slots.put(1, view, 0, 7, 1);
    slots.put(1, view, 7, 7, 2);
    expect(found()).toEqual([1, 2, undefined]);
    slots.put(1, view, 14, 7, 3);
    expect(found().filter((value) => value !== undefined)).toHaveLength(2);
    expect(found()[2]).toBe(3);
  });

  test('putRepeated keeps what comes a second time', () => {
    const slots = new Slots<string>(8, 32, '');
    const bytes = Buffer.from('"something"');
    const view = viewOf(bytes);
    slots.putRepeated(1, view, 0, bytes.length, 'once');
    expect(slots.find(1, view, 0, bytes.length)).toBe(-1);
    slots.putRepeated(1, view, 0, bytes.length, 'twice');
    expect(slots.values[slots.find(1, view, 0, bytes.length)]).toBe('twice');
  });

  test.each([
    ['too short', Buffer.from('"x"')],
    ['too long', Buffer.from(`"${'x'.repeat(40)}"`)],
    ['a word that is zero', Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 1, 1])],
    ['a word that is no number', Buffer.alloc(16, 0xff)],
  ])('remembers nothing that is %s', (_why, bytes) => {
    const slots = new Slots<string>(4, 32, '');
    slots.put(0, viewOf(bytes), 0, bytes.length, 'kept');
    expect(slots.find(0, viewOf(bytes), 0, bytes.length)).toBe(-1);
  });
});
