/** A file on disk as a source: read in large chunks from its start to the end it has then. */
import { createReadStream, type Stats } from 'node:fs';
import type { Source } from './source.js';
import { sourceError } from './source.js';

/** Fastest of 256 KiB to 4 MiB or equal to it, and small enough to stay in the caches of the processor. */
const CHUNK_BYTES = 1 << 20;

/** A file, or a named pipe or device that the user named; `name` is the path as the user would recognise it. */
export function fileSource(name: string, stats: Stats): Source {
  return {
    input: { name, kind: 'file', yearHintUs: Math.round(stats.mtimeMs * 1000) },
    bytes: stats.isFile() ? stats.size : null,
    live: false,
    open: () => readFile(name),
  };
}

async function* readFile(path: string): AsyncGenerator<Buffer> {
  const stream = createReadStream(path, { highWaterMark: CHUNK_BYTES });
  try {
    for await (const chunk of stream) yield chunk as Buffer;
  } catch (error) {
    throw sourceError(path, error);
  } finally {
    stream.destroy();
  }
}
