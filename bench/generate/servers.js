/** The kube-apiservers of the invented control plane: names, addresses, versions, and the identity each one renews. */
import { createHash } from 'node:crypto';

/**
 * @typedef {object} Server
 * @property {string} name host name, and the first word of its file's name
 * @property {string} ip what peers dial and what appears last in sourceIPs
 * @property {string} version
 * @property {string} userAgent of its loopback client
 * @property {string} uid of its loopback user: the boot
 * @property {string} identity name of its identity lease
 */

/**
 * The first server still runs the old minor, the others the new one.
 * @param {number} count 1 … 200
 * @returns {Server[]}
 */
export function controlPlane(count) {
  return Array.from({ length: count }, (_, i) => {
    const name = `cp${i + 1}`;
    const version = i === 0 && count > 1 ? '1.35.4' : '1.36.3';
    return {
      name,
      ip: `10.20.0.${11 + i}`,
      version,
      userAgent: `kube-apiserver-${version}/v${version} (linux/amd64) kubernetes/0123456`,
      uid: `5e1f0c${(0x20 + i).toString(16)}-1d2e-4c3b-8a49-0f6d7e8c9b${(0x10 + i).toString(16)}`,
      identity: identityOf(name),
    };
  });
}

/**
 * kube-apiserver names its lease by a hash over its host name and the word `kube-apiserver`, each after its 16-bit length.
 * @param {string} hostname
 */
function identityOf(hostname) {
  const hash = createHash('sha256');
  for (const word of [hostname, 'kube-apiserver']) {
    const length = Buffer.alloc(2);
    length.writeUInt16BE(word.length);
    hash.update(length).update(word);
  }
  return `apiserver-${base32(hash.digest().subarray(0, 16))}`;
}

/** @param {Buffer} bytes */
function base32(bytes) {
  let bits = '';
  for (const byte of bytes) bits += byte.toString(2).padStart(8, '0');
  return (bits.match(/.{1,5}/g) ?? [])
    .map((five) => 'abcdefghijklmnopqrstuvwxyz234567'[Number.parseInt(five.padEnd(5, '0'), 2)])
    .join('');
}
