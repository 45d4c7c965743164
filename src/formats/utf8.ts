/** UTF-8 over chunk boundaries. */
import { isUtf8 } from 'node:buffer';

/** Whether the bytes are UTF-8, but for a last character whose rest may come with the next chunk. */
export function isUtf8SoFar(bytes: Buffer): boolean {
  return isUtf8(withoutCutCharacter(bytes));
}

function withoutCutCharacter(bytes: Buffer): Buffer {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] as number;
    if (byte < 0x80) return bytes;
    if (byte >= 0xc0) {
      const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return length > back ? bytes.subarray(0, bytes.length - back) : bytes;
    }
  }
  return bytes;
}
