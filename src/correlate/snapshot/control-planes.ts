/**
 * Finds servers that cannot be of one control plane although nothing names two clusters: their storages are not the same.
 * Only what proves it counts, since servers that are parted are never compared.
 */
import { partName } from '../../model/analysis.js';
import type { Observation } from '../../model/observations/index.js';
import { MINUTE } from '../../model/time.js';
import type { State } from '../cluster-correlator.js';
import type { EvidenceSet } from '../evidence.js';
import type { LeaseList } from '../identity/lease-book.js';
import { facts } from './context.js';
import type { EdgeView } from './edges.js';
import type { ProxiedPair } from './pairs-view.js';
import type { ServerView } from './server-view.js';
import { order, type Servers } from './servers.js';
import { Union } from './union.js';

/** Clocks, and the time from a start until the lease is there. */
const SLACK = MINUTE;

/** Servers that belong together, with what proves that others are not of them. */
export interface ControlPlane {
  readonly servers: readonly ServerView[];
  readonly from: number;
  readonly to: number;
  /** It was founded, as another was; else its list of leases lacks servers that ran. */
  readonly founded: boolean;
  readonly evidence: readonly EvidenceSet[];
}

interface Known {
  readonly servers: Servers;
  readonly pairs: readonly ProxiedPair[];
  readonly edges: readonly EdgeView[];
}

/** Those that differ from another for certain; none where nothing proves that there are two. */
export function controlPlanes(state: State, known: Known): ControlPlane[] {
  const groups = together(state, known);
  if (groups.length < 2) return [];
  const founders = foundersOf(state, known.servers);
  const planes = groups.flatMap((servers) => {
    const others = groups.filter((group) => group !== servers && group[0]?.cluster === servers[0]?.cluster);
    const own = servers.flatMap((server) => founders.get(server) ?? []);
    const founded = own.length > 0 && others.some((group) => group.some((server) => founders.has(server)));
    const lists = [...state.leases.lists.values()];
    const listed = others.some((group) => excludes(lists, servers, group) || excludes(lists, group, servers));
    if (!founded && !listed) return [];
    const boots = servers.flatMap((server) => server.boots);
    return {
      servers,
      from: Math.min(...boots.map(({ from }) => from)),
      to: Math.max(...boots.map(({ to }) => to)),
      founded,
      evidence: own.map(({ evidence }) => evidence),
    };
  });
  return planes.length < 2 ? [] : planes;
}

/**
 * Gives each plane behind the first of its cluster a name of its own, as `default~2`. `fresh` are the servers `before`
 * once more, of which nothing was concluded yet.
 */
export function partClusters(
  planes: readonly ControlPlane[],
  before: Servers,
  fresh: Servers,
): { readonly servers: Servers; readonly planes: ControlPlane[] } {
  const numbers = new Map<string, number>();
  const parted = planes.map((plane) => {
    const servers = plane.servers.flatMap((server) => fresh.all[before.all.indexOf(server)] ?? []);
    const name = servers[0]?.cluster ?? '';
    const number = (numbers.get(name) ?? 0) + 1;
    numbers.set(name, number);
    if (number > 1) for (const server of servers) server.cluster = partName(name, number);
    return { ...plane, servers };
  });
  return { servers: fresh, planes: parted };
}

export function planeObservations(planes: readonly ControlPlane[]): Observation[] {
  const [first] = planes;
  const cluster = first?.servers[0]?.cluster;
  if (first === undefined || cluster === undefined) return [];
  return [
    {
      type: 'mixed-clusters',
      ...facts({
        cluster,
        server: null,
        from: Math.min(...planes.map(({ from }) => from)),
        to: Math.max(...planes.map(({ to }) => to)),
        count: planes.length,
        certainty: planes.every(({ founded }) => founded) ? 'certain' : 'likely',
        evidence: planes.flatMap(({ evidence }) => evidence),
      }),
      planes: planes.map(({ servers }) => ({
        name: servers[0]?.cluster ?? '',
        servers: servers.map(({ name }) => name),
      })),
      founded: planes.every(({ founded }) => founded),
    },
  ];
}

/** Groups of servers of which each knows another, stands beside it in a list of leases, or passed it a request. */
function together({ leases }: State, { servers, pairs, edges }: Known): ServerView[][] {
  const union = new Union<ServerView>();
  for (const server of servers.all) union.add(server);
  for (const { source, destination } of pairs) union.join(source, destination);
  for (const { source, destination, fetches, failed } of edges) {
    if (fetches + failed > 0 && servers.all.includes(destination)) union.join(source, destination);
  }
  for (const { identities } of leases.lists.values()) {
    const [one, ...others] = servers.all.filter(({ identity }) => identity !== null && identities.has(identity));
    if (one !== undefined) for (const other of others) union.join(one, other);
  }
  return union
    .groups()
    .map((group) => group.sort((a, b) => order(a.name, b.name)))
    .sort((a, b) => order(a[0]?.name ?? '', b[0]?.name ?? ''));
}

function foundersOf({ founders }: State, servers: Servers) {
  const byServer = new Map<ServerView, { readonly evidence: EvidenceSet }>();
  for (const [life, founding] of founders.all()) {
    const server = servers.of(life);
    if (server !== undefined) byServer.set(server, founding);
  }
  return byServer;
}

/** A list that holds several servers of `group` lacks one of `others` whose lease was there before and after it was made. */
function excludes(lists: readonly LeaseList[], group: readonly ServerView[], others: readonly ServerView[]): boolean {
  return lists.some(({ identities, listedAt }) => {
    const held = group.filter(({ identity }) => identity !== null && identities.has(identity));
    return held.length > 1 && others.some((server) => hasLease(server, listedAt));
  });
}

function hasLease({ boots, leases }: ServerView, at: number): boolean {
  const listed = leases.some(({ createdUs, to }) => createdUs > 0 && createdUs < at - SLACK && to > at + SLACK);
  const renewed = boots.some(
    ({ from, to, lives }) => from < at - SLACK && to > at + SLACK && lives.some((life) => life.renewals > 0),
  );
  return listed || renewed;
}
