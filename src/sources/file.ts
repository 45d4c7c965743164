/** A file on disk as a source: read in large chunks from its start to the end it has then. */
import { createReadStream, open, type Stats } from 'node:fs';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { FileBytes } from './file-bytes.js';
import type { Source } from './source.js';
import { sourceError } from './source.js';

/** Twice as fast as 64 KiB (the default) and 30 % faster than 256 KiB from the page cache; 4 MiB gains nothing. */
const CHUNK_BYTES = 1 << 20;
const LEAST_BYTES = 4 << 10;

/** A file, or a named pipe or device that the user named; `name` is the path as the user would recognise it. */
export function fileSource(name: string, stats: Stats): Source {
  return {
    input: { name, kind: 'file', yearHintUs: Math.round(stats.mtimeMs * 1000) },
    bytes: stats.isFile() ? stats.size : null,
    live: false,
    ...(stats.isFile() ? { openFile: () => new FileBytes(name) } : {}),
    open: () => readFile(name, stats),
  };
}

async function* readFile(path: string, stats: Stats): AsyncGenerator<Buffer> {
  let stream: Readable | undefined;
  try {
    stream = stats.isFIFO() ? await openPipe(path) : createReadStream(path, { highWaterMark: chunkFor(stats) });
    for await (const chunk of stream) yield chunk as Buffer;
  } catch (error) {
    throw sourceError(path, error);
  } finally {
    stream?.destroy();
  }
}

/** Thousands of small files must not take a large chunk each; one byte more than there are shows the end as well. */
function chunkFor(stats: Stats): number {
  return stats.isFile() ? Math.min(CHUNK_BYTES, Math.max(LEAST_BYTES, stats.size + 1)) : CHUNK_BYTES;
}

/** Waiting for the writer of a pipe must not hold a thread: the process could not end meanwhile. */
async function openPipe(path: string): Promise<Readable> {
  return new Socket({ fd: await promisify(open)(path, 'r'), readable: true, writable: false });
}
