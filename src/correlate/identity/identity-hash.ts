/** The name of a server's identity lease is a hash of its hostname, so host names and leases can be matched. */
import { createHash } from 'node:crypto';

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';

/**
 * `apiserver-` and the lower-case unpadded base32 of the first 16 bytes of SHA-256 over hostname and
 * `kube-apiserver`, each after its length as two bytes, big-endian.
 */
export function identityOf(hostname: string): string {
  const hash = createHash('sha256');
  for (const part of [hostname, 'kube-apiserver']) {
    const bytes = Buffer.from(part, 'utf8');
    const length = Buffer.alloc(2);
    length.writeUInt16BE(Math.min(bytes.length, 0xffff));
    hash.update(length).update(bytes);
  }
  return `apiserver-${base32(hash.digest().subarray(0, 16))}`;
}

function base32(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let held = 0;
  for (const byte of bytes) {
    held = (held << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += ALPHABET[(held >> bits) & 31];
    }
    held &= (1 << bits) - 1;
  }
  if (bits > 0) text += ALPHABET[(held << (5 - bits)) & 31];
  return text;
}
