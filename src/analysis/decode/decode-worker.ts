/** Entry point of the decoding thread. */
import { parentPort } from 'node:worker_threads';
import { serveDecoding } from './decode-server.js';

if (parentPort !== null) serveDecoding(parentPort);
