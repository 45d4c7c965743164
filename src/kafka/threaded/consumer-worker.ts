/** Entry point of a consumer's thread. */
import { parentPort, workerData } from 'node:worker_threads';
import { createKafka } from '../kafkajs/index.js';
import { serveConsumer } from './consumer-server.js';
import type { ThreadData } from './messages.js';

if (parentPort !== null) {
  const { settings, times, consumer } = workerData as ThreadData;
  serveConsumer(parentPort, (onMessage, allocate) =>
    createKafka(settings, { ...times, onMessage, allocate }).consumer(consumer),
  );
}
