/** The parts of an audit event that both decoders fill. */
import type { Level, Stage } from '../../model/record.js';

/** `user` and, by its username alone, `impersonatedUser`. */
export interface UserPart {
  readonly username: string;
  readonly uid: string;
  readonly groups: string;
}

/** `objectRef`. */
export interface RefPart {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly apiGroup: string;
  readonly apiVersion: string;
  readonly subresource: string;
}

/** `responseStatus`. */
export interface StatusPart {
  readonly code: number;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

/** `annotations`. */
export interface NotesPart {
  readonly decision: string;
  readonly truncated: boolean;
}

export const NO_USER: UserPart = { username: '', uid: '', groups: '' };
export const NO_REF: RefPart = { resource: '', namespace: '', name: '', apiGroup: '', apiVersion: '', subresource: '' };
export const NO_STATUS: StatusPart = { code: 0, status: '', reason: '', message: '' };
export const NO_NOTES: NotesPart = { decision: '', truncated: false };

/** The annotations that are read. */
export const DECISION = 'authorization.k8s.io/decision';
export const TRUNCATED = 'audit.k8s.io/truncated';

/** An objectRef part; v1alpha1 wrote `group/version` into apiVersion and had no apiGroup. */
export function refPart(
  resource: string,
  namespace: string,
  name: string,
  apiGroup: string,
  apiVersion: string,
  subresource: string,
): RefPart {
  const slash = apiGroup === '' ? apiVersion.indexOf('/') : -1;
  if (slash < 0) return { resource, namespace, name, apiGroup, apiVersion, subresource };
  const group = apiVersion.slice(0, slash);
  return { resource, namespace, name, apiGroup: group, apiVersion: apiVersion.slice(slash + 1), subresource };
}

/** A status code as given, or 0 for what is no HTTP status. */
export function statusCode(value: number): number {
  return Number.isInteger(value) && value > 0 && value < 1000 ? value : 0;
}

export function levelOf(text: string): Level {
  return text === 'Metadata' || text === 'Request' || text === 'RequestResponse' ? text : 'None';
}

export function stageOf(text: string): Stage | '' {
  if (text === 'RequestReceived' || text === 'ResponseStarted') return text;
  return text === 'ResponseComplete' || text === 'Panic' ? text : '';
}
