/** Begins to listen, or says why that cannot be. */
import type { Server } from 'node:net';
import type { ListenAddress } from '../config/listen-address.js';

/** Gives `host:port` as bound, IPv6 in brackets. `what` is for the message of the Error that it throws otherwise. */
export async function listening(server: Server, { host, port }: ListenAddress, what: string): Promise<string> {
  const shown = host.includes(':') ? `[${host}]` : host;
  await new Promise<void>((resolve, reject) => {
    const refuse = (error: NodeJS.ErrnoException) => {
      const why = REASONS[error.code ?? ''] ?? error.message;
      reject(new Error(`${what} cannot be served at ${shown}:${port}: ${why}`, { cause: error }));
    };
    server.once('error', refuse);
    server.listen(port, host, () => {
      server.removeListener('error', refuse);
      resolve();
    });
  });
  const address = server.address();
  return `${shown}:${typeof address === 'object' && address !== null ? address.port : port}`;
}

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another process listens there; give another port',
  EADDRNOTAVAIL: 'this machine does not have that address',
  EACCES: 'the system does not allow it; give a port above 1023',
  ENOTFOUND: 'there is no such host',
};
