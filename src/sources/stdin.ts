/** Standard input as a source. */
import { createReadStream, fstatSync, type Stats } from 'node:fs';
import type { Readable } from 'node:stream';
import type { Source } from './source.js';
import { errorCode, sourceError } from './source.js';

const STDIN_FD = 0;
const CHUNK_BYTES = 1 << 20;

/** Standard input, named `-`. It can be opened once. `live` says that records arrive as they are written. */
export function stdinSource(options: { readonly live?: boolean; readonly stream?: Readable } = {}): Source {
  const redirected = options.stream === undefined ? redirectedFile() : null;
  return {
    input: { name: '-', kind: 'stdin', yearHintUs: Math.round((redirected?.mtimeMs ?? Date.now()) * 1000) },
    bytes: redirected?.size ?? null,
    live: options.live ?? false,
    open: () => read(options.stream ?? openStdin()),
  };
}

async function* read(stream: Readable): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of stream) yield typeof chunk === 'string' ? Buffer.from(chunk) : (chunk as Buffer);
  } catch (error) {
    // A writer that vanishes (reset connection, closed terminal) ends the input like any other end.
    if (errorCode(error) === 'ECONNRESET' || errorCode(error) === 'EOF') return;
    throw sourceError('standard input', error);
  }
}

/**
 * A redirected file (`< audit.log`) is read in large chunks; pipes and terminals go through process.stdin, whose
 * reads do not hold a thread, so that the process can end while the writer is silent.
 */
function openStdin(): Readable {
  if (redirectedFile() === null) return process.stdin;
  return createReadStream('', { fd: STDIN_FD, highWaterMark: CHUNK_BYTES, autoClose: false });
}

function redirectedFile(): Stats | null {
  try {
    const stats = fstatSync(STDIN_FD);
    return stats.isFile() ? stats : null;
  } catch (error) {
    // Started with standard input closed: there is nothing to measure, and opening it will say so.
    if (errorCode(error) === 'EBADF') return null;
    throw error;
  }
}
