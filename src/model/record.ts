/** What the formats stage gives: one record for each thing that an apiserver wrote. */
import type { Origin } from './origin.js';

export type Stage = 'RequestReceived' | 'ResponseStarted' | 'ResponseComplete' | 'Panic';
export type Level = 'None' | 'Metadata' | 'Request' | 'RequestResponse';

/** A stretch of the bytes an event was decoded from: `bytes.subarray(start, end)` is one JSON value. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * One audit.k8s.io Event, flat, with only the fields that stages read. Absent strings are '', absent numbers 0.
 * `bytes` is the chunk the event lies in: whoever keeps an event keeps the chunk, so keep fields, not events.
 */
export interface AuditEvent {
  readonly type: 'audit';
  readonly line: number;
  readonly offset: number;
  readonly bytes: Buffer;
  /** The event's own JSON text in `bytes`. */
  readonly start: number;
  readonly end: number;
  readonly level: Level;
  readonly stage: Stage;
  readonly auditID: string;
  readonly requestURI: string;
  readonly verb: string;
  /** user.username; '' for the `user: {}` of a rejected request. */
  readonly username: string;
  readonly userUID: string;
  /** user.groups joined by ','. */
  readonly groups: string;
  /** impersonatedUser.username; '' when nobody is impersonated. */
  readonly impersonated: string;
  /** sourceIPs joined by ','. The last one is the TCP peer; the others are claims. */
  readonly sourceIPs: string;
  readonly userAgent: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly apiGroup: string;
  readonly apiVersion: string;
  readonly subresource: string;
  /** responseStatus.code; 0 when there is none. */
  readonly code: number;
  /** responseStatus.status, .reason and .message: all '' in the bare form that a proxied answer leaves. */
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  /** Microseconds since the epoch; 0 when absent or unreadable. */
  readonly receivedUs: number;
  /** stageTimestamp, else requestReceivedTimestamp, else timestamp. */
  readonly timeUs: number;
  /** annotations["authorization.k8s.io/decision"]. */
  readonly decision: string;
  /** annotations["audit.k8s.io/truncated"] is "true", or a shipper cut the record. */
  readonly truncated: boolean;
  readonly requestObject: ByteRange | undefined;
  readonly responseObject: ByteRange | undefined;
}

/** All that an event says, as an object of its own that may be kept: without the bytes it lies in, and so without bodies. */
export function detachEvent(event: AuditEvent): AuditEvent {
  const { type, line, offset, start, end, level, stage, auditID, requestURI, verb } = event;
  const { username, userUID, groups, impersonated, sourceIPs, userAgent } = event;
  const { resource, namespace, name, apiGroup, apiVersion, subresource } = event;
  const { code, status, reason, message, receivedUs, timeUs, decision, truncated } = event;
  return {
    ...{ type, line, offset, start, end, level, stage, auditID, requestURI, verb },
    ...{ username, userUID, groups, impersonated, sourceIPs, userAgent },
    ...{ resource, namespace, name, apiGroup, apiVersion, subresource },
    ...{ code, status, reason, message, receivedUs, timeUs, decision, truncated },
    ...{ bytes: Buffer.alloc(0), requestObject: undefined, responseObject: undefined },
  };
}

/** One klog line (text or JSON) of a process log, multi-line values joined. */
export interface LogLine {
  readonly type: 'log';
  readonly line: number;
  readonly offset: number;
  readonly timeUs: number;
  readonly severity: 'I' | 'W' | 'E' | 'F';
  /** Source file without directory, as in `peerproxy_handler.go`. Line numbers differ by version: match on text. */
  readonly file: string;
  /** The message; for structured lines the part in quotes (text form) or `msg` (JSON form). */
  readonly message: string;
  /** Structured key/value pairs, unquoted; undefined for printf lines. */
  readonly fields: ReadonlyMap<string, string> | undefined;
  /** The whole record as it stood, cut to at most 2000 characters. */
  readonly text: string;
}

/** An identity lease (kube-system/apiserver-<hash>) as an apiserver returned it. */
export interface Lease {
  readonly type: 'lease';
  readonly line: number;
  readonly offset: number;
  readonly name: string;
  readonly hostname: string;
  readonly holder: string;
  /** Annotation kubernetes.io/peer-advertise-address, `host:port`; '' when absent (gate off). */
  readonly peerAddress: string;
  readonly createdUs: number;
  readonly renewedUs: number;
}

/** An aggregated discovery document (APIGroupDiscoveryList) as an apiserver returned it. */
export interface DiscoveryDocument {
  readonly type: 'discovery';
  readonly line: number;
  readonly offset: number;
  /** `merged` or `nopeer` where the input's name says so, else `unknown`: the document itself does not. */
  readonly view: 'merged' | 'nopeer' | 'unknown';
  /** Served resources as `resource.group/version`, core as `pods/v1`. */
  readonly resources: readonly string[];
}

/** One sample of a Prometheus exposition. */
export interface MetricSample {
  readonly type: 'metric';
  readonly line: number;
  readonly offset: number;
  readonly name: string;
  readonly labels: ReadonlyMap<string, string>;
  readonly value: number;
}

/** One `FLAG: --name="value"` line. timeUs is 0 when the line had no header. */
export interface Flag {
  readonly type: 'flag';
  readonly line: number;
  readonly offset: number;
  readonly timeUs: number;
  readonly name: string;
  readonly value: string;
}

export type Rec = AuditEvent | LogLine | Lease | DiscoveryDocument | MetricSample | Flag;

/** Why a piece of input did not become a record. Each is counted per input; none is dropped in silence. */
export type ProblemReason =
  | 'cut-line'
  | 'not-json'
  | 'not-audit'
  | 'unknown-line'
  | 'line-too-long'
  | 'nul-bytes'
  | 'not-utf8'
  | 'bad-timestamp'
  | 'truncated-gzip'
  | 'damaged-gzip'
  | 'json-too-deep'
  | 'unreadable'
  | 'late'
  | 'outside-time'
  | 'duplicate';

/** A problem with its place, for messages: `cp1-audit.log:17: …`. */
export interface Problem {
  readonly reason: ProblemReason;
  readonly origin: Origin;
  readonly detail: string;
}
