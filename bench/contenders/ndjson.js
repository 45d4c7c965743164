/** An ndjson parse alone: read, split, parse, count. Prints how many events there were. */
import { createReadStream } from 'node:fs';
import ndjson from 'ndjson';

let events = 0;
for (const path of process.argv.slice(2)) {
  await new Promise((resolve, reject) => {
    createReadStream(path, { highWaterMark: 1 << 20 })
      .on('error', reject)
      .pipe(ndjson.parse())
      .on('data', () => events++)
      .on('error', reject)
      .on('end', resolve);
  });
}
console.log(events);
