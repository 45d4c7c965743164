/** Waiting for what will soon be so: it is noticed at once, and a machine that is busy has time. */
import { setTimeout as sleep } from 'node:timers/promises';

/** How long a test waits for something before it fails, in milliseconds. */
export const PATIENCE_MS = 60_000;

/** Resolves when it is so. Rejects after PATIENCE_MS, with what was waited for and what `why` tells by then. */
export async function until(isSo: () => boolean, what = isSo.toString(), why = () => ''): Promise<void> {
  const ends = performance.now() + PATIENCE_MS;
  while (!isSo()) {
    if (performance.now() > ends) throw new Error(`it did not happen in ${PATIENCE_MS} ms: ${what}\n${why()}`);
    await sleep(5);
  }
}
