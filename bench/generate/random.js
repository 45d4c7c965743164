/** Seeded pseudo-random numbers, so that one seed always gives the same log. */

/**
 * A generator of unsigned 32-bit integers (xorshift128: fast, and random enough for traffic).
 * @param {number} seed any integer
 * @returns {() => number}
 */
export function randomIntegers(seed) {
  let x = (seed ^ 0x9e3779b9) >>> 0;
  let y = 0x6c078965;
  let z = 0xb5026f5a;
  let w = (seed * 0x85ebca6b) | 0 || 1;
  const next = () => {
    const t = x ^ (x << 11);
    x = y;
    y = z;
    z = w;
    w = w ^ (w >>> 19) ^ t ^ (t >>> 8);
    return w >>> 0;
  };
  // The first numbers after a small seed resemble each other.
  for (let i = 0; i < 20; i++) next();
  return next;
}
