/** Decides where newly assigned partitions begin, and says what is no longer there. */
import type { Cluster } from 'kafkajs';
import { partitionKey } from '../assignment.js';
import type { Assigned, ConsumerOptions, PartitionOffset, TopicPartition } from '../port.js';
import type { OnMessage } from './messages.js';
import { type Bounds, offsetsAt, readBounds, readCommitted } from './offsets.js';

export interface Beginning {
  readonly position: number;
  readonly high: number;
}

/** What the group has committed in each partition, what is there, and where it begins. Rejects as kafkajs does. */
export async function readAssigned(
  cluster: Cluster,
  { groupId, from }: Pick<ConsumerOptions, 'groupId' | 'from'>,
  list: readonly TopicPartition[],
  tell: OnMessage,
): Promise<Assigned[]> {
  const [committed, bounds] = await Promise.all([readCommitted(cluster, groupId, list), readBounds(cluster, list)]);
  const fresh = list.filter((one) => !committed.has(partitionKey(one)));
  const timed = typeof from === 'number' && fresh.length > 0 ? await offsetsAt(cluster, fresh, from) : undefined;
  return list.map(({ topic, partition }) => {
    const key = partitionKey({ topic, partition });
    const { low, high } = bounds.get(key) ?? { low: 0, high: 0 };
    const own = committed.get(key);
    if (own !== undefined && own.offset >= 0) {
      // Above the end is left as it is: an end that a broker just back from a restart gives may be too low.
      return { topic, partition, low, high, committed: own, begin: notBelow(own, own.offset, low, tell) };
    }
    const at = timed?.get(key) ?? -1;
    const begin = own !== undefined || from === 'earliest' ? low : at >= 0 ? at : high;
    return { topic, partition, low, high, committed: undefined, begin };
  });
}

/** As the handlers say, else as was found; never below what is there. */
export function whereToBegin(
  assigned: readonly Assigned[],
  given: readonly PartitionOffset[],
  tell: OnMessage,
): Map<string, Beginning> {
  const asked = new Map(given.map((one) => [partitionKey(one), one.offset]));
  return new Map(
    assigned.map((one) => {
      const key = partitionKey(one);
      const position = notBelow(one, asked.get(key) ?? one.begin, one.low, tell);
      return [key, { position, high: one.high }];
    }),
  );
}

/** Where to go on when a fetch did not go on where it should have. */
export function whereToGoOn(place: TopicPartition, position: number, { low, high }: Bounds, tell: OnMessage): number {
  if (position <= high) return notBelow(place, position, low, tell);
  const what = `offset ${position} is above its end, ${high}: the topic was made anew or cut off`;
  tell('warn', `${partitionKey(place)}: ${what}; reading begins at ${low}`);
  return low;
}

function notBelow(place: TopicPartition, position: number, low: number, tell: OnMessage): number {
  if (position >= low) return position;
  const what =
    low - position === 1
      ? `offset ${position} was removed before it was read`
      : `${low - position} offsets (${position} to ${low - 1}) were removed before they were read`;
  tell('warn', `${partitionKey(place)}: ${what}; reading begins at ${low}; give the topic a longer retention`);
  return low;
}
