/** Whether the names that the service listens under are known here: the start asks for them in the same way. */
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { errorCode } from '../../sources/source.js';
import type { Config } from '../config.js';
import { isLoopbackHost, type ListenAddress } from '../listen-address.js';
import type { Remark } from './remark.js';

/** `resolve` rejects as dns.lookup does. */
export async function listenHostRemarks(
  { listen: { admin, webhook } }: Config,
  resolve: (host: string) => Promise<unknown> = lookup,
): Promise<Remark[]> {
  const listeners: [Remark['path'], ListenAddress | undefined][] = [
    [['listen', 'admin'], admin],
    [['listen', 'webhook', 'address'], webhook?.address],
  ];
  const found = await Promise.all(
    listeners.map(async ([path, address]) => (address === undefined ? [] : remarksOf(path, address.host, resolve))),
  );
  return found.flat();
}

async function remarksOf(
  path: Remark['path'],
  host: string,
  resolve: (host: string) => Promise<unknown>,
): Promise<Remark[]> {
  if (isIP(host) !== 0 || isLoopbackHost(host)) return [];
  try {
    await resolve(host);
    return [];
  } catch (error) {
    const code = errorCode(error);
    if (code === '') throw error;
    const what = `has the host ${host}, which this machine cannot resolve (${code})`;
    // Names are not answered for at the moment: that says nothing of this one.
    if (code === 'EAI_AGAIN') return [{ level: 'warning', path, message: `${what}: the start fails where it cannot` }];
    return [{ level: 'mistake', path, message: `${what}; give an address of this machine, as in 0.0.0.0` }];
  }
}
