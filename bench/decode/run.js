/**
 * Speed of the audit decoders alone, one thread, on the logs of the generator.
 *
 *   npm run build && node bench/decode/run.js [MEGABYTES]    (default 100)
 *
 * Prints MiB/s and nanoseconds per event of the fast decoder, the reference, and a bare JSON.parse of the same lines,
 * each as the best of several rounds. Times are CPU time of the process, finding the lines included.
 */
import { createFastDecoder, createReferenceDecoder } from '../../dist/formats/audit/index.js';
import { auditLogs } from '../generate/audit-logs.js';

const ROUNDS = 5;
const megabytes = Number(process.argv[2] ?? 100);

const chunks = [...auditLogs({ servers: 3, bytes: megabytes * 1_000_000 })].map((chunk) => chunk.bytes);
const parsing = {
  decode: (bytes, start, end) => JSON.parse(bytes.toString('latin1', start, end)),
};
const slow = chunks.slice(0, Math.ceil(chunks.length / 4));
report('fast', createFastDecoder(), chunks);
report('reference', createReferenceDecoder(), slow);
report('JSON.parse', parsing, slow);

function report(name, decoder, input) {
  const rounds = Array.from({ length: ROUNDS }, () => measure(decoder, input)).sort((a, b) => a.us - b.us);
  const { us, events, bytes } = rounds[0];
  const speed = Math.round(bytes / 1_048_576 / (us / 1_000_000));
  console.log(
    `${name.padEnd(12)} ${String(speed).padStart(5)} MiB/s ${String(Math.round((us * 1000) / events)).padStart(7)} ns/event`,
  );
}

function measure(decoder, input) {
  let events = 0;
  let bytes = 0;
  const before = process.cpuUsage();
  for (const chunk of input) {
    bytes += chunk.length;
    for (let start = 0; start < chunk.length; ) {
      const end = chunk.indexOf(10, start);
      const got = decoder.decode(chunk, start, end, events, start);
      if (typeof got === 'string') throw new Error(`a made event was ${got}`);
      events++;
      start = end + 1;
    }
  }
  const { user, system } = process.cpuUsage(before);
  return { us: user + system, events, bytes };
}
