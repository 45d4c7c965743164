/** Lines of the spool's files, checked when they are read back: an earlier version, or a disk, may have written anything. */
import { z } from 'zod';
import { CONFIDENCES, SEVERITIES } from '../../../model/finding.js';
import type { Notice, Told } from '../notice.js';

const findingSchema = z.object({
  rule: z.string(),
  title: z.string(),
  fingerprint: z.string(),
  severity: z.enum(SEVERITIES),
  confidence: z.enum(CONFIDENCES),
  cluster: z.string(),
  server: z.string().nullable(),
  edges: z.array(z.object({ source: z.string(), destination: z.string() })),
  resource: z.string().nullable(),
  objects: z.array(z.object({ resource: z.string(), namespace: z.string(), name: z.string() })),
  from: z.number(),
  to: z.number(),
  count: z.number(),
  summary: z.string(),
  meaning: z.string(),
  cause: z.string(),
  fix: z.string(),
  verify: z.string(),
  references: z.array(z.string()),
  evidence: z.array(
    z.object({
      kind: z.literal('kafka').optional(),
      input: z.string(),
      line: z.number(),
      offset: z.number(),
      quote: z.string(),
    }),
  ),
});

const toldFields = z.object({
  fingerprint: z.string(),
  state: z.enum(['firing', 'resolved']),
  digest: z.string(),
  toUs: z.number(),
  sketch: findingSchema.optional(),
  cluster: z.string().optional(),
});
export const toldSchema = toldFields.transform(
  ({ sketch, cluster, ...told }): Told => ({
    ...told,
    ...(sketch === undefined ? {} : { sketch }),
    ...(cluster === undefined ? {} : { cluster }),
  }),
);

export const noticeSchema = z.object({
  key: z.string().min(1),
  counter: z.int().positive(),
  kind: z.enum(['opened', 'updated', 'resolved']),
  scope: z.enum(['finding', 'cause', 'storm']),
  cluster: z.string(),
  atMs: z.number(),
  findings: z.array(findingSchema).min(1),
  total: z.int().nonnegative(),
  limit: z.int().optional(),
  told: z.array(toldSchema),
});

const waitingSchema = z.object({ seq: z.int().positive(), notice: noticeSchema });

export function waitingLine(seq: number, notice: Notice): string {
  return JSON.stringify({ seq, notice });
}

/** The message of a line; undefined when it is damaged. */
export function parseWaiting(line: string): { readonly seq: number; readonly notice: Notice } | undefined {
  const parsed = parseLine(line, waitingSchema);
  if (parsed === undefined) return undefined;
  return { seq: parsed.seq, notice: noticeOf(parsed.notice) };
}

export function noticeOf({ limit, ...notice }: z.output<typeof noticeSchema>): Notice {
  return { ...notice, ...(limit === undefined ? {} : { limit }) };
}

export function parseLine<T>(line: string, schema: z.ZodType<T>): T | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  return schema.safeParse(value).data;
}
