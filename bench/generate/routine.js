/** What every kube-apiserver does by itself: it keeps its identity lease, and asks itself and its peers what they serve. */
import { identityLease } from './bodies.js';
import { loopback, peer } from './clients.js';

/** @typedef {import('./event.js').Call} Call */
/** @typedef {import('./servers.js').Server} Server */

const LEASES = { apiGroup: 'coordination.k8s.io', apiVersion: 'v1' };
const URI = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases';

/** The renewal of a server's own identity lease. @param {Server} server @returns {Call} */
export function renewal(server) {
  const lease = identityLease(server);
  return {
    ...loopback(server),
    verb: 'update',
    uri: `${URI}/${server.identity}`,
    ref: { resource: 'leases', namespace: 'kube-system', name: server.identity, uid: server.uid, ...LEASES },
    request: lease,
    response: lease,
  };
}

/** The creation of that lease at the start of a server. @param {Server} server @returns {Call} */
export function leaseCreation(server) {
  const lease = identityLease(server);
  return {
    ...loopback(server),
    verb: 'create',
    uri: URI,
    ref: { resource: 'leases', namespace: 'kube-system', ...LEASES },
    createdName: server.identity,
    code: 201,
    request: lease,
    response: lease,
  };
}

/** What a server with a working peer proxy asks itself at start and every half hour. @param {Server} server @returns {Call[]} */
export function localDiscovery(server) {
  return ['/api', '/apis'].map((path) => ({ ...loopback(server), verb: 'get', uri: `${path}?timeout=32s` }));
}

/** What it asks each peer, as it stands in the peer's log. @param {Server} source @returns {Call[]} */
export function peerDiscovery(source) {
  return ['/api', '/apis'].map((uri) => ({ ...peer(source), verb: 'get', uri }));
}
