/**
 * Which stream of records is read next: over all of them the oldest come first, so that halves of a request meet. Each
 * stream keeps its own order; see Progress for those that go back in time.
 */
import type { Progress } from './progress.js';
import type { RecordStream } from './record-stream.js';

/** A partition that should have more, and gives nothing for so long, is not waited for. */
const STALL_MS = 30_000;
/** Streams that have come equally far, but for so many microseconds, take turns by the time of their records. */
const EQUAL_US = 5_000_000;

/** What is known of a stream that waits for its turn. */
export interface Ordered {
  /** Time of the next record, in microseconds; undefined when none may be given. */
  nextUs(): number | undefined;
  readonly progress: Progress;
}

/** The times between which records may be given in one go. */
export interface Span {
  readonly fromUs: number;
  readonly untilUs: number;
}

export interface Turn<Stream> extends Span {
  readonly stream: Stream;
  /** Time of its next record. */
  readonly us: number;
}

/**
 * The stream whose turn it is; undefined when nothing may be taken now: there is nothing, or a partition that should
 * have more gave nothing yet. `stalled` hears of those that are waited for no longer.
 */
export function nextTurn<Stream extends RecordStream>(
  streams: readonly Stream[],
  nowMs: number,
  stalled: (stream: Stream) => void,
): Turn<Stream> | undefined {
  let first: Stream | undefined;
  let firstUs = Number.POSITIVE_INFINITY;
  let untilUs = Number.POSITIVE_INFINITY;
  let goesBack = false;
  for (const stream of streams) {
    const us = stream.nextUs();
    if (us === undefined) {
      if (stream.isAtEnd) continue;
      if (nowMs - stream.heardAtMs < STALL_MS) return undefined;
      stalled(stream);
      continue;
    }
    if (stream.progress.rank(us) !== us) goesBack = true;
    if (us < firstUs) {
      untilUs = firstUs;
      firstUs = us;
      first = stream;
    } else if (us < untilUs) untilUs = us;
  }
  if (first === undefined) return undefined;
  if (goesBack) return oldestOf(streams);
  return { stream: first, us: firstUs, fromUs: first.progress.fromUs(firstUs), untilUs };
}

/** The stream whose next record comes first; undefined when none has one. */
export function oldestOf<Stream extends Ordered>(streams: readonly Stream[]): Turn<Stream> | undefined {
  let leastRank = Number.POSITIVE_INFINITY;
  for (const stream of streams) {
    const us = stream.nextUs();
    if (us !== undefined) leastRank = Math.min(leastRank, stream.progress.rank(us));
  }
  let first: Stream | undefined;
  let firstUs = Number.POSITIVE_INFINITY;
  let untilUs = Number.POSITIVE_INFINITY;
  for (const stream of streams) {
    const us = stream.nextUs();
    if (us === undefined) continue;
    const rank = stream.progress.rank(us);
    if (rank > leastRank + EQUAL_US) untilUs = Math.min(untilUs, rank);
    else if (us < firstUs) {
      untilUs = Math.min(untilUs, firstUs);
      firstUs = us;
      first = stream;
    } else untilUs = Math.min(untilUs, us);
  }
  return first === undefined
    ? undefined
    : { stream: first, us: firstUs, fromUs: first.progress.fromUs(firstUs), untilUs };
}

/** What an operator hears of a stream that is waited for no longer. */
export function stalledNote({ topic, partition, end, received }: RecordStream): string {
  return `${topic}/${partition} gives nothing at offset ${received} of ${end}: the others go on without it`;
}
