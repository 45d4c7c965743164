/** Observations about clients and objects: 404 answers and what was done because of them. */
import { z } from 'zod';
import { base, defineObservation, exampleBase, objectSchema } from './base.js';

export const notFound = defineObservation('not-found', {
  meaning:
    '404 answers of one server for one resource: `wrong` when another live server serves it, `object` when only the object is absent, `unknown-type` when nobody serves it, `undecided` otherwise.',
  schema: z.strictObject({
    type: z.literal('not-found'),
    ...base,
    resource: z.string(),
    kind: z.enum(['wrong', 'object', 'unknown-type', 'undecided']),
    clients: z.array(z.string()),
    servedBy: z.array(z.string()),
    basis: z.enum(['requests', 'discovery', 'process-log', 'version-table', 'none']),
  }),
  example: {
    type: 'not-found',
    ...exampleBase,
    edges: [],
    resource: 'jobs.batch/v1',
    kind: 'wrong',
    clients: ['kubectl/v1.36.0'],
    servedBy: ['cp2'],
    basis: 'requests',
  },
});

export const collectedAfterNotFound = defineObservation('collected-after-not-found', {
  meaning: 'The garbage collector deleted dependents after a wrong 404 for their owner.',
  schema: z.strictObject({
    type: z.literal('collected-after-not-found'),
    ...base,
    objects: z.array(objectSchema),
    owners: z.array(objectSchema),
  }),
  example: {
    type: 'collected-after-not-found',
    ...exampleBase,
    edges: [],
    objects: [{ resource: 'configmaps/v1', namespace: 'shop', name: 'job-settings' }],
    owners: [{ resource: 'jobs.batch/v1', namespace: 'shop', name: 'nightly' }],
  },
});

export const namespaceFinalized = defineObservation('namespace-finalized', {
  meaning:
    'A namespace was finalized while a resource with objects in it was hidden from the namespace controller; the objects stay behind in storage.',
  schema: z.strictObject({
    type: z.literal('namespace-finalized'),
    ...base,
    namespace: z.string(),
    resources: z.array(z.string()),
    objects: z.array(objectSchema),
  }),
  example: {
    type: 'namespace-finalized',
    ...exampleBase,
    count: 1,
    edges: [],
    namespace: 'shop',
    resources: ['jobs.batch/v1'],
    objects: [{ resource: 'jobs.batch/v1', namespace: 'shop', name: 'nightly' }],
  },
});

export const legacyDiscovery = defineObservation('legacy-discovery', {
  meaning:
    'A client asked /apis/<group>/<version> of a server that does not serve it while a live peer does: un-aggregated discovery never sees the merged view.',
  schema: z.strictObject({
    type: z.literal('legacy-discovery'),
    ...base,
    client: z.string(),
    groupVersions: z.array(z.string()),
  }),
  example: { type: 'legacy-discovery', ...exampleBase, edges: [], client: 'old-tool/1.0', groupVersions: ['batch/v1'] },
});
