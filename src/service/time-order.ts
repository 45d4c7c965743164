/** Which partition is read next: over all of them the oldest records come first, so that halves of a request meet. */
import type { RecordStream } from './record-stream.js';

/** A partition that should have more, and gives nothing for so long, is not waited for. */
const STALL_MS = 30_000;

export interface Turn<Stream extends RecordStream = RecordStream> {
  readonly stream: Stream;
  /** Its records up to this time, in microseconds, may be taken. */
  readonly untilUs: number;
}

/**
 * The stream whose turn it is; undefined when nothing may be taken now: there is nothing, or a partition that should
 * have more gave nothing yet. `stalled` hears of those that are waited for no longer.
 */
export function nextTurn<Stream extends RecordStream>(
  streams: Iterable<Stream>,
  nowMs: number,
  stalled: (stream: Stream) => void,
): Turn<Stream> | undefined {
  let first: Stream | undefined;
  let firstUs = Number.POSITIVE_INFINITY;
  let secondUs = Number.POSITIVE_INFINITY;
  for (const stream of streams) {
    const time = stream.nextUs();
    if (time === undefined) {
      if (stream.isAtEnd) continue;
      if (nowMs - stream.heardAtMs < STALL_MS) return undefined;
      stalled(stream);
    } else if (time < firstUs) {
      secondUs = firstUs;
      firstUs = time;
      first = stream;
    } else if (time < secondUs) secondUs = time;
  }
  return first === undefined ? undefined : { stream: first, untilUs: secondUs };
}

/** What an operator hears of a stream that is waited for no longer. */
export function stalledNote({ topic, partition, end, received }: RecordStream): string {
  return `${topic}/${partition} gives nothing at offset ${received} of ${end}: the others go on without it`;
}
