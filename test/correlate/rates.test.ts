import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Rates } from '../../src/correlate/rates.js';
import { MIN, T0 } from './kit.js';

test('counts what was answered, 404s and 5xx, in any order', () => {
  const answer = fc.record({ at: fc.integer({ min: T0, max: T0 + MIN }), code: fc.constantFrom(200, 404, 500, 503) });
  fc.assert(
    fc.property(fc.array(answer), (answers) => {
      const rates = new Rates();
      for (const { at, code } of answers) rates.add(at, code);
      rates.flush();
      rates.flush();
      const count = (wanted: (code: number) => boolean) => answers.filter(({ code }) => wanted(code)).length;
      expect(rates.requests.total).toBe(answers.length);
      expect(rates.notFound.total).toBe(count((code) => code === 404));
      expect(rates.serverErrors.total).toBe(count((code) => code >= 500));
    }),
  );
});
