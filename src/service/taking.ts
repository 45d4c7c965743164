/** Takes records from the partitions, the oldest first, for a slice of time. */

import type { InputRef } from '../model/origin.js';
import type { Rec } from '../model/record.js';
import type { Clock } from '../outputs/delivery/clock.js';
import type { Partitions } from './partitions.js';
import type { RecordStream, TakeRecord } from './record-stream.js';
import { nextTurn, stalledNote } from './time-order.js';

/** Time for records before others may run, and how many are taken before it is looked at. */
const SLICE_MS = 20;
const CHECK = 256;
const RUN = 4_000;

export interface TakingOptions {
  readonly clock: Clock;
  /** `openUs`: see Partitions.openUsOf. */
  take(record: Rec, input: InputRef, openUs?: number): number | undefined;
  readonly onNote: (text: string) => void;
}

/** Gives how many were taken: 0 when there is nothing that may be taken now. */
export function takeSome(partitions: Partitions, { clock, take, onNote }: TakingOptions): number {
  const now = clock.now();
  const ends = performance.now() + SLICE_MS;
  const stalled = (stream: RecordStream) => {
    stream.heardAtMs = now;
    onNote(stalledNote(stream));
  };
  let taken = 0;
  let checkAt = CHECK;
  for (;;) {
    const turn = nextTurn(partitions.streams(), now, stalled);
    if (turn === undefined) break;
    const openUs = partitions.openUsOf(turn.stream);
    const takeOne: TakeRecord = openUs === undefined ? take : (record, input) => take(record, input, openUs);
    taken += turn.stream.give(turn, RUN, takeOne);
    if (taken < checkAt) continue;
    if (performance.now() >= ends) break;
    checkAt = taken + CHECK;
  }
  partitions.resumeEmpty();
  return taken;
}
