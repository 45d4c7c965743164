/** What stands in Kafka beside a committed offset: where the process after this one goes on. */
import { z } from 'zod';

export interface Mark {
  /** Begin of the oldest window that was still open, in microseconds; undefined before the first record. */
  readonly openUs: number | undefined;
  /** Damaged messages below this offset are in the dead-letter topic. */
  readonly dead: number;
  /** Below this offset, what belongs to closed windows was taken before they closed; undefined where offsets tell it. */
  readonly read?: number | undefined;
}

const markSchema = z.object({
  v: z.literal(1),
  open: z.number().optional(),
  dead: z.int().nonnegative(),
  read: z.int().optional(),
});

export function writeMark({ openUs, dead, read }: Mark): string {
  return JSON.stringify({ v: 1, open: openUs, dead, read });
}

/** Undefined for what another program wrote, or nobody. */
export function readMark(metadata: string | undefined): Mark | undefined {
  if (metadata === undefined || metadata === '') return undefined;
  try {
    const parsed = markSchema.safeParse(JSON.parse(metadata));
    if (!parsed.success) return undefined;
    const { open, dead, read } = parsed.data;
    return { openUs: open, dead, read };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
