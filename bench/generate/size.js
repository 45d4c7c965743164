/** Sizes as people type them. */

const UNITS = { '': 1, k: 1e3, m: 1e6, g: 1e9 };

/**
 * `64k`, `10m`, `1.5g` or plain bytes; powers of ten, so that `1g` is the gigabyte of disks and benchmarks.
 * @param {string} text
 * @returns {number} bytes
 * @throws {RangeError} when it is not a size
 */
export function parseSize(text) {
  const match = /^(\d+(?:\.\d+)?)([kmg]?)b?$/i.exec(text.trim());
  const unit = /** @type {keyof typeof UNITS} */ (match?.[2]?.toLowerCase() ?? '');
  if (!match) throw new RangeError(`"${text}" is not a size; write it like 64k, 10m or 1g`);
  return Math.round(Number(match[1]) * UNITS[unit]);
}
