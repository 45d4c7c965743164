/** Takes notices that were turned down back into the queue, once the cause is mended: of each incident its latest state. */
import type { Recalled } from '../output.js';
import type { Ledger } from './ledger.js';
import type { Notice } from './notice.js';
import { recallDeadLetters } from './spool/dead-letters.js';
import type { Queue } from './spool/queue.js';

/** A state that was followed by another would open again what is over: it is left out. Throws what the system says. */
export async function recallNotices(folder: string, queue: Queue, ledger: Ledger): Promise<Recalled> {
  const latest = new Map<string, Notice>();
  let read = 0;
  const { unreadable } = await recallDeadLetters(folder, async (letters) => {
    for await (const { entry, setAside } of letters) {
      const notice = entry?.notice;
      if (notice === undefined) {
        setAside();
        continue;
      }
      read += 1;
      const known = Math.max(ledger.counter(notice.key), latest.get(notice.key)?.counter ?? 0);
      if (notice.counter >= known) latest.set(notice.key, notice);
    }
    await queue.put([...latest.values()]);
  });
  return { taken: latest.size, superseded: read - latest.size, unwanted: 0, unreadable };
}
