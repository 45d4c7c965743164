/** Messages that tell every partition of the topic between the stages how far partitions of the input are. */
import type { OutgoingMessage } from '../../kafka/port.js';
import { BLOCK_HEADER, type PartitionState, writeBlock } from './block-format.js';

const NOTHING = Buffer.alloc(0);

export function markersOf(states: readonly PartitionState[], partitions: number): OutgoingMessage[] {
  const value = writeBlock({ v: 1, of: partitions, cluster: '', senders: [], frames: 0, states: [...states] }, NOTHING);
  return Array.from({ length: partitions }, (_, partition) => ({ partition, key: null, value, headers: BLOCK_HEADER }));
}
