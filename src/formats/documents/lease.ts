/** Identity leases of apiservers, alone or in a list, as `kubectl get leases -n kube-system -o json` gives them. */
import type { Lease } from '../../model/record.js';
import { parseTimestamp } from '../audit/timestamp.js';
import { isObject, itemsOf, type JsonObject, objectAt, objectsAt, stringAt } from './shape.js';

const HOSTNAME = 'kubernetes.io/hostname';
const IDENTITY = 'apiserver.kubernetes.io/identity';
const PEER_ADDRESS = 'kubernetes.io/peer-advertise-address';

/**
 * The identity leases of a document; leases of other components are left out, and what stands where a lease should is
 * undefined in its place. Undefined when the document holds no leases at all. Accepts a LeaseList, a kubectl List, a
 * Lease, and a list item without its kind.
 */
export function readLeases(
  value: JsonObject,
  line: number,
  offset: number,
): readonly (Lease | undefined)[] | undefined {
  const leases = leasesIn(value);
  return leases
    ?.filter((item) => !isNamed(item) || isIdentity(item))
    .map((item) => (isNamed(item) ? toLease(item, line, offset) : undefined));
}

/** All of the document's leases, and what stands in the place of one. */
function leasesIn(value: JsonObject): readonly unknown[] | undefined {
  const kind = stringAt(value, 'kind');
  if (kind === 'LeaseList') return itemsOf(value);
  if (kind !== 'List') return isLease(value) ? [value] : undefined;
  const leases = objectsAt(value, 'items').filter(isLease);
  return leases.length === 0 ? undefined : leases;
}

function isNamed(item: unknown): item is JsonObject {
  return isObject(item) && stringAt(objectAt(item, 'metadata'), 'name') !== '';
}

function isLease(value: JsonObject): boolean {
  const kind = value.kind;
  if (kind !== undefined) return kind === 'Lease' && stringAt(value, 'apiVersion').startsWith('coordination.k8s.io/');
  return objectAt(value, 'spec').leaseDurationSeconds !== undefined;
}

function isIdentity(value: JsonObject): boolean {
  const metadata = objectAt(value, 'metadata');
  return (
    stringAt(objectAt(metadata, 'labels'), IDENTITY) === 'kube-apiserver' ||
    /^(kube-)?apiserver-/.test(stringAt(metadata, 'name'))
  );
}

function toLease(value: JsonObject, line: number, offset: number): Lease {
  const metadata = objectAt(value, 'metadata');
  const spec = objectAt(value, 'spec');
  return {
    type: 'lease',
    line,
    offset,
    name: stringAt(metadata, 'name'),
    hostname: stringAt(objectAt(metadata, 'labels'), HOSTNAME),
    holder: stringAt(spec, 'holderIdentity'),
    peerAddress: stringAt(objectAt(metadata, 'annotations'), PEER_ADDRESS),
    createdUs: parseTimestamp(stringAt(metadata, 'creationTimestamp')),
    renewedUs: parseTimestamp(stringAt(spec, 'renewTime')),
  };
}
