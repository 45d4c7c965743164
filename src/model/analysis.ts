/** The result of an analysis, before it is rendered: what correlation, rules and inputs say together. */
import type { Edge, Finding, Unjudged } from './finding.js';
import type { Observation, PeerCallCause } from './observations/index.js';
import type { ProblemReason } from './record.js';

/** The cluster of what names none, where not exactly one is named. */
export const DEFAULT_CLUSTER = 'default';

/** Between a cluster's name and the number of one of its parts; hardly a name has it, a hyphen many have. */
const PART = '~';

/** What the part of a cluster is called whose storage is not that of the first one; `number` from 2. */
export function partName(cluster: string, number: number): string {
  return `${cluster}${PART}${number}`;
}

/** The cluster by whose name the records of this one go: itself, but for what `partName` gave. */
export function wholeOf(cluster: string): string {
  return cluster.replace(/(?<=.)~\d+$/s, '');
}

export interface InputSummary {
  /** Where the user or the input itself named it. */
  readonly cluster?: string;
  readonly name: string;
  readonly kind: string;
  readonly bytes: number;
  readonly records: number;
  /** The server it was attributed to; null when it could not be, or when it holds several. */
  readonly server: string | null;
  readonly problems: Readonly<Partial<Record<ProblemReason, number>>>;
}

export interface ServerSummary {
  readonly name: string;
  readonly cluster: string;
  readonly identity: string | null;
  readonly addresses: readonly string[];
  readonly peerAddress: string | null;
  /** In time order; `to` is the last sign of life in that version. Microseconds. */
  readonly versions: readonly { readonly version: string; readonly from: number; readonly to: number }[];
  readonly peerProxy: 'active' | 'inactive' | 'unknown';
  /** How the server's identity is known, in words: `identity lease`, `file name`, `--server`. */
  readonly knownBy: string;
  readonly starts: readonly number[];
  readonly stops: readonly number[];
  /** The node on which it runs, as requests about nodes tell, where nothing else gives the server a name; for people alone. */
  readonly node?: string;
}

export interface Route {
  readonly cluster?: string;
  readonly source: string;
  readonly destination: string;
  readonly verb: string;
  readonly resource: string;
  readonly code: number | null;
  readonly count: number;
  readonly hopMs: { readonly p50: number; readonly p99: number; readonly max: number } | null;
}

export interface DiscoveryCell extends Edge {
  readonly cluster?: string;
  readonly state: 'ok' | 'failing' | 'missing' | 'unknown';
  readonly fetches: number;
  readonly failures: number;
  readonly lastAt: number | null;
  readonly cause: PeerCallCause | null;
}

export interface NotFoundSummary {
  readonly cluster?: string;
  readonly server: string;
  readonly resource: string;
  readonly kind: 'wrong' | 'object' | 'unknown-type' | 'undecided';
  readonly count: number;
  readonly clients: readonly string[];
}

/** What the time that was asked for leaves out. */
export interface LeftOut {
  /** Records of other times, which were not looked at. */
  readonly records: number;
  /** Records of that time. */
  readonly kept: number;
  /** First and last time of all of them, in microseconds; null when no record has a time. */
  readonly recorded: { readonly from: number; readonly to: number } | null;
}

export interface Analysis {
  readonly inputs: readonly InputSummary[];
  readonly window: { readonly from: number; readonly to: number } | null;
  readonly servers: readonly ServerSummary[];
  readonly clusters: readonly string[];
  readonly proxied: { readonly total: number; readonly failed: number; readonly routes: readonly Route[] };
  readonly discovery: readonly DiscoveryCell[];
  readonly notFound: readonly NotFoundSummary[];
  readonly findings: readonly Finding[];
  readonly unjudged: readonly Unjudged[];
  /** Present when a part of time was asked for and something lies outside of it. */
  readonly leftOut?: LeftOut;
}

/**
 * What the inputs can show at all; rules name what they need of it (`needs:`), and a rule whose needs are not met
 * is listed under `unjudged` with the words given here.
 */
export const CAPABILITIES = {
  audit: 'no audit log of one kube-apiserver was read (where several write by turns, they cannot be told apart)',
  'process-log':
    'no process log of one kube-apiserver was read (where several write by turns, they cannot be told apart)',
  'all-process-logs': 'the process log of at least one server is missing',
  'peer-discovery-audit':
    'the audit policy leaves out non-resource requests (/api, /apis), so peer discovery leaves no trace',
  'lease-bodies':
    'lease bodies are neither in the audit log (level Request or above for leases) nor given as a lease list',
  flags: 'no FLAG lines: the process log starts later or verbosity is below 1',
  'two-servers': 'only one server wrote what was read, so nothing can be compared',
  'discovery-documents': 'no merged discovery document was given',
  'own-discovery-documents':
    'no server gave its discovery both with its peers and without them (profile=nopeer), so what it lists for others is not known',
  'lease-list':
    'no list of identity leases was given with the discovery documents, so which servers ran then is not known',
  'all-servers': 'a server may have run of which no audit or process log was given, so what it serves is not known',
  'controller-requests': 'no request of a garbage collector or namespace controller was recorded',
} as const;
export type Capability = keyof typeof CAPABILITIES;

/** What correlation hands to the rules and the reports. */
export interface Snapshot extends Omit<Analysis, 'findings' | 'unjudged' | 'inputs'> {
  readonly observations: readonly Observation[];
  /** Input id → name of the server that wrote it, where that is one server. */
  readonly writers: ReadonlyMap<number, string>;
  /** What the inputs of any cluster can show. */
  readonly capabilities: ReadonlySet<Capability>;
  /** What the inputs of each cluster can show, by its name. */
  readonly capabilitiesOf: ReadonlyMap<string, ReadonlySet<Capability>>;
}
