/** Decides which writers are which server, by evidence from the strongest to the weakest, and names the servers. */
import { DEFAULT_CLUSTER } from '../../model/analysis.js';
import type { State } from '../cluster-correlator.js';
import { identityOf } from '../identity/identity-hash.js';
import { hostsOfInput, stemOfInput } from '../identity/input-name.js';
import { bootID, type Life, type Writer } from '../writer.js';
import { bootsOf } from './boots.js';
import { candidates } from './candidates.js';
import type { ServerView } from './server-view.js';
import { Union } from './union.js';

const UNKNOWN = 'unknown';

export interface Servers {
  readonly all: readonly ServerView[];
  /** undefined too where several servers write in turns: their loopback events tell who they are, and nothing tells whose the others are. */
  of(life: Life): ServerView | undefined;
  /** The cluster of inputs that name none. */
  readonly cluster: string;
  /** Some records are a kube-apiserver's and nothing tells whose: what is missing among the others may be there. */
  readonly partial: boolean;
}

export function resolveServers(state: State): Servers {
  const clusterOf = clustersOf(state);
  const told = identitiesTold(state);
  const { writers, unknown } = candidates(state.writers.all, told);
  const union = new Union<Life>();
  for (const writer of writers) addStrong(union, writer, clusterOf(writer));
  const strong = new Map(writers.map((writer) => [writer, identityOfWriter(writer)]));
  addByName(union, writers, strong, knownIdentities(told, strong), clusterOf);

  const servers = union
    .groups()
    .map((lives) => view(state, lives, strong, clusterOf))
    .filter((server): server is ServerView => server !== undefined);
  servers.push(...fromOthersAlone(state, told, servers));
  distinctNames(servers);
  servers.sort((a, b) => order(a.cluster, b.cluster) || order(a.name, b.name));
  const byLife = new Map<Life, ServerView>();
  for (const server of servers)
    for (const boot of server.boots) for (const life of boot.lives) if (!life.writer.mixed) byLife.set(life, server);
  return {
    all: servers,
    of: (life) => byLife.get(life),
    cluster: clusterOf(undefined),
    partial: unknown.length > 0 || writers.some((writer) => writer.mixed),
  };
}

function addStrong(union: Union<Life>, writer: Writer, cluster: string): void {
  let before: Life | undefined;
  let identity = '';
  for (const life of writer.lives) {
    union.add(life);
    if (bootID(life) !== '') union.key(life, `boot ${bootID(life)}`);
    if (life.identity !== '') union.key(life, `identity ${cluster} ${life.identity}`);
    // Lives that follow one another in a stream are one server's, unless servers take turns there or another's log was appended.
    const another = identity !== '' && life.identity !== '' && life.identity !== identity;
    if (before !== undefined && !writer.mixed && !another) union.join(life, before);
    identity = life.identity || identity;
    before = life;
  }
  const [first] = writer.lives;
  if (first !== undefined && writer.input.server !== undefined)
    union.key(first, `configured ${cluster} ${writer.input.server}`);
}

function identityOfWriter(writer: Writer): string | undefined {
  return writer.identities.size === 1 && !writer.mixed ? [...writer.identities][0] : undefined;
}

/** Identities that leases or the logs of peers name, sorted. */
function identitiesTold({ leases, calls }: State): string[] {
  return [...new Set([...leases.identities(), ...calls.identities.values(), ...calls.named])].sort();
}

function knownIdentities(
  told: readonly string[],
  strong: ReadonlyMap<Writer, string | undefined>,
): ReadonlySet<string> {
  const known = new Set(told);
  for (const identity of strong.values()) if (identity !== undefined) known.add(identity);
  return known;
}

/** Input names are the weakest evidence: they join only what has no better, and only to one server. */
function addByName(
  union: Union<Life>,
  writers: readonly Writer[],
  strong: Map<Writer, string | undefined>,
  identities: ReadonlySet<string>,
  clusterOf: ClusterOf,
): void {
  const byStem = new Map<string, Writer[]>();
  for (const writer of writers) {
    const life = writer.lives[0];
    if (life === undefined || writer.mixed || writer.input.server !== undefined) continue;
    if (strong.get(writer) === undefined) {
      const host = hostsOfInput(writer.input).find((word) => identities.has(identityOf(word)));
      if (host !== undefined) {
        strong.set(writer, identityOf(host));
        union.key(life, `identity ${clusterOf(writer)} ${identityOf(host)}`);
      }
    }
    const stem = stemOfInput(writer.input);
    if (stem === '') continue;
    const key = `${clusterOf(writer)} ${stem}`;
    byStem.set(key, [...(byStem.get(key) ?? []), writer]);
  }
  for (const named of byStem.values()) joinByStem(union, named, strong);
}

function joinByStem(
  union: Union<Life>,
  named: readonly Writer[],
  strong: ReadonlyMap<Writer, string | undefined>,
): void {
  const anchors = new Set(
    named.filter((writer) => strong.get(writer) !== undefined).map((writer) => strong.get(writer)),
  );
  if (anchors.size > 1) return;
  const boots = named.filter((writer) => writer.lives.some((life) => life.uid !== ''));
  const anchor = named.find((writer) => strong.get(writer) !== undefined) ?? boots[0] ?? named[0];
  for (const writer of named) {
    const [a, b] = [writer.lives[0], anchor?.lives[0]];
    if (a !== undefined && b !== undefined) union.join(a, b);
  }
}

function view(
  state: State,
  lives: readonly Life[],
  strong: ReadonlyMap<Writer, string | undefined>,
  clusterOf: ClusterOf,
): ServerView | undefined {
  const writers = [...new Set(lives.map((life) => life.writer))].sort(
    (a, b) => order(a.input.name, b.input.name) || a.id - b.id,
  );
  const records = writers.some((writer) => writer.audit > 0 || writer.logs > 0);
  const documents = [...state.documents.entries()].filter(([writer]) => writers.includes(writer)).map(([, d]) => d);
  if (!records && documents.length === 0) return undefined;
  // Of servers that log in turns only their own events tell which one it is.
  if (lives.every((life) => life.writer.mixed && life.uid === '') && documents.length === 0) return undefined;
  const identity = identityOfGroup(lives, writers, strong);
  const leases = identity === null ? [] : state.leases.of(identity);
  const configured = writers.find((writer) => writer.input.server !== undefined)?.input.server;
  const hostname = leases.find((lease) => lease.hostname !== '')?.hostname ?? hostFromNames(writers, identity);
  const stem = writers.map((writer) => stemOfInput(writer.input)).find((name) => name !== '');
  const server: ServerView = {
    name: configured ?? hostname ?? stem ?? identity ?? UNKNOWN,
    cluster: clusterOf(writers[0]),
    identity,
    hostname,
    knownBy: knownBy(configured, identity, lives, writers, stem),
    writers,
    boots: [],
    leases,
    documents,
    hasAudit: writers.some((writer) => writer.audit > 0 && !writer.mixed),
    hasLog: writers.some((writer) => writer.logs > 0 && !writer.mixed),
    outgoing: new Set(),
  };
  server.boots.push(...bootsOf(server, lives, state));
  return server;
}

function identityOfGroup(
  lives: readonly Life[],
  writers: readonly Writer[],
  strong: ReadonlyMap<Writer, string | undefined>,
): string | null {
  const named = lives.find((life) => life.identity !== '');
  if (named !== undefined) return named.identity;
  return writers.map((writer) => strong.get(writer)).find((identity) => identity !== undefined) ?? null;
}

function hostFromNames(writers: readonly Writer[], identity: string | null): string | null {
  if (identity === null) return null;
  for (const writer of writers) {
    const host = hostsOfInput(writer.input).find((word) => identityOf(word) === identity);
    if (host !== undefined) return host;
  }
  return null;
}

function knownBy(
  configured: string | undefined,
  identity: string | null,
  lives: readonly Life[],
  writers: readonly Writer[],
  stem: string | undefined,
): string {
  if (configured !== undefined) return '--server';
  if (lives.every((life) => life.writer.mixed))
    return 'its own renewals in an input that several servers write in turns, so that other records cannot be told apart';
  if (lives.some((life) => life.renewals > 0)) return 'own lease renewals';
  if (lives.some((life) => life.identity !== '')) return 'own lease in its log';
  const named = writers.some((writer) => writer.input.writer !== undefined);
  if (identity !== null) return named ? 'host name in its envelopes' : 'host name in the input name';
  if (lives.some((life) => life.uid !== '')) return 'boot ID';
  if (named) return 'its envelopes';
  return stem === undefined ? 'nothing: its inputs do not say who wrote them' : 'input name';
}

/** Servers of which only a lease or a peer's log tells: no log of theirs is among the inputs. */
function fromOthersAlone(state: State, told: readonly string[], servers: readonly ServerView[]): ServerView[] {
  const known = new Set(servers.map((server) => server.identity));
  return told
    .filter((identity) => !known.has(identity))
    .map((identity) => {
      const leases = state.leases.of(identity);
      const hostname = leases.find((lease) => lease.hostname !== '')?.hostname ?? null;
      return {
        name: hostname ?? identity,
        cluster: servers[0]?.cluster ?? DEFAULT_CLUSTER,
        identity,
        hostname,
        knownBy: leases.length > 0 ? 'identity lease only' : "a peer's log only",
        writers: [],
        boots: [],
        leases,
        documents: [],
        hasAudit: false,
        hasLog: false,
        outgoing: new Set<string>(),
      };
    });
}

/** Servers of one name in one cluster are told apart by a number, in the order of their inputs' names. */
function distinctNames(servers: readonly ServerView[]): void {
  const taken = new Map<string, number>();
  const inOrder = [...servers].sort((a, b) => order(a.writers[0]?.input.name ?? '', b.writers[0]?.input.name ?? ''));
  for (const server of inOrder) {
    const key = `${server.cluster} ${server.name}`;
    const times = (taken.get(key) ?? 0) + 1;
    taken.set(key, times);
    if (times > 1) server.name = `${server.name}-${times}`;
  }
}

type ClusterOf = (writer: Writer | undefined) => string;

/** Where one cluster alone is named, what names none is of it too. */
function clustersOf({ writers, named }: State): ClusterOf {
  const own = new Set(writers.all.flatMap(({ input }) => input.cluster ?? []));
  const unclear = named.size > 1 && writers.all.some(({ input }) => input.cluster === undefined);
  const usual = own.size === 1 && !unclear ? [...own].join() : DEFAULT_CLUSTER;
  return (writer) => writer?.input.cluster ?? usual;
}

export function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
