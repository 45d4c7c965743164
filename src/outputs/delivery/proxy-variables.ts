/** Which proxy the environment names for an address: HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, and NO_PROXY. */
import { BlockList, isIP } from 'node:net';
import { OutputError } from '../output.js';

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Undefined: it is reached directly, as everything on loopback is. Names in lower case go first, as curl has it. Throws
 * OutputError for a proxy that cannot be one; its value is not quoted, for it may hold a password.
 */
export function proxyFor(url: URL, env: Env): URL | undefined {
  const scheme = url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const given = [scheme, 'ALL_PROXY']
    .flatMap((name) => [name.toLowerCase(), name])
    .find((name) => read(name, env) !== '');
  if (given === undefined || isLoopback(url) || isExcepted(url, read('no_proxy', env) || read('NO_PROXY', env))) {
    return undefined;
  }
  const text = read(given, env);
  const full = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  const proxy = URL.canParse(full) ? new URL(full) : undefined;
  if (proxy?.protocol === 'http:' || proxy?.protocol === 'https:') return proxy;
  throw new OutputError(`${given} is no proxy that is spoken here; write it as http://HOST:PORT`);
}

function read(name: string, env: Env): string {
  return env[name]?.trim() ?? '';
}

function isLoopback({ hostname }: URL): boolean {
  const host = bare(hostname);
  return /^(.+\.)?localhost\.?$/.test(host) || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

/** Entries are `*`, names that hold for what is below them too, addresses, or networks as `10.0.0.0/8`; any with a port. */
function isExcepted({ hostname, port, protocol }: URL, list: string): boolean {
  const host = bare(hostname);
  const actual = port === '' ? (protocol === 'https:' ? '443' : '80') : port;
  return list.split(/[\s,]+/).some((entry) => {
    if (entry === '' || entry === '*') return entry === '*';
    const [, named = '', wanted] = /^(\[[^\]]+\]|[^:]+|[^:]*:.*:.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
    if (wanted !== undefined && wanted !== actual) return false;
    const name = bare(named.replace(/^\*?\./, ''));
    return host === name || (isIP(host) === 0 ? host.endsWith(`.${name}`) : isWithin(host, name));
  });
}

function isWithin(address: string, network: string): boolean {
  const [base = '', bits] = network.split('/');
  const family = isIP(base);
  const length = Number(bits);
  if (family === 0 || family !== isIP(address) || !/^\d{1,3}$/.test(bits ?? '') || length > (family === 4 ? 32 : 128)) {
    return false;
  }
  const kind = family === 4 ? 'ipv4' : 'ipv6';
  const block = new BlockList();
  block.addSubnet(base, length, kind);
  return block.check(address, kind);
}

function bare(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '').toLowerCase();
}
