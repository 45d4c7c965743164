/**
 * skewscope's own audit decoder alone, `fast` or `reference` (JSON.parse), on each line: what the rest of analyze costs on top.
 * Prints how many events there were.
 */
import { createReadStream } from 'node:fs';

const [which, ...paths] = process.argv.slice(2);
const formats = await import(new URL('../../dist/formats/audit/index.js', import.meta.url).href);
const decoder = which === 'reference' ? formats.createReferenceDecoder() : formats.createFastDecoder();

let events = 0;
for (const path of paths) {
  let rest = Buffer.alloc(0);
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 18 })) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let start = 0;
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, start)) {
      if (typeof decoder.decode(bytes, start, end, events + 1, start) === 'object') events++;
      start = end + 1;
    }
    rest = bytes.subarray(start);
  }
}
console.log(events);
