/** What cannot be opened as the configuration says is no mistake of this program. */
import { ConfigError } from '../config/index.js';
import type { ServerAccess } from '../config/service-secrets.js';
import type { AdminOptions, AdminServer } from './http/index.js';

/** The page and the interface. Rejects with ConfigError when they cannot be served. */
export async function openPage({
  access,
  ...options
}: Omit<AdminOptions, 'token' | 'tls'> & { readonly access: ServerAccess }): Promise<AdminServer> {
  const { openAdmin } = await import('./http/index.js');
  const { token, tls } = access;
  return asConfigured(
    openAdmin({
      ...options,
      ...(token === undefined ? {} : { token }),
      ...(tls === undefined
        ? {}
        : { tls: { cert: tls.cert, key: tls.key, ...(tls.clientCa === undefined ? {} : { ca: tls.clientCa }) } }),
    }),
  );
}

/** Rejects with ConfigError, in the words of what went wrong: an address that is taken, a token that is too short. */
export async function asConfigured<T>(opening: Promise<T>): Promise<T> {
  try {
    return await opening;
  } catch (error) {
    if (error instanceof ConfigError || !(error instanceof Error)) throw error;
    throw new ConfigError(error.message, { cause: error });
  }
}

/** Where a new group begins, in milliseconds since the epoch. */
export function startMs(from: { readonly atMs: number } | { readonly agoMs: number }, nowMs: number): number {
  return 'atMs' in from ? from.atMs : nowMs - from.agoMs;
}
