/** Which partition of the topic between the stages holds a cluster: the one that Kafka's own producers would choose for the key. */
import { DEFAULT_CLUSTER, wholeOf } from '../../model/analysis.js';

const SEED = 0x9747b28c;
const M = 0x5bd1e995;

/**
 * From 0 to `partitions - 1`. What names no cluster ('') lies where its findings say that it belongs, and so do the parts
 * of a cluster that is two: whoever holds that partition knows when their findings are over.
 */
export function partitionOf(cluster: string, partitions: number): number {
  return (murmur2(Buffer.from(wholeOf(cluster || DEFAULT_CLUSTER))) & 0x7fffffff) % partitions;
}

/** MurmurHash2, 32 bits, as Kafka's default partitioner has it. */
function murmur2(bytes: Buffer): number {
  let hash = SEED ^ bytes.length;
  let at = 0;
  for (; at + 4 <= bytes.length; at += 4) {
    let word = Math.imul(bytes.readInt32LE(at), M);
    word ^= word >>> 24;
    hash = Math.imul(hash, M) ^ Math.imul(word, M);
  }
  const left = bytes.length - at;
  if (left >= 3) hash ^= (bytes[at + 2] as number) << 16;
  if (left >= 2) hash ^= (bytes[at + 1] as number) << 8;
  if (left >= 1) hash = Math.imul(hash ^ (bytes[at] as number), M);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, M);
  return hash ^ (hash >>> 15);
}
