/** Which requests become spans. */
import { describe, expect, test } from '@jest/globals';
import { isFailure, isSampled } from '../../../src/outputs/otlp/index.js';
import { failedRequest, request, side } from './examples.js';

const many = Array.from({ length: 2_000 }, (_, n) => request({ auditID: `id-${n}` }));

describe('isSampled', () => {
  test('keeps about the share that is asked for, and the same ones each time', () => {
    const kept = many.filter((told) => isSampled(told, 0.25));
    expect(kept.length).toBeGreaterThan(400);
    expect(kept.length).toBeLessThan(600);
    expect(many.filter((told) => isSampled(told, 0.25))).toEqual(kept);
  });

  test('keeps with a larger share what it keeps with a smaller one', () => {
    const few = many.filter((told) => isSampled(told, 0.1));
    expect(few.every((told) => isSampled(told, 0.5))).toBe(true);
  });

  test('keeps all, or none but failures', () => {
    expect(many.every((told) => isSampled(told, 1))).toBe(true);
    expect(many.some((told) => isSampled(told, 0))).toBe(false);
    expect(isSampled(failedRequest(), 0)).toBe(true);
  });
});

describe('isFailure', () => {
  test.each([
    ['reached nobody', failedRequest(), true],
    ['was not let in', request({ source: side('cp1', 0, 9, 401), destination: side('cp2', 1, 2, 401) }), true],
    ['ended in 500', request({ destination: side('cp2', 1, 2, 500) }), true],
    ['has a cause', request({ cause: 'connection-lost' }), true],
    ['was not found', request({ source: side('cp1', 0, 9, 404), destination: side('cp2', 1, 2, 404) }), false],
    ['went well', request(), false],
  ])('a request that %s', (_case, told, failed) => {
    expect(isFailure(told)).toBe(failed);
  });
});
