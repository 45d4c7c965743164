import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { toTraceResult } from '../../src/cli/story-result.js';
import { traceJsonSchema } from '../../src/report/trace-schema.js';

const story = toTraceResult({
  auditID: 'a',
  requests: [
    {
      title: 'list /apis/batch/v1/jobs',
      outcome: 'cp2 answered 200',
      steps: [{ timeUs: 1, server: null, what: 'answered', evidence: { input: 'a', line: 1, offset: 0, quote: '' } }],
    },
  ],
  notes: [],
});

test('in schema/ is the one that the code makes (npm run build && node dist/report/write-schema.js)', () => {
  const file = new URL('../../schema/skewscope.trace.v1.schema.json', import.meta.url);
  expect(readFileSync(file, 'utf8')).toBe(`${JSON.stringify(traceJsonSchema(), null, 2)}\n`);
});

test('accepts a story, with fields of a later version too, and refuses what is none', () => {
  const schema = z.fromJSONSchema(JSON.parse(JSON.stringify(traceJsonSchema())));
  expect(schema.safeParse({ ...story, later: 1 }).error).toBeUndefined();
  expect(schema.safeParse({ ...story, schema: 'skewscope.trace/v2' }).success).toBe(false);
  expect(schema.safeParse({ ...story, requests: [{ title: 'x' }] }).success).toBe(false);
});
