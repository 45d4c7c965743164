/** Observations about the evidence itself: holes, damage, duplicates, clocks, policy. */
import { z } from 'zod';
import { base, defineObservation, exampleBase } from './base.js';

export const streamGap = defineObservation('stream-gap', {
  meaning: 'A server that renews its lease every 10 s wrote nothing for a long time and went on without a restart.',
  schema: z.strictObject({ type: z.literal('stream-gap'), ...base, seconds: z.number() }),
  example: { type: 'stream-gap', ...exampleBase, edges: [], seconds: 312 },
});

export const streamDamage = defineObservation('stream-damage', {
  meaning: 'Records of an input that could not be read, by reason.',
  schema: z.strictObject({ type: z.literal('stream-damage'), ...base, input: z.string(), reason: z.string() }),
  example: { type: 'stream-damage', ...exampleBase, edges: [], input: 'cp1-audit.log', reason: 'cut-line' },
});

export const streamDuplicate = defineObservation('stream-duplicate', {
  meaning:
    'The same records came more than once, as from a rotated file read twice; `lines` of them are lines of process logs.',
  schema: z.strictObject({
    type: z.literal('stream-duplicate'),
    ...base,
    lines: z.number().int().nonnegative(),
    inputs: z.array(z.string()),
  }),
  example: {
    type: 'stream-duplicate',
    ...exampleBase,
    edges: [],
    lines: 0,
    inputs: ['audit.log', 'audit-2026-01-02T03-04-05.678.log'],
  },
});

export const auditIDReuse = defineObservation('audit-id-reuse', {
  meaning: 'One Audit-ID stands in requests that cannot be one request: a client chose it, or somebody hides.',
  schema: z.strictObject({
    type: z.literal('audit-id-reuse'),
    ...base,
    auditIDs: z.array(z.string()),
    clients: z.array(z.string()),
  }),
  example: {
    type: 'audit-id-reuse',
    ...exampleBase,
    edges: [],
    auditIDs: ['11111111-2222-3333-4444-555555555555'],
    clients: ['curl/8.0'],
  },
});

export const mixedClusters = defineObservation('mixed-clusters', {
  meaning:
    'Inputs that name no cluster, or one, hold servers that cannot share a storage: each of `planes` made the namespace kube-system (`founded`), or lists of identity leases exclude each other. From here on they count as clusters of these names.',
  schema: z.strictObject({
    type: z.literal('mixed-clusters'),
    ...base,
    planes: z.array(z.strictObject({ name: z.string(), servers: z.array(z.string()) })),
    founded: z.boolean(),
  }),
  example: {
    type: 'mixed-clusters',
    ...exampleBase,
    server: null,
    edges: [],
    planes: [
      { name: 'default', servers: ['cp1', 'cp2'] },
      { name: 'default~2', servers: ['m1', 'm2'] },
    ],
    founded: true,
  },
});

export const clockSkew = defineObservation('clock-skew', {
  meaning:
    'The clocks of `servers` are `skewMs` ahead of those of `others` (behind where negative), as estimated from proxied requests. `server` is the one whose clock is off, where more agree with each other than with it; null where as many say one thing as the other.',
  schema: z.strictObject({
    type: z.literal('clock-skew'),
    ...base,
    servers: z.array(z.string()),
    others: z.array(z.string()),
    skewMs: z.number(),
  }),
  example: {
    type: 'clock-skew',
    ...exampleBase,
    server: null,
    servers: ['cp2'],
    others: ['cp1'],
    skewMs: 2400,
  },
});

export const serverLogMissing = defineObservation('server-log-missing', {
  meaning:
    'A server is known from leases or from its peers, but its audit log (or its process log) is not among the inputs.',
  schema: z.strictObject({
    type: z.literal('server-log-missing'),
    ...base,
    missing: z.enum(['audit', 'process', 'both']),
    knownFrom: z.string(),
  }),
  example: { type: 'server-log-missing', ...exampleBase, edges: [], missing: 'both', knownFrom: 'identity lease' },
});

export const policyBlind = defineObservation('policy-blind', {
  meaning: 'The audit policy of a server leaves out what a conclusion would need.',
  schema: z.strictObject({ type: z.literal('policy-blind'), ...base, missing: z.string() }),
  example: { type: 'policy-blind', ...exampleBase, edges: [], missing: 'non-resource requests' },
});
