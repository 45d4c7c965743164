/** Unpacks gzip that lies in memory as a whole. */
import { isNativeError } from 'node:util/types';
import { gunzipSync } from 'node:zlib';

export type UnpackFailure = 'truncated-gzip' | 'damaged-gzip' | 'unreadable';

/** The content, all members of it; `unreadable` when it is longer than `maxBytes`. */
export function unpack(bytes: Buffer, maxBytes: number): Buffer | UnpackFailure {
  try {
    return gunzipSync(bytes, { maxOutputLength: maxBytes });
  } catch (error) {
    // Damaged and too large content have codes; anything else is a fault of the program.
    if (!isNativeError(error) || !('code' in error)) throw error;
    if (error.code === 'ERR_BUFFER_TOO_LARGE') return 'unreadable';
    return error.code === 'Z_BUF_ERROR' ? 'truncated-gzip' : 'damaged-gzip';
  }
}
