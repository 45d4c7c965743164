/** Undoes what collectors are known to do to the members of an event. */
import { isObject, type JsonObject } from '../documents/index.js';
import { parsedText } from './json-text.js';

/** Members that tell that something was done. */
export const TRACES: readonly string[] = ['k8s_audit_level', 'openshift_audit_level', '__time__'];
/** Members of an event that are no texts. */
const STRUCTURED = new Set([
  'user',
  'impersonatedUser',
  'sourceIPs',
  'objectRef',
  'responseStatus',
  'requestObject',
  'responseObject',
  'annotations',
]);
/** Annotations whose names are read, with their dots replaced. */
const RENAMED = /^(authorization|audit)_k8s_io\//;

/**
 * The event as its API server wrote it; undefined when nothing was done to it. OpenShift's collector puts another level
 * into `level`, Alibaba's stores nested values as texts, Elastic's replaces the dots in the names of annotations.
 */
export function restored(event: JsonObject): JsonObject | undefined {
  const level = event.k8s_audit_level ?? event.openshift_audit_level;
  const annotations = isObject(event.annotations) ? renamed(event.annotations) : undefined;
  const isFlat = Object.hasOwn(event, '__time__');
  if (typeof level !== 'string' && annotations === undefined && !isFlat) return undefined;
  const whole: Record<string, unknown> = { ...(isFlat ? unfolded(event) : event) };
  if (typeof level === 'string') whole.level = level;
  if (annotations !== undefined) whole.annotations = annotations;
  return whole;
}

function renamed(annotations: JsonObject): JsonObject | undefined {
  const names = Object.keys(annotations);
  if (!names.some((name) => RENAMED.test(name))) return undefined;
  return Object.fromEntries(names.map((name) => [name.replace(RENAMED, '$1.k8s.io/'), annotations[name]]));
}

function unfolded(event: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(event).map(([name, value]) => [
      name,
      STRUCTURED.has(name) && typeof value === 'string' ? (parsedText(value) ?? value) : value,
    ]),
  );
}
