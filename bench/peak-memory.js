/** Preloaded with `node --import`: at the end of the process writes its peak resident size in KiB to file descriptor 3. */
import { writeSync } from 'node:fs';

process.on('exit', () => {
  writeSync(3, `${process.resourceUsage().maxRSS}\n`);
});
