/** Opens the page and the interface as the configuration says who may see them; their code is loaded only then. */
import type { ServerAccess } from '../config/service-secrets.js';
import { asConfigured } from './as-configured.js';
import type { AdminOptions, AdminServer } from './http/index.js';

/** Rejects with ConfigError when they cannot be served. */
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
