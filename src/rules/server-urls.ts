/** Where each server can be asked itself, for commands in texts; not what it tells its peers, for that may be wrong. */
import type { ServerSummary } from '../model/analysis.js';
import { cleanText, shellWord } from './sanitize.js';

const PORT = '6443';
/** A command line holds so many. */
const MOST = 16;

/** By the name of the server; a placeholder where its address is not known. */
export type ServerUrls = ReadonlyMap<string, string>;

export function serverUrls(servers: readonly ServerSummary[], cluster: string): ServerUrls {
  const own = servers.filter((server) => server.cluster === cluster);
  const entries = own.map((server) => [cleanText(server.name), urlOf(server)] as const);
  return new Map(entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
}

/** For a command line. */
export function urlFor(urls: ServerUrls, server: unknown): string {
  return typeof server === 'string' ? (urls.get(server) ?? placeholder(server)) : placeholder('THE_SERVER');
}

/** Of all servers, for a command line. */
export function everyUrl(urls: ServerUrls): string {
  const known = [...urls.values()].slice(0, MOST);
  return (known.length > 0 ? known : ['1', '2', '3'].map((number) => placeholder(`SERVER_${number}`))).join(' ');
}

function urlOf({ name, addresses, peerAddress }: ServerSummary): string {
  const told = /^(.+):(\d+)$/.exec(peerAddress ?? '');
  const toldHost = told?.[1]?.replace(/^\[(.*)\]$/, '$1');
  const own = toldHost !== undefined && addresses.includes(toldHost) ? toldHost : undefined;
  const host = own ?? (addresses.length === 1 ? addresses[0] : undefined);
  if (host === undefined) return placeholder(name);
  return shellWord(`https://${host.includes(':') ? `[${host}]` : host}:${own === undefined ? PORT : told?.[2]}`);
}

function placeholder(server: string): string {
  return shellWord(`https://ADDRESS_OF_${cleanText(server)}:${PORT}`);
}
