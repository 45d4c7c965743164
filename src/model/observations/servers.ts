/** Observations about servers and their versions: restarts, mixed windows, refused starts, APIService duels. */
import { z } from 'zod';
import { base, defineObservation, exampleBase } from './base.js';

export const server = defineObservation('server', {
  meaning: 'A kube-apiserver of the control plane, with what is known of it.',
  schema: z.strictObject({
    type: z.literal('server'),
    ...base,
    identity: z.string().nullable(),
    version: z.string().nullable(),
    peerProxy: z.enum(['active', 'inactive', 'unknown']),
  }),
  example: {
    type: 'server',
    ...exampleBase,
    edges: [],
    identity: 'apiserver-j6fw5vwdh4fr5uizaw6kujejnq',
    version: 'v1.36.3',
    peerProxy: 'active',
  },
});

export const serverRestart = defineObservation('server-restart', {
  meaning:
    'A server began anew: another boot ID, possibly another version. `graceful` when it deleted its lease first.',
  schema: z.strictObject({
    type: z.literal('server-restart'),
    ...base,
    versionBefore: z.string().nullable(),
    versionAfter: z.string().nullable(),
    graceful: z.boolean(),
  }),
  example: {
    type: 'server-restart',
    ...exampleBase,
    count: 1,
    edges: [],
    versionBefore: 'v1.35.4',
    versionAfter: 'v1.36.3',
    graceful: true,
  },
});

const rates = z.strictObject({ requests: z.number(), notFound: z.number(), serverErrors: z.number() });

export const versionWindow = defineObservation('version-window', {
  meaning:
    'A stretch of time in which live servers of one cluster ran different versions; shares of 404 and 5xx before, during and after (0 to 1).',
  schema: z.strictObject({
    type: z.literal('version-window'),
    ...base,
    versions: z.array(z.string()),
    servers: z.array(z.string()),
    minorGap: z.number().int(),
    seconds: z.number(),
    open: z.boolean(),
    before: rates.nullable(),
    during: rates,
    after: rates.nullable(),
  }),
  example: {
    type: 'version-window',
    ...exampleBase,
    count: 1,
    server: null,
    edges: [],
    versions: ['v1.35.4', 'v1.36.3'],
    servers: ['cp1', 'cp2', 'cp3'],
    minorGap: 1,
    seconds: 540,
    open: false,
    before: { requests: 9000, notFound: 0.01, serverErrors: 0 },
    during: { requests: 5000, notFound: 0.06, serverErrors: 0.002 },
    after: { requests: 8000, notFound: 0.01, serverErrors: 0 },
  },
});

export const startupRefused = defineObservation('startup-refused', {
  meaning: 'A server refused to start over a flag of the Mixed Version Proxy.',
  schema: z.strictObject({ type: z.literal('startup-refused'), ...base, error: z.string(), flag: z.string() }),
  example: {
    type: 'startup-refused',
    ...exampleBase,
    edges: [],
    error: '--peer-ca-file requires UnknownVersionInteroperabilityProxy feature to be turned on',
    flag: '--peer-ca-file',
  },
});

export const apiserviceChurn = defineObservation('apiservice-churn', {
  meaning:
    'Servers created and deleted the same automatically managed APIService, of Kubernetes itself (`builtIn`) or of a CustomResourceDefinition.',
  schema: z.strictObject({
    type: z.literal('apiservice-churn'),
    ...base,
    name: z.string(),
    builtIn: z.boolean(),
    creates: z.number().int(),
    deletes: z.number().int(),
    creators: z.array(z.string()),
    deleters: z.array(z.string()),
    versions: z.array(z.string()),
  }),
  example: {
    type: 'apiservice-churn',
    ...exampleBase,
    server: null,
    edges: [],
    name: 'v1.resource.k8s.io',
    builtIn: true,
    creates: 3,
    deletes: 3,
    creators: ['cp1'],
    deleters: ['cp2'],
    versions: ['v1.35.4', 'v1.36.3'],
  },
});
