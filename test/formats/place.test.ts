import { describe, expect, it } from '@jest/globals';
import { Place } from '../../src/formats/place.js';

function placeAt(text: string, base: number): Place {
  const place = new Place();
  place.use(Buffer.from(text), base);
  return place;
}

describe('Place', () => {
  it('counts lines and knows where they begin in the stream', () => {
    const place = placeAt('one\ntwo\n', 100);
    place.midLine = true;
    expect(place.endLine(3)).toBe(4);
    expect([place.line, place.lineOffset, place.midLine]).toEqual([2, 104, false]);
  });

  it('forgets what the decoder said about other bytes', () => {
    const place = placeAt('{}', 0);
    place.told = { verdict: 'not-audit', start: 0, end: 2 };
    place.use(Buffer.from('[]'), 2);
    expect(place.told).toBeUndefined();
  });

  it('tells whether its bytes may be UTF-8, a character cut at their end included', () => {
    expect(placeAt('é', 0).bytesAreUtf8).toBe(true);
    const place = new Place();
    place.use(Buffer.from('é').subarray(0, 1), 0);
    expect(place.bytesAreUtf8).toBe(true);
    place.use(Buffer.from([0xff, 0x41]), 0);
    expect(place.bytesAreUtf8).toBe(false);
  });

  it('goes back within its bytes', () => {
    const place = placeAt('abcdef', 10);
    expect(place.goBack(12, 5)).toBe(2);
    expect(place.bytes.toString()).toBe('abcdef');
  });

  it('goes back into what it carried over, and stays where that is gone', () => {
    const place = placeAt('abc', 10);
    expect(place.carryFrom(1)).toBe(3);
    place.use(Buffer.from('def'), 13);
    expect(place.goBack(12, 2)).toBe(0);
    expect([place.bytes.toString(), place.base, place.carry.length]).toEqual(['cdef', 12, 0]);
    expect(place.goBack(5, 3)).toBe(3);
  });
});
