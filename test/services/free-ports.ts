/** Ports of this machine that services of tests can listen on, and go on listening on after a restart. */
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/** Below those that systems give to outgoing connections, one of which could take a port while its service starts. */
const LOWEST = 20_000;
const HIGHEST = 30_000;

/** So many different ones on which nothing listens. */
export async function freePorts(count: number): Promise<number[]> {
  // All are held until the last is known, so that they differ.
  const held = new Map<number, Server>();
  while (held.size < count) {
    const port = randomInt(LOWEST, HIGHEST);
    const server = await listening(port);
    if (server !== undefined) held.set(port, server);
  }
  await Promise.all([...held.values()].map((server) => once(server.close(), 'close')));
  return [...held.keys()];
}

export async function freePort(): Promise<number> {
  const [port] = await freePorts(1);
  if (port === undefined) throw new Error('no port');
  return port;
}

/** Undefined when something else has the port. Throws what else keeps it from listening. */
async function listening(port: number): Promise<Server | undefined> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
    return server;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    return undefined;
  }
}
