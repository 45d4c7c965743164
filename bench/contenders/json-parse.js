/** The ceiling of every reader that builds objects: JSON.parse on each line, nothing else. Prints how many events there were. */
import { createReadStream } from 'node:fs';

let events = 0;
for (const path of process.argv.slice(2)) {
  let rest = Buffer.alloc(0);
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let start = 0;
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, start)) {
      JSON.parse(bytes.toString('utf8', start, end));
      events++;
      start = end + 1;
    }
    rest = bytes.subarray(start);
  }
}
console.log(events);
