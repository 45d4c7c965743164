/** What stands in Kafka beside a committed offset: where the process after this one goes on. */
import { z } from 'zod';

export interface Mark {
  /** Begin of the oldest window that was still open, in microseconds; undefined before the first record. */
  readonly openUs: number | undefined;
  /** Damaged messages below this offset are in the dead-letter topic. */
  readonly dead: number;
}

const markSchema = z.object({ v: z.literal(1), open: z.number().optional(), dead: z.int().nonnegative() });

export function writeMark({ openUs, dead }: Mark): string {
  return JSON.stringify({ v: 1, ...(openUs === undefined ? {} : { open: openUs }), dead });
}

/** Undefined for what another program wrote, or nobody. */
export function readMark(metadata: string | undefined): Mark | undefined {
  if (metadata === undefined || metadata === '') return undefined;
  try {
    const parsed = markSchema.safeParse(JSON.parse(metadata));
    return parsed.success ? { openUs: parsed.data.open, dead: parsed.data.dead } : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
