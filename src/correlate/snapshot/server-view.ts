/** Servers as a snapshot sees them: the lives of all their inputs put together. */

import type { ServerDocuments } from '../documents.js';
import type { LeaseFact } from '../identity/lease-book.js';
import type { LogFacts } from '../log-facts.js';
import type { Life, Writer } from '../writer.js';

/** One boot of one server, from its audit log and its process log together. Times in microseconds. */
export interface Boot {
  readonly server: ServerView;
  readonly lives: readonly Life[];
  readonly version: string;
  readonly from: number;
  readonly to: number;
  /** From the first to the last record that carries this boot's own mark. */
  readonly markedFrom: number;
  readonly markedTo: number;
  /** 0 when the records begin in the middle of the boot. */
  readonly startSeenAt: number;
  /** 0 when no graceful stop was seen. */
  readonly stoppedAt: number;
  readonly localDiscoveryAt: number;
  readonly loopbackNonResourceAt: number;
  readonly log: readonly LogFacts[];
}

export interface ServerView {
  name: string;
  cluster: string;
  readonly identity: string | null;
  readonly hostname: string | null;
  readonly knownBy: string;
  readonly writers: readonly Writer[];
  /** In time order. */
  readonly boots: Boot[];
  readonly leases: readonly LeaseFact[];
  readonly documents: readonly ServerDocuments[];
  readonly hasAudit: boolean;
  readonly hasLog: boolean;
  /** Addresses that its peers see it come from. */
  readonly outgoing: Set<string>;
}

/** `host` of `host:port` and `[v6]:port`. */
export function hostOf(address: string): string {
  const bracket = /^\[(.*)\](?::\d+)?$/.exec(address);
  if (bracket !== null) return bracket[1] ?? '';
  const colon = address.lastIndexOf(':');
  return colon < 0 || address.indexOf(':') !== colon ? address : address.slice(0, colon);
}

/** The boot began within the records: its start was seen, or another boot of the server stands before it. */
export function isStart(boot: Boot): boolean {
  return boot.startSeenAt !== 0 || boot.server.boots[0] !== boot;
}

/** True while the boot runs and has run for `grace` at least, and is not shutting down. */
export function isUp(boot: Boot, timeUs: number, grace: number): boolean {
  if (timeUs < boot.from + (isStart(boot) ? grace : 0)) return false;
  return timeUs <= (boot.stoppedAt === 0 ? boot.to : Math.min(boot.to, boot.stoppedAt));
}

/** The address the newest lease tells the peers; null when no lease body was seen, '' when it has none. */
export function peerAddressOf(server: ServerView): string | null {
  return server.leases.at(-1)?.peerAddress ?? null;
}

/** A server that was replaced by another on the same address never ran beside it, though its lease may stay for an hour. */
export function ranTogether(one: ServerView, other: ServerView): boolean {
  return spansOf(one).some((a) => spansOf(other).some((b) => a.from < b.to && b.from < a.to));
}

/** When a server ran: by its own records, else from the making of its lease to the last renewal that is known, else always. */
function spansOf({ boots, leases }: ServerView): readonly { readonly from: number; readonly to: number }[] {
  if (boots.length > 0) return boots;
  if (leases.length === 0) return [{ from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY }];
  return leases.map(({ createdUs, to }) => ({ from: createdUs === 0 ? Number.NEGATIVE_INFINITY : createdUs, to }));
}
