import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { escapeJson, renderJson } from '../../src/report/json.js';
import { toResult } from '../../src/report/result.js';
import { resultSchema } from '../../src/report/result-schema.js';
import { analysis } from './example.js';
import { withStrings } from './hostile.js';

describe('renderJson', () => {
  test('is the result, pretty and newline-terminated', () => {
    const text = renderJson(analysis());
    expect(text).toMatch(/^\{\n {2}"schema": "skewscope\.analysis\/v1",\n/);
    expect(text.endsWith('\n}\n')).toBe(true);
    expect(JSON.parse(text)).toStrictEqual(toResult(analysis()));
  });

  test('stays valid, and harmless on a terminal, whatever the logs hold', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const hostile = withStrings(analysis(), () => text);
        const json = renderJson(hostile);
        expect(resultSchema.parse(JSON.parse(json)).servers[0]?.name).toBe(text);
        expect(json.replaceAll('\n', '')).not.toMatch(/[\p{Control}\p{Bidi_Control}\u2028\u2029]/u);
      }),
    );
  });
});

describe('escapeJson', () => {
  test('changes the spelling, not the value', () => {
    const value = { text: 'a\u009bb\u202ec\u2028d\ufeffé' };
    const escaped = escapeJson(JSON.stringify(value));
    expect(escaped).toBe('{"text":"a\\u009bb\\u202ec\\u2028d\\ufeffé"}');
    expect(JSON.parse(escaped)).toStrictEqual(value);
  });
});
