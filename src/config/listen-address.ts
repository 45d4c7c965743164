/** Where the program listens: a port of this machine alone, or an address that is written out. */

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** Nobody else reaches it: who wants more says so. */
const LOOPBACK = '127.0.0.1';

/** `9464`, `127.0.0.1:9464`, `[::1]:9464`, `localhost:9464`; port 0 is any free one. Else what is wrong, to be put behind its name. */
export function parseListenAddress(value: unknown): ListenAddress | string {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string') return 'must be HOST:PORT, as in 127.0.0.1:9464';
  const [, v6, name, digits] = /^(?:(?:\[([\da-fA-F:.]+)\]|([\w.-]*)):)?(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  if (digits === undefined) return 'must be HOST:PORT, as in 127.0.0.1:9464 or [::1]:9464';
  if (port > 65_535) return `has the port ${port}; ports end at 65535`;
  if (name === '') {
    return `names no host; write ${port} for this machine alone, or 0.0.0.0:${port} for everyone who reaches it`;
  }
  return { host: v6 ?? name ?? LOOPBACK, port };
}

/** Whether only this machine reaches what listens there. */
export function isLoopbackHost(host: string): boolean {
  return /^(localhost|(::ffff:)?127(\.\d{1,3}){3}|::1)$/i.test(host);
}
