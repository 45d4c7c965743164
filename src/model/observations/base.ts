/** What every observation has: when, how often, in which cluster, seen where, and how sure it is. */
import { z } from 'zod';

export const edgeSchema = z.strictObject({ source: z.string(), destination: z.string() });
export const objectSchema = z.strictObject({ resource: z.string(), namespace: z.string(), name: z.string() });
export const evidenceSchema = z.strictObject({
  kind: z.literal('kafka').optional(),
  input: z.string(),
  line: z.number().int().nonnegative(),
  offset: z.number().int().nonnegative(),
  quote: z.string(),
});

/**
 * Times are microseconds since the epoch. `server` is whom the fact is about (null where it is not one server),
 * `edges` the peer calls concerned. An observation is an aggregate: `count` facts between `from` and `to`.
 */
export const base = {
  from: z.number().int(),
  to: z.number().int(),
  count: z.number().int().positive(),
  cluster: z.string(),
  server: z.string().nullable(),
  edges: z.array(edgeSchema),
  certainty: z.enum(['possible', 'likely', 'certain']),
  evidence: z.array(evidenceSchema).max(10),
};

/** An observation type: its contract, for rules, `rules explain` and tests. */
export interface ObservationType<T extends z.ZodType = z.ZodType> {
  readonly type: string;
  readonly meaning: string;
  readonly schema: T;
  readonly example: z.infer<T>;
}

export function defineObservation<T extends z.ZodType>(type: string, definition: Omit<ObservationType<T>, 'type'>) {
  return { type, ...definition };
}

const sample = { input: 'cp1-kube-apiserver.log', line: 217, offset: 40311, quote: 'E0102 03:04:05.000000 …' };
const at = 1767323045000000;

/** The base fields of an example, about server cp1 and its calls to cp2. */
export const exampleBase = {
  from: at,
  to: at + 60_000_000,
  count: 12,
  cluster: 'default',
  server: 'cp1' as string | null,
  edges: [{ source: 'cp1', destination: 'cp2' }],
  certainty: 'certain' as const,
  evidence: [sample],
};
