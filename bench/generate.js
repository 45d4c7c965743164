#!/usr/bin/env node
/**
 * Writes synthetic audit logs: `node bench/generate.js --servers 3 --bytes 1g --seed 7 --out DIR`.
 * DIR gets one `NAME-audit.log` for each server; `--out -` writes the lines of all servers to standard output.
 */
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { auditLogs } from './generate/audit-logs.js';
import { parseSize } from './generate/size.js';

const { values } = parseArgs({
  options: {
    servers: { type: 'string', default: '3' },
    bytes: { type: 'string', default: '100m' },
    seed: { type: 'string', default: '1' },
    rate: { type: 'string', default: '1000' },
    out: { type: 'string', default: '-' },
  },
});
const chunks = auditLogs({
  servers: wholeNumber('servers', values.servers, 200),
  bytes: parseSize(values.bytes),
  seed: wholeNumber('seed', values.seed, 2 ** 31),
  rate: wholeNumber('rate', values.rate, 1_000_000),
});
if (values.out === '-') await writeToStdout(chunks);
else writeToFolder(chunks, values.out);

/** @param {string} name @param {string} text @param {number} most */
function wholeNumber(name, text, most) {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > most) {
    throw new RangeError(`--${name} takes a whole number from 1 to ${most}, not "${text}"`);
  }
  return value;
}

/** @param {ReturnType<typeof auditLogs>} chunks */
async function writeToStdout(chunks) {
  // A reader that has seen enough closes the pipe; that is its right.
  process.stdout.on('error', (error) => process.exit('code' in error && error.code === 'EPIPE' ? 0 : 1));
  for (const { bytes } of chunks) {
    if (!process.stdout.write(bytes)) await new Promise((resolve) => process.stdout.once('drain', resolve));
  }
}

/** @param {ReturnType<typeof auditLogs>} chunks @param {string} folder */
function writeToFolder(chunks, folder) {
  mkdirSync(folder, { recursive: true });
  /** @type {Map<string, number>} */
  const files = new Map();
  for (const { server, bytes } of chunks) {
    const file = files.get(server) ?? openSync(join(folder, `${server}-audit.log`), 'w');
    files.set(server, file);
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
  }
  for (const file of files.values()) closeSync(file);
}
