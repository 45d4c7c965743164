/** Fills in what was left out, and refuses what would make a receiver unsafe or deaf. */
import { isLoopbackHost } from '../../config/listen-address.js';
import type { WebhookOptions } from './options.js';
import { checkTls } from './tls-context.js';

const MEBI = 2 ** 20;

type Checked = WebhookOptions & Required<Pick<WebhookOptions, 'maxInFlightBytes' | 'maxBodyBytes' | 'storeTimeoutMs'>>;

/** Throws Error with what to do. */
export function checkOptions(options: WebhookOptions): Checked {
  const {
    maxInFlightBytes = 64 * MEBI,
    maxBodyBytes = 32 * MEBI,
    storeTimeoutMs = 20_000,
    listen,
    tls,
    token,
  } = options;
  for (const [name, value] of Object.entries({ maxInFlightBytes, maxBodyBytes, storeTimeoutMs })) {
    if (!Number.isSafeInteger(value) || value < 1) throw new Error(`${name} must be a whole number above 0`);
  }
  if (maxInFlightBytes < maxBodyBytes) {
    throw new Error(
      `maxInFlightBytes (${maxInFlightBytes}) is below maxBodyBytes (${maxBodyBytes}): such a body would never fit`,
    );
  }
  if (token !== undefined && !/^[\x21-\x7e]{16,}$/.test(token)) {
    throw new Error('the token of the audit webhook must be at least 16 characters of ASCII without spaces');
  }
  if (tls !== undefined) checkTls(tls);
  if (!isLoopbackHost(listen.host) && token === undefined && tls?.clientCa === undefined) {
    throw new Error(
      `the audit webhook at ${listen.host} would take events from anybody; give a token or the CA of client certificates, or listen on 127.0.0.1`,
    );
  }
  return { ...options, maxInFlightBytes, maxBodyBytes, storeTimeoutMs };
}
