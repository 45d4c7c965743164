/** Single lines as kube-apiserver 1.36 writes them: audit events in its field order, klog text, identity leases. */
import { createHash } from 'node:crypto';

/** 2026-05-05T10:00:00Z, in microseconds: when the stories of the tests begin. */
export const T0 = Date.UTC(2026, 4, 5, 10) * 1000;
export const MS = 1_000;
export const SEC = 1_000_000;
export const MIN = 60 * SEC;

/** A line with the time by which its log is sorted. */
export interface DatedLine {
  readonly at: number;
  readonly text: string;
}

export interface ResourceRef {
  readonly resource: string;
  readonly apiGroup?: string;
  readonly apiVersion?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
}

export interface EventFields {
  readonly auditID: string;
  readonly stage: 'RequestReceived' | 'ResponseStarted' | 'ResponseComplete' | 'Panic';
  readonly verb: string;
  readonly requestURI: string;
  readonly user: Readonly<Record<string, unknown>>;
  readonly sourceIPs: readonly string[];
  readonly received: number;
  /** Time of the stage. */
  readonly at: number;
  readonly level?: string;
  readonly userAgent?: string;
  readonly impersonated?: string;
  readonly objectRef?: ResourceRef;
  readonly status?: Readonly<Record<string, unknown>>;
  readonly requestObject?: unknown;
}

/** One event as one line without its end, `&`, `<` and `>` escaped as Go does. */
export function auditLine(event: EventFields): string {
  const answered = event.stage !== 'RequestReceived';
  const json = JSON.stringify({
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level: event.level ?? 'Metadata',
    auditID: event.auditID,
    stage: event.stage,
    requestURI: event.requestURI,
    verb: event.verb,
    user: event.user,
    impersonatedUser: event.impersonated !== undefined && answered ? { username: event.impersonated } : undefined,
    sourceIPs: event.sourceIPs,
    userAgent: event.userAgent === '' ? undefined : event.userAgent,
    objectRef: event.objectRef,
    responseStatus: answered ? event.status : undefined,
    requestObject: answered ? event.requestObject : undefined,
    requestReceivedTimestamp: timestamp(event.received),
    stageTimestamp: timestamp(event.at),
    annotations:
      event.stage === 'ResponseComplete' || event.stage === 'Panic'
        ? { 'authorization.k8s.io/decision': 'allow', 'authorization.k8s.io/reason': '' }
        : undefined,
  });
  return json.replaceAll('&', '\\u0026').replaceAll('<', '\\u003c').replaceAll('>', '\\u003e');
}

/** `I0505 10:00:00.000000   22227 file.go:264] text`. */
export function klogLine(at: number, severity: 'I' | 'W' | 'E' | 'F', file: string, text: string): string {
  const time = timestamp(at);
  return `${severity}${time.slice(5, 7)}${time.slice(8, 10)} ${time.slice(11, 26)}   22227 ${file}:264] ${text}`;
}

/** A text that always looks like a UUID and depends on the seed alone. */
export function uuidOf(seed: string): string {
  const hex = createHash('sha256').update(seed).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

export function leaseObject(name: string, hostname: string, peerAddress: string, renewed: number, created: number) {
  return {
    kind: 'Lease',
    apiVersion: 'coordination.k8s.io/v1',
    metadata: {
      name,
      namespace: 'kube-system',
      creationTimestamp: `${timestamp(created).slice(0, 19)}Z`,
      labels: { 'apiserver.kubernetes.io/identity': 'kube-apiserver', 'kubernetes.io/hostname': hostname },
      ...(peerAddress === '' ? {} : { annotations: { 'kubernetes.io/peer-advertise-address': peerAddress } }),
    },
    spec: { holderIdentity: `${name}_${uuidOf(name)}`, leaseDurationSeconds: 3600, renewTime: timestamp(renewed) },
  };
}

export function timestamp(us: number): string {
  const ms = Math.floor(us / 1000);
  return `${new Date(ms).toISOString().slice(0, -1)}${String(us - ms * 1000).padStart(3, '0')}Z`;
}
