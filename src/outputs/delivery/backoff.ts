/** How long to wait before the next attempt. */
import type { Clock } from './clock.js';

export interface BackoffOptions {
  /** Before the second attempt, in milliseconds; doubled with each failure. */
  readonly firstMs: number;
  readonly maxMs: number;
}

/** What a receiver may ask for at most by Retry-After. */
const MAX_ASKED_MS = 60 * 60 * 1000;

/**
 * Milliseconds after `failures` (from 1) in a row: half of the doubled step for sure, the other half by chance, so that
 * many senders do not return together. `askedMs`: the receiver's own wish, which is never undercut.
 */
export function backoffMs(options: BackoffOptions, failures: number, random: Clock['random'], askedMs = 0): number {
  const step = Math.min(options.maxMs, options.firstMs * 2 ** Math.min(failures - 1, 30));
  const own = step / 2 + (step / 2) * random();
  const asked = Math.min(askedMs, MAX_ASKED_MS);
  // A crowd that was told the same time must not return at the same moment either.
  return asked > own ? asked + options.firstMs * random() : own;
}

/** Milliseconds of a Retry-After header, in seconds or as an HTTP date; undefined when it is neither. */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | undefined {
  if (value === undefined || value.length > 64) return undefined;
  if (/^\d{1,9}$/.test(value.trim())) return Number(value) * 1000;
  const at = /[A-Za-z]{3},/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);
}
