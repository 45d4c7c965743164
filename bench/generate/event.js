/** One request as the audit events that one kube-apiserver writes about it, in the field order of kube-apiserver. */
import { HOLE } from './template.js';

/**
 * @typedef {object} Call
 * @property {string} verb
 * @property {string} uri
 * @property {{username: string, uid?: string, groups: string[], extra?: Record<string, string[]>}} user
 * @property {string[]} sourceIPs
 * @property {string} [userAgent]
 * @property {Record<string, string>} [ref] objectRef
 * @property {string} [createdName] what objectRef.name becomes once the body was decoded
 * @property {number} [code] 200 unless said
 * @property {Record<string, unknown>} [status] the rest of responseStatus
 * @property {string} [reason] annotation authorization.k8s.io/reason; RBAC's words for ordinary users
 * @property {object} [request] body; with one the level is RequestResponse
 * @property {object} [response]
 * @property {boolean} [long] long-running: has a ResponseStarted event
 */

/**
 * @param {Call} call
 * @returns {{received: object, started: object | undefined, complete: object}}
 */
export function eventsOf(call) {
  return {
    received: event(call, 'RequestReceived'),
    started: call.long ? event(call, 'ResponseStarted') : undefined,
    complete: event(call, 'ResponseComplete'),
  };
}

/** @param {Call} call @param {string} stage */
function event(call, stage) {
  const received = stage === 'RequestReceived';
  const bodies = stage === 'ResponseComplete';
  return {
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level: call.request || call.response ? 'RequestResponse' : 'Metadata',
    auditID: HOLE.auditID,
    stage,
    requestURI: call.uri,
    verb: call.verb,
    user: call.user,
    sourceIPs: call.sourceIPs,
    userAgent: call.userAgent,
    objectRef: received ? call.ref : named(call),
    responseStatus: received ? undefined : { metadata: {}, ...call.status, code: call.code ?? 200 },
    requestObject: bodies ? call.request : undefined,
    responseObject: bodies ? call.response : undefined,
    requestReceivedTimestamp: received ? HOLE.stage : HOLE.received,
    stageTimestamp: HOLE.stage,
    annotations: received
      ? undefined
      : {
          'authorization.k8s.io/decision': 'allow',
          'authorization.k8s.io/reason': call.reason ?? '',
        },
  };
}

/** @param {Call} call */
function named(call) {
  if (!call.ref || !call.createdName) return call.ref;
  const { resource, namespace, ...rest } = call.ref;
  return { resource, namespace, name: call.createdName, ...rest };
}

/**
 * The Status of a missing object.
 * @param {string} resource @param {string} group @param {string} name
 */
export function notFound(resource, group, name) {
  const full = group === '' ? resource : `${resource}.${group}`;
  return {
    status: 'Failure',
    message: `${full} "${name}" not found`,
    reason: 'NotFound',
    details: group === '' ? { name, kind: resource } : { name, group, kind: resource },
  };
}
