/** The partitions that a process reads, in few words. */
import type { Partition } from './partitions.js';

/** `reads audit/0 to 2`, or that there is nothing to read. */
export function whatIsRead(partitions: readonly Partition[]): string {
  if (partitions.length > 0) return `reads ${listOf(partitions)}`;
  return 'has no partitions: the group has more members than there are partitions';
}

/** `audit/0 to 2, audit/5`, for messages. */
export function listOf(partitions: Iterable<Partition>): string {
  const numbers = new Map<string, number[]>();
  for (const { stream } of partitions) {
    numbers.set(stream.topic, [...(numbers.get(stream.topic) ?? []), stream.partition]);
  }
  return [...numbers].map(([topic, list]) => rangesOf(topic, list)).join(', ');
}

function rangesOf(topic: string, list: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const number of [...list].sort((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === number - 1) last[1] = number;
    else ranges.push([number, number]);
  }
  return ranges.map(([from, to]) => `${topic}/${from}${to === from ? '' : ` to ${to}`}`).join(', ');
}
