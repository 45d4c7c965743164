/** Whether decoding is worth a thread, and a thread that is started before all else that an analysis needs is loaded. */
import { availableParallelism } from 'node:os';
import type { Source } from '../../sources/index.js';
import { canDecodeInThread, DecodeThread } from './decode-thread.js';

/** Below this a thread takes longer to start than it saves. */
const WORTHWHILE = 4_000_000;

let ahead: DecodeThread | undefined;

/** How many threads should decode: live inputs never fill one; what has no known size may be large. */
export function threadsFor(sources: readonly Source[]): number {
  if (availableParallelism() < 2) return 0;
  let bytes = 0;
  for (const source of sources) if (!source.live) bytes += source.bytes ?? WORTHWHILE;
  return bytes < WORTHWHILE ? 0 : 1;
}

/** Starts the thread that the analysis of these sources will ask for. */
export function startDecoding(sources: readonly Source[]): void {
  if (threadsFor(sources) > 0 && canDecodeInThread()) ahead ??= new DecodeThread();
}

/** The thread that was started, else a new one. */
export function takeThread(): DecodeThread {
  const thread = ahead ?? new DecodeThread();
  ahead = undefined;
  return thread;
}
