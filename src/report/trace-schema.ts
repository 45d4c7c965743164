/** The machine-readable story of one request, `skewscope.trace/v1`: its shape in zod, from which the shipped JSON Schema is made. */
import { z } from 'zod';
import { TRACE_SCHEMA_ID } from './schema-id.js';

// Objects are open on purpose, as those of the analysis are.
const count = z.number().int().nonnegative();

export const traceSchema = z.object({
  schema: z.literal(TRACE_SCHEMA_ID),
  auditID: z.string(),
  requests: z
    .array(
      z.object({
        title: z.string().describe('verb and path'),
        outcome: z.string().describe('how it ended and where, in a sentence'),
        steps: z
          .array(
            z.object({
              time: z.iso.datetime({ precision: 6 }).describe('RFC 3339, UTC, microseconds'),
              server: z.string().nullable().describe('who wrote it; null when that is not known'),
              what: z.string(),
              evidence: z.object({ input: z.string(), line: count, offset: count, quote: z.string() }),
            }),
          )
          .describe('in the order of time, over all servers'),
      }),
    )
    .describe('an Audit-ID is a claim of the client and may stand for several requests'),
  notes: z.array(z.string()).describe('what could not be seen, and why'),
});

export type TraceResult = z.infer<typeof traceSchema>;

/** The JSON Schema (draft 2020-12) of the story, as shipped in schema/. */
export function traceJsonSchema(): object {
  const { $schema, ...rest } = z.toJSONSchema(traceSchema, { io: 'input' });
  return {
    $schema,
    $id: 'skewscope.trace.v1.schema.json',
    title: 'skewscope trace',
    description: 'What `skewscope trace --format json` prints. Fields may be added within v1; ignore unknown ones.',
    ...rest,
  };
}
