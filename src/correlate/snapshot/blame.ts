/**
 * Where the fault lies when some calls between peers fail and others do not: the fewest servers that explain every
 * failing edge. A server can be at fault as source only if nothing it calls answers, and likewise as destination.
 */
import type { ServerView } from './server-view.js';
import { order } from './servers.js';

export interface PeerEdge {
  readonly source: ServerView;
  readonly destination: ServerView;
}

export type Role = 'source' | 'destination';

export interface Blame<E extends PeerEdge> {
  readonly server: ServerView;
  readonly role: Role;
  readonly edges: readonly E[];
  /** Some of its edges cannot be the other end's fault, since calls of that end in its role work. */
  readonly forced: boolean;
  /** False where calls work in which either end has its role, so that neither seems to be at fault. */
  readonly explained: boolean;
}

/** Above this many suspects every subset is too many; then the largest share goes first. */
const EXACT_LIMIT = 14;

interface Suspect<E extends PeerEdge> {
  readonly server: ServerView;
  readonly role: Role;
  readonly edges: readonly E[];
}

/** Whether a healthy edge shows that its end in the role is not at fault for the failing edges of that end. */
export type Clears<E extends PeerEdge, H extends PeerEdge> = (healthy: H, role: Role, failing: readonly E[]) => boolean;

/** `healthy` are edges that work; `preferred` decides when both ends explain the failures equally well. */
export function blame<E extends PeerEdge, H extends PeerEdge>(
  failing: readonly E[],
  healthy: readonly H[],
  preferred: Role,
  clears: Clears<E, H> = () => true,
): Blame<E>[] {
  const suspects = suspectsOf(failing, healthy, clears);
  const cover = cheapestCover(failing, suspects, preferred);
  return assign(failing, cover, preferred)
    .map((blamed) => ({
      ...blamed,
      forced: blamed.edges.some((edge) => !otherEndSuspected(edge, blamed.role, suspects)),
      explained: suspects.some(({ server, role }) => server === blamed.server && role === blamed.role),
    }))
    .sort((a, b) => order(a.server.name, b.server.name) || order(a.role, b.role));
}

function otherEndSuspected<E extends PeerEdge>(edge: E, role: Role, suspects: readonly Suspect<E>[]): boolean {
  return suspects.some((suspect) => suspect.role !== role && suspect.edges.includes(edge));
}

function suspectsOf<E extends PeerEdge, H extends PeerEdge>(
  failing: readonly E[],
  healthy: readonly H[],
  clears: Clears<E, H>,
): Suspect<E>[] {
  const suspects: Suspect<E>[] = [];
  for (const role of ['source', 'destination'] as const) {
    for (const server of new Set(failing.map((edge) => edge[role]))) {
      const edges = failing.filter((edge) => edge[role] === server);
      if (healthy.some((edge) => edge[role] === server && clears(edge, role, edges))) continue;
      suspects.push({ server, role, edges });
    }
  }
  return suspects.sort((a, b) => order(a.role, b.role) || order(a.server.name, b.server.name));
}

function cheapestCover<E extends PeerEdge>(
  failing: readonly E[],
  suspects: readonly Suspect<E>[],
  preferred: Role,
): Suspect<E>[] {
  const coverable = new Set(suspects.flatMap((suspect) => suspect.edges));
  const target = failing.filter((edge) => coverable.has(edge));
  if (suspects.length > EXACT_LIMIT) return greedyCover(target, suspects);
  let best: Suspect<E>[] = [...suspects];
  let bestCost = Number.POSITIVE_INFINITY;
  for (let subset = 0; subset < 1 << suspects.length; subset += 1) {
    const chosen = suspects.filter((_, at) => (subset & (1 << at)) !== 0);
    const cost = chosen.length + chosen.filter((suspect) => suspect.role !== preferred).length / 100;
    if (cost >= bestCost || !target.every((edge) => chosen.some((suspect) => suspect.edges.includes(edge)))) continue;
    [best, bestCost] = [chosen, cost];
  }
  return best;
}

function greedyCover<E extends PeerEdge>(target: readonly E[], suspects: readonly Suspect<E>[]): Suspect<E>[] {
  const open = new Set(target);
  const chosen: Suspect<E>[] = [];
  const left = [...suspects];
  const share = (suspect: Suspect<E>) => suspect.edges.filter((edge) => open.has(edge)).length;
  while (open.size > 0 && left.length > 0) {
    left.sort((a, b) => share(b) - share(a));
    const next = left.shift();
    if (next === undefined) break;
    chosen.push(next);
    for (const edge of next.edges) open.delete(edge);
  }
  return chosen;
}

/** Each failing edge goes to one chosen server; edges that no suspect explains go to their preferred end. */
function assign<E extends PeerEdge>(
  failing: readonly E[],
  cover: readonly Suspect<E>[],
  preferred: Role,
): Suspect<E>[] {
  const byKey = new Map<string, { server: ServerView; role: Role; edges: E[] }>();
  for (const edge of failing) {
    const fitting = cover.filter((suspect) => suspect.edges.includes(edge));
    const suspect = fitting.find((s) => s.role === preferred) ??
      fitting[0] ?? { server: edge[preferred], role: preferred };
    const key = `${suspect.role} ${suspect.server.name}`;
    const entry = byKey.get(key) ?? { server: suspect.server, role: suspect.role, edges: [] };
    entry.edges.push(edge);
    byKey.set(key, entry);
  }
  return [...byKey.values()];
}
