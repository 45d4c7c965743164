/** The functions that rules may use in expressions and texts, beside those of CEL itself. */
import { Environment } from '@marcbachmann/cel-js';
import { groupVersionOf } from '../model/resource.js';
import { formatDuration, formatTime, MILLISECOND, SECOND } from '../model/time.js';
import { union } from './canonical.js';
import { shellWord } from './sanitize.js';
import { everyUrl, urlFor } from './server-urls.js';
import { plain } from './values.js';

/** Name, signature and meaning, as `rules explain` and the documentation list them. */
export const RULE_FUNCTIONS: readonly { signature: string; meaning: string }[] = [
  { signature: 'join(list, string): string', meaning: 'the items with the given text between them' },
  { signature: 'words(list): string', meaning: '`a, b and c`; after eight items `and 4 more`' },
  { signature: 'edges(list): string', meaning: '`cp1 → cp2, cp1 → cp3`; after eight edges `and 4 more`' },
  { signature: 'sources(list): list<dyn>', meaning: 'the source servers of edges, each once' },
  { signature: 'destinations(list): list<dyn>', meaning: 'the destination servers of edges, each once' },
  { signature: 'objects(list): string', meaning: '`jobs.batch/v1 shop/nightly`; after five objects `and 4 more`' },
  { signature: 'merge(list): list<dyn>', meaning: 'lists in a list as one list, each item once, sorted' },
  {
    signature: 'addresses(list): string',
    meaning: 'the addresses of several observations, or words that say that they are not known',
  },
  { signature: 'duration(int): string', meaning: 'microseconds as `3 min 05 s`' },
  { signature: 'seconds(double): string', meaning: 'seconds as `3 min 05 s`' },
  { signature: 'ms(double): string', meaning: 'milliseconds as `850 ms` or `12.4 s`; the sign is dropped' },
  { signature: 'time(int): string', meaning: 'microseconds since the epoch as RFC 3339' },
  { signature: 'percent(double): string', meaning: '0.063 as `6.3 %`' },
  { signature: 'plural(int, string): string', meaning: '`1 request`, `2 requests`' },
  { signature: 'plural(int, string, string): string', meaning: '`1 reply`, `2 replies` with both forms given' },
  { signature: 'host(string): string', meaning: 'the host of `host:port`' },
  { signature: 'path(string): string', meaning: '`jobs.batch/v1` as the path of its API, `/apis/batch/v1/jobs`' },
  { signature: 'shell(dyn): string', meaning: 'a word for a command line, quoted where needed' },
  {
    signature: 'dial(list): string',
    meaning: 'the first of some addresses for a command line; HOST:PORT when there is none',
  },
  {
    signature: 'url(map, dyn): string',
    meaning: 'of `urls`, where a server itself can be asked, for a command line; a placeholder when that is not known',
  },
  { signature: 'everyUrl(map): string', meaning: 'of `urls`, those of all servers, for a command line' },
  {
    signature: 'pod(dyn): string',
    meaning:
      'the name that kubeadm gives the pod of a server, for a command line; kube-apiserver-NODE when that is not known',
  },
];

type Edge = { source?: unknown; destination?: unknown };
type Named = { resource?: unknown; namespace?: unknown; name?: unknown };

const handlers: Readonly<Record<string, (...args: never[]) => unknown>> = {
  'join(list, string): string': (items: unknown[], separator: string) => items.map(show).join(separator),
  'words(list): string': (items: unknown[]) => sentence(items.map(show), 8),
  'edges(list): string': (edges: Edge[]) =>
    sentence(
      edges.map((edge) => `${show(edge.source)} → ${show(edge.destination)}`),
      8,
      ', ',
    ),
  'sources(list): list<dyn>': (edges: Edge[]) => [...new Set(edges.map((edge) => edge.source))],
  'destinations(list): list<dyn>': (edges: Edge[]) => [...new Set(edges.map((edge) => edge.destination))],
  'objects(list): string': (objects: Named[]) =>
    sentence(
      objects.map((object) => `${show(object.resource)} ${[object.namespace, object.name].filter(Boolean).join('/')}`),
      5,
      ', ',
    ),
  'merge(list): list<dyn>': (lists: unknown[][]) => union(lists.flat()),
  'addresses(list): string': (lists: unknown[][]) => {
    const known = union(lists.flat());
    return known.length === 0 ? 'an address that the records do not show' : sentence(known.map(show), 8);
  },
  'duration(int): string': (us: bigint) => formatDuration(Number(us)),
  'seconds(double): string': (seconds: number) => formatDuration(Number(seconds) * SECOND),
  'ms(double): string': (ms: number) => formatDuration(Math.abs(Number(ms)) * MILLISECOND),
  'time(int): string': (us: bigint) => formatTime(Number(us)),
  'percent(double): string': (share: number) => `${Number((Number(share) * 100).toFixed(1))} %`,
  'plural(int, string): string': (count: bigint, word: string) => (count === 1n ? `1 ${word}` : `${count} ${word}s`),
  'plural(int, string, string): string': (count: bigint, one: string, many: string) =>
    count === 1n ? `1 ${one}` : `${count} ${many}`,
  'host(string): string': (address: string) => address.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1'),
  'path(string): string': (resource: string) => {
    const groupVersion = groupVersionOf(resource);
    const name = resource.split(/[./]/)[0] ?? '';
    return groupVersion.includes('/') ? `/apis/${groupVersion}/${name}` : `/api/${groupVersion}/${name}`;
  },
  'shell(dyn): string': (word: unknown) => shellWord(show(word)),
  'dial(list): string': (addresses: unknown[]) =>
    addresses.length === 0 ? 'HOST:PORT' : shellWord(show(addresses[0])),
  'url(map, dyn): string': urlFor,
  'everyUrl(map): string': everyUrl,
  'pod(dyn): string': (server: unknown) =>
    typeof server === 'string' && !NO_NODE.test(server) ? shellWord(`kube-apiserver-${server}`) : 'kube-apiserver-NODE',
};

/** Servers without a name are called by their identity lease or by their address; no node is. */
const NO_NODE = /^apiserver-[a-z2-7]{26}$|:\d+$/;

const base = baseEnvironment();

/** A fresh environment with all functions; bounded in size, so that no rule can be a burden. */
export function ruleEnvironment(): Environment {
  return base.clone();
}

function baseEnvironment(): Environment {
  const environment = new Environment({
    homogeneousAggregateLiterals: false,
    limits: { maxAstNodes: 2_000, maxDepth: 50, maxListElements: 200, maxMapEntries: 50 },
  });
  for (const { signature } of RULE_FUNCTIONS) {
    const handler = handlers[signature];
    if (handler !== undefined) environment.registerFunction(signature, handler as (...args: unknown[]) => unknown);
  }
  return environment;
}

/** Any value as it stands in a sentence. */
export function show(value: unknown): string {
  if (value === null || value === undefined) return 'unknown';
  if (Array.isArray(value)) return sentence(value.map(show), 8);
  if (typeof value === 'object') return JSON.stringify(plain(value));
  return String(value);
}

function sentence(items: readonly string[], limit: number, separator?: string): string {
  if (items.length === 0) return 'none';
  if (items.length > limit) return `${items.slice(0, limit).join(', ')} and ${items.length - limit} more`;
  if (separator !== undefined || items.length === 1) return items.join(separator);
  return `${items.slice(0, -1).join(', ')} and ${items[items.length - 1]}`;
}
