#!/usr/bin/env node
/**
 * `node bench/replay.js --broker HOST:PORT`: how fast `skewscope serve` replays audit events from Kafka, beside kafkajs
 * that reads the same topic and does nothing. Both are processes of their own, in interleaved rounds; each pair is a ratio.
 * `--bytes` (1g), `--rounds` (3), `--partitions` (3); KAFKA_BROKER does for `--broker`. Needs a built `dist/`.
 */
import { parseArgs } from 'node:util';
import { parseSize } from './generate/size.js';
import { generatedLog } from './generated-log.js';
import { fillTopic } from './replay/fill-topic.js';
import { runAlone, runServe } from './replay/runs.js';

const { values } = parseArgs({
  options: {
    broker: { type: 'string', default: process.env.KAFKA_BROKER ?? '' },
    bytes: { type: 'string', default: '1g' },
    rounds: { type: 'string', default: '3' },
    partitions: { type: 'string', default: '3' },
  },
});
if (values.broker === '') throw new Error('no broker is named: give --broker HOST:PORT, or KAFKA_BROKER');
const bytes = parseSize(values.bytes);
const partitions = Number(values.partitions);
const topic = `skewscope-replay-${bytes}-${partitions}`;
const total = await fillTopic(values.broker, topic, partitions, generatedLog(bytes));
console.log(`${total} messages in ${partitions} partitions of ${topic}`);
const ratios = [];
for (let round = 0; round < Number(values.rounds); round++) {
  const alone = await runAlone(values.broker, topic, total);
  const serve = await runServe(values.broker, topic, total);
  ratios.push(alone.seconds / serve.seconds);
  console.log(
    `kafkajs alone ${line(alone)}   serve ${line(serve)}   ratio ${(alone.seconds / serve.seconds).toFixed(2)}`,
  );
}
console.log(`ratios ${ratios.map((ratio) => ratio.toFixed(2)).join(', ')}; 0.8 is the least that will do`);

/** @param {import('./replay/runs.js').Run} run */
function line({ seconds, cpuSeconds, peakBytes }) {
  const speed = (bytes / 1e6 / seconds).toFixed(0);
  return `${seconds.toFixed(2)} s, ${speed} MB/s, ${cpuSeconds.toFixed(1)} s of CPU, ${(peakBytes / 1e6).toFixed(0)} MB`;
}
