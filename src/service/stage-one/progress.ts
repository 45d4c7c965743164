/** What stands in Kafka beside the offsets of stage one: how far each partition of the input is, for the other replicas. */
import { z } from 'zod';

export interface Progress {
  /** Event time below which nothing more is to be expected, in microseconds; null before the first record. */
  readonly us: number | null;
  /** Everything that the partition held was read. */
  readonly end: boolean;
}

const schema = z.object({ v: z.literal(1), us: z.number().nullable(), end: z.boolean() });

export function writeProgress({ us, end }: Progress): string {
  return JSON.stringify({ v: 1, us, end });
}

/** Undefined for what another program wrote, or nobody. */
export function readProgress(metadata: string | undefined): Progress | undefined {
  if (metadata === undefined || metadata === '') return undefined;
  try {
    const parsed = schema.safeParse(JSON.parse(metadata));
    return parsed.success ? { us: parsed.data.us, end: parsed.data.end } : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
