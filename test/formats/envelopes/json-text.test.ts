import { describe, expect, it } from '@jest/globals';
import { jsonBytes, parsedJson, parsedText } from '../../../src/formats/envelopes/json-text.js';

describe('JSON texts', () => {
  it('reads a stretch of bytes, and nothing of what is no JSON', () => {
    expect(parsedJson(Buffer.from('xx{"a":"ü"}xx'), 2, 12)).toEqual({ a: 'ü' });
    expect(parsedJson(Buffer.from('{"a":'), 0, 5)).toBeUndefined();
    expect([parsedText('[1]'), parsedText('[1')]).toEqual([[1], undefined]);
  });

  it('writes values again, but for those that nest too deep', () => {
    let deep: unknown = 1;
    for (let at = 0; at < 200_000; at++) deep = [deep];
    expect(jsonBytes({ a: 1 })?.toString()).toBe('{"a":1}');
    expect(jsonBytes(deep)).toBeUndefined();
  });

  it('passes faults of the program on', () => {
    const value = {
      toJSON: () => {
        throw new TypeError('a fault');
      },
    };
    expect(() => jsonBytes(value)).toThrow('a fault');
  });
});
