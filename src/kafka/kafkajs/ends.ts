/** kafkajs says nothing of fetches that find nothing, so the ends of quiet partitions are asked for. */
import type { Cluster } from 'kafkajs';
import type { Clock } from '../../outputs/delivery/clock.js';
import { explain } from './failures.js';
import type { OnMessage } from './messages.js';
import { readEnds } from './offsets.js';
import type { Place } from './place.js';

interface WatchOptions {
  readonly clock: Clock;
  readonly tell: OnMessage;
  /** How often to ask, in milliseconds. */
  readonly endCheckMs: number;
}

/** Tells the end of each partition that is read up to it, again and again, until the signal is aborted. `call` makes the calls of handlers. */
export async function watchEnds(
  places: ReadonlyMap<string, Place>,
  cluster: () => Cluster | undefined,
  { clock, tell, endCheckMs }: WatchOptions,
  signal: AbortSignal,
  call: (tellEnd: () => void) => void,
): Promise<void> {
  while (!signal.aborted) {
    await clock.sleep(endCheckMs, signal);
    // What had a batch since the last look told its end then, if it was there.
    const quiet = [...places].filter(([, place]) => place.open && place.quiet && !place.paused);
    for (const place of places.values()) place.quiet = true;
    const connection = cluster();
    if (quiet.length === 0 || connection === undefined) continue;
    try {
      const ends = await readEnds(
        connection,
        quiet.map(([, place]) => place),
      );
      for (const [key, place] of quiet) {
        if (!place.quiet || places.get(key) !== place) continue;
        place.high = ends.get(key) ?? place.high;
        call(() => place.tellEnd());
      }
    } catch (error) {
      tell('warn', `Kafka: the ends of partitions are not known: ${explain(error)}`);
    }
  }
}
