/** What expected.json of a recorded run holds: what an analysis of the run must and must not say. */
import { z } from 'zod';
import { CONFIDENCES, SEVERITIES } from '../model/finding.js';

const pair = z.tuple([z.string(), z.string()]);
const object = z.tuple([z.string(), z.string(), z.string()]);

/** One finding that must be there; what is not given may be anything. Several rules: one of them. */
export const requiredSchema = z.strictObject({
  rule: z.union([z.string(), z.array(z.string()).min(1)]),
  server: z.string().optional(),
  edge: pair.optional().describe('[source, destination], among the edges of the finding'),
  resource: z.string().optional(),
  objects: z.array(object).optional().describe('[resource, namespace, name], all among its objects'),
  notObjects: z.array(object).optional().describe('none among its objects'),
});

const judgementSchema = z.strictObject({
  required: z.array(requiredSchema),
  allowed: z.array(z.string()).describe('rules that may also appear at warning or critical'),
});

export const expectedSchema = z.strictObject({
  about: z.string(),
  servers: z.record(z.string(), z.strictObject({ versions: z.array(z.string()), addresses: z.array(z.string()) })),
  proxied: z.strictObject({
    total: z.number().int(),
    routes: z.array(
      z.strictObject({
        source: z.string(),
        destination: z.string(),
        verb: z.string(),
        resource: z.string(),
        code: z.number().int().nullable(),
        count: z.number().int(),
      }),
    ),
  }),
  findings: judgementSchema,
  auditOnly: judgementSchema.describe('instead of `findings` when only the audit logs are given'),
  discovery: z
    .array(
      z.strictObject({
        source: z.string(),
        destination: z.string(),
        state: z.enum(['ok', 'failing', 'missing', 'unknown']),
      }),
    )
    .optional(),
});

export type Expected = z.infer<typeof expectedSchema>;
export type Required = z.infer<typeof requiredSchema>;

/** All files of the run, or its audit logs alone. */
export type Mode = 'all' | 'audit';

/** A finding that names a fault and stands by it: only these can be false. */
export function isAssertion(finding: { severity: string; confidence: string }): boolean {
  return finding.severity !== SEVERITIES[0] && finding.confidence !== CONFIDENCES[0];
}
