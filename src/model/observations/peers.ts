/** Observations about calls between peers: discovery, proxied requests, addresses, identity. */
import { z } from 'zod';
import { base, defineObservation, edgeSchema, exampleBase } from './base.js';

/** Why a call from one apiserver to another failed, as far as the error text tells. */
export const PEER_CALL_CAUSES = [
  'unknown-authority',
  'cert-name',
  'cert-expired',
  'cert-invalid',
  'unauthorized',
  'forbidden',
  'timeout',
  'no-route',
  'unknown-host',
  'refused',
  'invalid-address',
  'via-proxy',
  'no-endpoint',
  'connection-lost',
  'canceled',
  'transport-build',
  'unknown',
] as const;
export type PeerCallCause = (typeof PEER_CALL_CAUSES)[number];

/** Why a destination did not accept the certificate that its peers show, as far as its log tells. */
export const IDENTITY_REJECTIONS = [
  'not-configured',
  'name-not-allowed',
  'ca-unknown',
  'expired',
  'not-yet-valid',
  'wrong-usage',
  'other',
] as const;
export type IdentityRejection = (typeof IDENTITY_REJECTIONS)[number];

export const peerCallFailure = defineObservation('peer-call-failure', {
  meaning:
    'Calls between peers (discovery or proxied requests) that failed for one cause, with the server that the pattern of failing and healthy edges points to. Of 401s `rejection` and `error` are what the destination logs of the certificate, `names` the common names that it does not allow. Of certificates, `accepted` are calls of the same boot of the source that accept another peer, `older` calls to the destination over connections that may be older than its certificate, and `blamed` is `either` where the certificate or the CA file may be wrong.',
  schema: z.strictObject({
    type: z.literal('peer-call-failure'),
    ...base,
    cause: z.enum(PEER_CALL_CAUSES),
    blamed: z.enum(['source', 'destination', 'either']),
    accepted: z.array(edgeSchema),
    older: z.array(edgeSchema),
    addresses: z.array(z.string()),
    error: z.string(),
    rejection: z.enum(IDENTITY_REJECTIONS).nullable(),
    names: z.array(z.string()),
    workedBefore: z.boolean(),
    destinationUp: z.enum(['yes', 'no', 'unknown']),
    recovered: z.boolean(),
  }),
  example: {
    type: 'peer-call-failure',
    ...exampleBase,
    cause: 'unknown-authority',
    blamed: 'source',
    accepted: [],
    older: [],
    addresses: ['10.0.0.12:6443'],
    error: 'tls: failed to verify certificate: x509: certificate signed by unknown authority',
    rejection: null,
    names: [],
    workedBefore: false,
    destinationUp: 'yes',
    recovered: false,
  },
});

export const identityReplaced = defineObservation('identity-replaced', {
  meaning:
    'A destination took the proxy certificate itself for the user: the pair has the same Audit-ID, but the destination logs another user, or peer discovery arrives as that user.',
  schema: z.strictObject({ type: z.literal('identity-replaced'), ...base, user: z.string() }),
  example: { type: 'identity-replaced', ...exampleBase, user: 'front-proxy-client' },
});

export const peerDiscovery = defineObservation('peer-discovery', {
  meaning: 'One cell of the discovery matrix at the end of the records: what the source learnt from the destination.',
  schema: z.strictObject({
    type: z.literal('peer-discovery'),
    ...base,
    state: z.enum(['ok', 'failing', 'missing', 'unknown']),
    cause: z.enum(PEER_CALL_CAUSES).nullable(),
    fetches: z.number().int(),
    failures: z.number().int(),
  }),
  example: { type: 'peer-discovery', ...exampleBase, state: 'failing', cause: 'refused', fetches: 0, failures: 36 },
});

export const peerDiscoveryGap = defineObservation('peer-discovery-gap', {
  meaning:
    'Edges over which the source never learnt the APIs of a live destination (or lost them), without an error that names the cause; grouped by the server that the pattern points to.',
  schema: z.strictObject({
    type: z.literal('peer-discovery-gap'),
    ...base,
    blamed: z.enum(['source', 'destination']),
    tried: z.boolean(),
  }),
  example: { type: 'peer-discovery-gap', ...exampleBase, certainty: 'likely', blamed: 'source', tried: false },
});

export const peerDiscoveryDropped = defineObservation('peer-discovery-dropped', {
  meaning: 'A source dropped a peer lease after its retries; nothing is fetched again until the next lease event.',
  schema: z.strictObject({
    type: z.literal('peer-discovery-dropped'),
    ...base,
    lease: z.string(),
    fetchedAgain: z.boolean(),
  }),
  example: {
    type: 'peer-discovery-dropped',
    ...exampleBase,
    lease: 'apiserver-j6fw5vwdh4fr5uizaw6kujejnq',
    fetchedAgain: false,
  },
});

export const discoveryStale = defineObservation('discovery-stale', {
  meaning: 'A server advertises resources in merged discovery that no live server serves.',
  schema: z.strictObject({ type: z.literal('discovery-stale'), ...base, resources: z.array(z.string()) }),
  example: { type: 'discovery-stale', ...exampleBase, edges: [], resources: ['jobs.batch/v1'] },
});

export const proxyFailure = defineObservation('proxy-failure', {
  meaning:
    'Client requests that a source tried to pass on and that ended in 503 or 504. `server` is the source, or the destination where no other source reached it either, or the one server whose calls failed in both directions; `working` are calls of the same servers that went through meanwhile, `silent` destinations whose own audit log has a gap then.',
  schema: z.strictObject({
    type: z.literal('proxy-failure'),
    ...base,
    source: z.string(),
    blamed: z.enum(['source', 'destination', 'both']),
    cause: z.enum(PEER_CALL_CAUSES).nullable(),
    causes: z.array(z.enum(PEER_CALL_CAUSES)),
    working: z.array(edgeSchema),
    silent: z.array(z.strictObject({ server: z.string(), from: z.number().int(), to: z.number().int() })),
    resources: z.array(z.string()),
    codes: z.array(z.number().int()),
    writes: z.number().int(),
    destinationDown: z.boolean(),
    recovered: z.boolean(),
  }),
  example: {
    type: 'proxy-failure',
    ...exampleBase,
    source: 'cp1',
    blamed: 'source',
    cause: 'refused',
    causes: ['refused'],
    working: [],
    silent: [],
    resources: ['jobs.batch/v1'],
    codes: [503],
    writes: 0,
    destinationDown: true,
    recovered: false,
  },
});

export const proxyLatency = defineObservation('proxy-latency', {
  meaning:
    "The hop's own time on one edge: the source's total less the destination's total, in milliseconds. `slow` and `lagging` are requests whose hop took longer than 1 s and 300 ms, without those of a time in which requests of the edge failed.",
  schema: z.strictObject({
    type: z.literal('proxy-latency'),
    ...base,
    p50: z.number(),
    p99: z.number(),
    max: z.number(),
    slow: z.number().int(),
    lagging: z.number().int(),
  }),
  example: { type: 'proxy-latency', ...exampleBase, p50: 3.1, p99: 14, max: 21, slow: 0, lagging: 0 },
});

export const proxiedRequest = defineObservation('proxied-request', {
  meaning: 'Requests of one verb and resource that a source passed to a destination, with the final code.',
  schema: z.strictObject({
    type: z.literal('proxied-request'),
    ...base,
    verb: z.string(),
    resource: z.string(),
    code: z.number().int().nullable(),
  }),
  example: { type: 'proxied-request', ...exampleBase, verb: 'list', resource: 'jobs.batch/v1', code: 200 },
});

export const peerAddress = defineObservation('peer-address', {
  meaning:
    'A server tells its peers an address that cannot be right: loopback, unspecified, shared with another server, or no address at all. `owner` is the one of several servers whose own it is.',
  schema: z.strictObject({
    type: z.literal('peer-address'),
    ...base,
    problem: z.enum(['loopback', 'unspecified', 'shared', 'invalid']),
    address: z.string(),
    servers: z.array(z.string()),
    owner: z.string().nullable(),
  }),
  example: {
    type: 'peer-address',
    ...exampleBase,
    edges: [],
    problem: 'loopback',
    address: '127.0.0.1:6443',
    servers: ['cp1'],
    owner: null,
  },
});

export const advertiseFlags = defineObservation('advertise-flags', {
  meaning: 'The --peer-advertise-* flags of a server against the address that it really tells its peers.',
  schema: z.strictObject({
    type: z.literal('advertise-flags'),
    ...base,
    problem: z.enum(['half-set', 'ignored', 'invalid']),
    ip: z.string(),
    port: z.string(),
    advertised: z.string(),
  }),
  example: {
    type: 'advertise-flags',
    ...exampleBase,
    edges: [],
    problem: 'ignored',
    ip: '192.0.2.7',
    port: '7443',
    advertised: '10.0.0.11:6443',
  },
});

export const peerProxyState = defineObservation('peer-proxy-state', {
  meaning: 'A live server that has no peer proxy, why as far as it is known, and whether any of its peers has one.',
  schema: z.strictObject({
    type: z.literal('peer-proxy-state'),
    ...base,
    state: z.enum(['inactive']),
    reason: z.enum(['no-peer-ca', 'gate-off', 'unknown']),
    peersActive: z.boolean(),
  }),
  example: { type: 'peer-proxy-state', ...exampleBase, state: 'inactive', reason: 'no-peer-ca', peersActive: true },
});

export const clusterProxy = defineObservation('cluster-proxy', {
  meaning: 'No server of the cluster has a peer proxy: whether their versions or served resources differ meanwhile.',
  schema: z.strictObject({
    type: z.literal('cluster-proxy'),
    ...base,
    servers: z.array(z.string()),
    versionsDiffer: z.boolean(),
    resourcesDiffer: z.boolean(),
    resources: z.array(z.string()),
  }),
  example: {
    type: 'cluster-proxy',
    ...exampleBase,
    server: null,
    edges: [],
    servers: ['cp1', 'cp2'],
    versionsDiffer: true,
    resourcesDiffer: true,
    resources: ['mutatingadmissionpolicies.admissionregistration.k8s.io/v1'],
  },
});
