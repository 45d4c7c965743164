/** Who wrote what stands in an envelope, made of what the envelope says about it. */
import { parseTimestamp } from '../audit/timestamp.js';
import type { SenderName } from '../outbox.js';

/** What an envelope says, as it stands there; absent parts are ''. */
export interface Facts {
  readonly pod: string;
  /** The node or host. */
  readonly host: string;
  /** The container, or the unit or the like where there is none. */
  readonly component: string;
  readonly cluster: string;
  /** The program that OpenShift's collector names: kubeAPI, openshiftAPI, auditd, … */
  readonly source: string;
  /** The file that was collected. */
  readonly file: string;
  /** stdout or stderr. */
  readonly stream: string;
  /** When it was collected. */
  readonly time: string;
}

export interface Sender extends SenderName {
  /** Known to be another program than an API server. */
  readonly foreign: boolean;
  readonly stream: string;
  /** When the record was collected, in microseconds since the epoch: good for a year only. 0 when unknown. */
  readonly timeUs: number;
}

export const NO_FACTS: Facts = {
  pod: '',
  host: '',
  component: '',
  cluster: '',
  source: '',
  file: '',
  stream: '',
  time: '',
};
export const NOBODY: Sender = { writer: '', cluster: '', foreign: false, stream: '', timeUs: 0 };

const NAME = /^[A-Za-z0-9][A-Za-z0-9._:/-]{0,252}$/;
/** Keys and the like that stand where a name might: numbers, UUIDs, a host that says nothing. */
const NO_HOST = /^(?:localhost|null|\d+|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/;
/** Names of the static pods of kubeadm and its like, and of EKS's log streams. */
const STATIC_POD = /^kube-apiserver-(?:audit-)?(.+)$/;
/** A pod of a Deployment: its name says nothing about a node. */
const DEPLOYED_POD = /-[bcdfghjklmnpqrstvwxz2456789]{6,10}-[bcdfghjklmnpqrstvwxz2456789]{5}$/;
/** Docker's name for a container of a pod. */
const DOCKER_NAME = /^k8s_([^_]+)_([^_]+)_[^_]+_/;
const POD_FILE = /(?:^|\/)pods\/[^/_]+_([^/_]+)_[^/]+\/([^/]+)\/[^/]*$/;
const CONTAINER_FILE = /(?:^|\/)containers\/([^/_]+)_[^/_]+_([^/]+)-[0-9a-f]{64}\.log$/;
const OURS = /api-?server|audit|k3s|rke2|k0s|kubelite/i;
/** Helpers of API servers that log like them. */
const HELPERS =
  /operator|check-endpoints|cert-syncer|cert-regeneration|insecure-readyz|proxy|kubelet|controller-manager/i;
const CLUSTER_PATH = /^\/aws\/eks\/([^/]+)\/|\/managedclusters\/([^/]+)/i;
const CONTAINER_ID = /^[0-9a-f]{12,64}$/;

/** The sender that an envelope names inside of `outer`'s; what it leaves open is taken over from there. */
export function senderOf(facts: Facts, outer: Sender): Sender {
  const [pod, container] = podOf(facts);
  const names = [container, facts.component, pod].filter((name) => name !== '' && !CONTAINER_ID.test(name));
  const said = facts.source !== '' || names.length > 0;
  const foreign = said ? isForeign(names, facts.source) : outer.foreign;
  return {
    writer: writerOf(pod, foreign, facts) || outer.writer,
    cluster: clusterOf(facts.cluster) || outer.cluster,
    foreign,
    stream: facts.stream === '' ? outer.stream : facts.stream,
    timeUs: timeOf(facts.time) || outer.timeUs,
  };
}

function podOf({ pod, host, component, file }: Facts): readonly [pod: string, container: string] {
  const docker = DOCKER_NAME.exec(pod);
  if (docker !== null) return [docker[2] ?? '', docker[1] ?? ''];
  if (pod !== '') return [pod, component];
  // A pod's host name is its own, and a log stream's name stands where a host's would.
  if (STATIC_POD.test(host)) return [host, component];
  const match = POD_FILE.exec(file) ?? CONTAINER_FILE.exec(file);
  return match === null ? ['', component] : [match[1] ?? '', match[2] ?? component];
}

/** The most specific name decides, as far as it says anything. */
function isForeign(names: readonly string[], source: string): boolean {
  if (source !== '' && !source.endsWith('API')) return names.every((name) => !OURS.test(name));
  for (const name of names) {
    if (HELPERS.test(name)) return true;
    if (OURS.test(name)) return false;
  }
  return names.length > 0;
}

/** A node where the pod's name holds one; a pod that is no API server's speaks for itself only. */
function writerOf(pod: string, foreign: boolean, { host, source, file }: Facts): string {
  const ownName = foreign || (OURS.test(pod) && DEPLOYED_POD.test(pod));
  const node = ownName ? pod : (STATIC_POD.exec(pod)?.[1] ?? '');
  const name = [node, host, pod, serverFile(file)].map(normalized).find((each) => each !== '');
  if (name === undefined) return '';
  return source === '' || source === 'kubeAPI' ? name : `${name}/${normalized(source)}`;
}

/** A host name as one server's records all give it. */
function normalized(name: string): string {
  const plain = name.trim().replace(/\.$/, '').toLowerCase();
  return NAME.test(plain) && !NO_HOST.test(plain) ? plain : '';
}

/** EKS names its cluster in `/aws/eks/NAME/cluster`, AKS in a resource's path, whose case differs by place. */
function clusterOf(text: string): string {
  const path = CLUSTER_PATH.exec(text);
  const name = path === null ? text.trim() : (path[1] ?? path[2] ?? '').toLowerCase();
  return NAME.test(name) ? name : '';
}

/** must-gather's `<node>-audit.log`. The usual names say nothing: they are the same on each node. */
function serverFile(file: string): string {
  return /(?:^|\/)([^/]+)-audit(?:-\d{4}-[^/]*)?\.log(?:\.gz)?$/.exec(file)?.[1] ?? '';
}

/** Texts in RFC 3339, and counts of seconds, milli-, micro- or nanoseconds. */
function timeOf(text: string): number {
  if (text === '') return 0;
  if (!/^\d{9,19}(?:\.\d+)?$/.test(text)) return parseTimestamp(text);
  let us = Number(text);
  if (us === 0) return 0;
  while (us < 1e14) us *= 1000;
  while (us > 1e17) us /= 1000;
  return Math.round(us);
}
