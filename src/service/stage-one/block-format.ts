/**
 * What stands in the topic between the stages. A message is one block: `SKB1`, the length of a header, the header as
 * JSON, and frames, one for each record. All frames of a block are of one cluster and one partition of the input. A block
 * without frames only tells how far partitions are read.
 */
import { z } from 'zod';

export const MAGIC = Buffer.from('SKB1');
/** Magic, and the length of the header. */
const PREFIX_BYTES = MAGIC.length + 4;
/** Of each message in the topic between the stages, for whoever looks into it. */
export const BLOCK_HEADER = { 'skewscope-block': '1' } as const;

export const frameKind = { audit: 1, record: 2, problem: 3 } as const;

/** Kind, index of the sender, line in the message, bytes that the record had, bytes that follow, offset of the message. */
export const FRAME = { kind: 0, sender: 1, line: 3, size: 7, length: 11, offset: 15, bytes: 23 } as const;

/** How far a partition of the input was read when the block was written: what came before is in the topic. */
const stateSchema = z.object({
  topic: z.string(),
  partition: z.int().nonnegative(),
  /** Event time below which nothing more is to be expected, in microseconds; null before the first record. */
  us: z.number().nullable(),
  /** Everything that the partition held was read. */
  end: z.boolean(),
});

const headerSchema = z.object({
  v: z.literal(1),
  /** Number of partitions that the keys were spread over. */
  of: z.int().positive(),
  cluster: z.string(),
  /** Who sent the records: a server by its name, or what is known of its boot; frames have their index. */
  senders: z.array(z.object({ server: z.string(), boot: z.string() })),
  frames: z.int().nonnegative(),
  /** Of a block with frames: one, of the partition that they come from. */
  states: z.array(stateSchema).min(1),
});

export type PartitionState = z.infer<typeof stateSchema>;
export type BlockHeader = z.infer<typeof headerSchema>;

export interface OpenBlock {
  readonly header: BlockHeader;
  /** Where the frames begin. */
  readonly at: number;
}

/** A block of these frames. */
export function writeBlock(header: BlockHeader, frames: Buffer): Buffer {
  const text = Buffer.from(JSON.stringify(header));
  const prefix = Buffer.alloc(PREFIX_BYTES);
  MAGIC.copy(prefix);
  prefix.writeUInt32LE(text.length, MAGIC.length);
  return Buffer.concat([prefix, text, frames]);
}

/** The block in `bytes[start, end)`; undefined where there is none, or one of another version. */
export function openBlock(bytes: Buffer, start: number, end: number): OpenBlock | undefined {
  if (end - start < PREFIX_BYTES || MAGIC.compare(bytes, start, start + MAGIC.length) !== 0) return undefined;
  const at = start + PREFIX_BYTES + bytes.readUInt32LE(start + MAGIC.length);
  if (at > end) return undefined;
  const parsed = headerSchema.safeParse(jsonOf(bytes.toString('utf8', start + PREFIX_BYTES, at)));
  return parsed.success ? { header: parsed.data, at } : undefined;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
