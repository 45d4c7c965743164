/** Which writers are a kube-apiserver, and of which of them nothing tells whose part of a log they are. */
import { MINUTE } from '../../model/time.js';
import { identityOf } from '../identity/identity-hash.js';
import { hostsOfInput, stemOfInput } from '../identity/input-name.js';
import type { Writer } from '../writer.js';

/** Binaries that are a kube-apiserver, alone or with others in one process. */
const APISERVER_BINARY = /^(kube-apiserver|k3s|rke2|k0s|hyperkube|microshift|openshift|hypershift)/;
/** A server renews its lease every 10 s: whose audit log shows none for so long has another policy, and is no mere part. */
const PART = MINUTE / 2;

export interface Candidates {
  readonly writers: readonly Writer[];
  /** A kube-apiserver's, but nobody knows whose. */
  readonly unknown: readonly Writer[];
}

/** `identities` are those of all servers that leases or peers tell of. */
export function candidates(all: readonly Writer[], identities: readonly string[]): Candidates {
  const writers = apiservers(all);
  const known = new Set([...identities, ...writers.flatMap((writer) => [...writer.identities])]);
  const unknown = new Set([
    ...(writers.some(isMarked) ? nameless(writers, known) : []),
    ...(writers.some(isTold) ? unnamedInKafka(writers, known) : []),
  ]);
  const logs = [...unknown].filter((writer) => writer.audit === 0);
  // A process log says seldom whose it is. As many as there are servers may be one each; more cannot.
  if (logs.length <= known.size) for (const writer of logs) unknown.delete(writer);
  return { writers: writers.filter((writer) => !unknown.has(writer)), unknown: [...unknown] };
}

/** Writers too short to have told whose they are, of which no other of their name told it. */
function nameless(writers: readonly Writer[], identities: ReadonlySet<string>): Writer[] {
  const groups = new Map<string, Writer[]>();
  for (const writer of writers) {
    const stem = stemOfInput(writer.input);
    const key = stem === '' ? `#${writer.id}` : `${writer.input.cluster ?? ''} ${stem}`;
    groups.set(key, [...(groups.get(key) ?? []), writer]);
  }
  const isNamed = (writer: Writer) =>
    writer.input.server !== undefined ||
    writer.mixed ||
    isMarked(writer) ||
    hostsOfInput(writer.input).some((word) => identities.has(identityOf(word)));
  return [...groups.values()].filter((group) => !group.some(isNamed) && isShort(group)).flat();
}

/** What lies in a partition and names nobody may be any server's: however long, it is none of its own beside those that are told. */
function unnamedInKafka(writers: readonly Writer[], identities: ReadonlySet<string>): Writer[] {
  return writers.filter(
    (writer) =>
      writer.input.kind === 'kafka' &&
      writer.audit > 0 &&
      !writer.mixed &&
      !isTold(writer) &&
      !hostsOfInput(writer.input).some((word) => identities.has(identityOf(word))),
  );
}

function isTold(writer: Writer): boolean {
  return writer.input.server !== undefined || writer.input.writer !== undefined || isMarked(writer);
}

/** The boot or the server is told by what it wrote. */
function isMarked(writer: Writer): boolean {
  return writer.identities.size > 0 || writer.lives.some((life) => life.uid !== '');
}

function isShort(group: readonly Writer[]): boolean {
  const lives = group.flatMap((writer) => writer.lives).filter((life) => life.from <= life.to);
  // Documents have no time, and are of whom their name says.
  if (lives.length === 0) return false;
  if (!group.some((writer) => writer.audit > 0)) return true;
  return Math.max(...lives.map((life) => life.to)) - Math.min(...lives.map((life) => life.from)) < PART;
}

/**
 * Writers of an apiserver, or of documents about one; not those of an aggregated API server or another component. A log
 * that shows nothing of either says nothing against the others of its name: errors alone are left of many a process log.
 */
function apiservers(all: readonly Writer[]): Writer[] {
  const stems = (of: (writer: Writer) => boolean) => new Set(all.filter(of).map((writer) => stemOfInput(writer.input)));
  const foreign = stems((writer) => isForeign(writer));
  const proven = stems((writer) => isProven(writer) && !isForeign(writer));
  // Audit events are an apiserver's own; a part of a log may hold nothing that tells whose it is, the others of its name do.
  const audited = stems((writer) => writer.audit > 0 && !isForeign(writer));
  return all.filter((writer) => {
    if (writer.input.server !== undefined) return true;
    if (isForeign(writer)) return false;
    if (isProven(writer)) return true;
    const stem = stemOfInput(writer.input);
    if (stem !== '' && proven.has(stem)) return true;
    if (stem !== '' && foreign.has(stem)) return false;
    return writer.audit > 0 || writer.logs === 0 || (stem !== '' && audited.has(stem));
  });
}

function isProven(writer: Writer): boolean {
  return writer.identities.size > 0 || writer.apiserverLog || writer.binaries.size > 0;
}

/** What it wrote is another component's: an aggregated API server's, which has no lease and another name. */
function isForeign(writer: Writer): boolean {
  if (writer.identities.size > 0 || writer.apiserverLog) return false;
  const known = writer.binaries.size > 0;
  return writer.aggregated || (known && ![...writer.binaries].some((name) => APISERVER_BINARY.test(name)));
}
