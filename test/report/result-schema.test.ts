import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { toResult } from '../../src/report/result.js';
import { resultJsonSchema, resultSchema } from '../../src/report/result-schema.js';
import { analysis } from './example.js';

describe('the JSON Schema', () => {
  test('in schema/ is the one that the code makes (npm run build && node dist/report/write-schema.js)', () => {
    const file = new URL('../../schema/skewscope.analysis.v1.schema.json', import.meta.url);
    expect(readFileSync(file, 'utf8')).toBe(`${JSON.stringify(resultJsonSchema(), null, 2)}\n`);
  });

  test('accepts a result, with fields of a later version too, and refuses what is none', () => {
    const schema = z.fromJSONSchema(JSON.parse(JSON.stringify(resultJsonSchema())));
    const result = toResult(analysis());
    expect(schema.safeParse(result).error).toBeUndefined();
    expect(schema.safeParse({ ...result, later: 1 }).error).toBeUndefined();
    expect(schema.safeParse({ ...result, findings: [{ ...result.findings[0], severity: 'bad' }] }).success).toBe(false);
    expect(schema.safeParse({ ...result, servers: null }).success).toBe(false);
  });

  test('leaves room for new fields', () => {
    expect(JSON.stringify(resultJsonSchema())).not.toContain('"additionalProperties":false');
  });
});

describe('the result schema', () => {
  test.each([
    ['another schema', { schema: 'skewscope.analysis/v2' }],
    ['a time that is not RFC 3339', { window: { from: 'yesterday', to: 'today' } }],
    ['a list that is missing', { findings: undefined }],
  ])('refuses %s', (_, change) => {
    expect(resultSchema.safeParse({ ...toResult(analysis()), ...change }).success).toBe(false);
  });
});
