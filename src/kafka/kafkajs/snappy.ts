/** Snappy in both framings that Kafka's producers use: one raw block, or the blocks of the Java library. */
import snappyjs from 'snappyjs';

/** Begins the framing of the Java library; two versions of four bytes follow, then blocks with their lengths before them. */
const MAGIC = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0x00]);
const VERSIONS = Buffer.from([0, 0, 0, 1, 0, 0, 0, 1]);
const HEADER_BYTES = MAGIC.length + VERSIONS.length;
const BLOCK_BYTES = 32 * 1024;

/** Throws when the bytes are damaged. */
export function unsnappy(bytes: Buffer): Buffer {
  if (!bytes.subarray(0, MAGIC.length).equals(MAGIC)) return snappyjs.uncompress(bytes);
  const blocks: Buffer[] = [];
  for (let at = HEADER_BYTES; at < bytes.length; ) {
    if (at + 4 > bytes.length) throw new Error(`snappy: ${bytes.length - at} bytes are left where a block begins`);
    const length = bytes.readInt32BE(at);
    at += 4;
    if (length < 0 || at + length > bytes.length) throw new Error(`snappy: a block of ${length} bytes is cut off`);
    blocks.push(snappyjs.uncompress(bytes.subarray(at, at + length)));
    at += length;
  }
  return blocks.length === 1 && blocks[0] !== undefined ? blocks[0] : Buffer.concat(blocks);
}

/** In the framing of the Java library, which every consumer reads. */
export function snappy(bytes: Buffer): Buffer {
  const parts: Buffer[] = [MAGIC, VERSIONS];
  for (let at = 0; at < bytes.length; at += BLOCK_BYTES) {
    const block = snappyjs.compress(bytes.subarray(at, at + BLOCK_BYTES));
    const length = Buffer.alloc(4);
    length.writeInt32BE(block.length);
    parts.push(length, block);
  }
  return Buffer.concat(parts);
}
