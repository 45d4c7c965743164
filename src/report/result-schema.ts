/** The machine-readable result, `skewscope.analysis/v1`: its shape in zod, from which the shipped JSON Schema is made. */
import { z } from 'zod';
import { CONFIDENCES, SEVERITIES } from '../model/finding.js';
import { PEER_CALL_CAUSES } from '../model/observations/index.js';
import { RESULT_SCHEMA_ID } from './schema-id.js';

export { RESULT_SCHEMA_ID };

// Objects are open on purpose: fields may be added within v1, none is renamed, removed or changed in meaning.
const count = z.number().int().nonnegative();
const time = z.iso.datetime({ precision: 6 }).describe('RFC 3339, UTC, microseconds');
const cluster = z
  .string()
  .optional()
  .describe('present when something names a cluster: the configuration, the user or the records');
const resource = z.string().describe('resource.group/version as in jobs.batch/v1; pods/v1 for the core group');

export const inputSchema = z.object({
  cluster,
  name: z.string(),
  kind: z.string(),
  bytes: count,
  records: count,
  server: z.string().nullable().describe('the server that wrote it; null when unknown or more than one'),
  problems: z.record(z.string(), count).describe('pieces that did not become records or were not looked at, by reason'),
});

export const windowSchema = z.object({ from: time, to: time });

export const serverSchema = z.object({
  cluster,
  name: z.string(),
  identity: z.string().nullable().describe('identity lease, apiserver-<hash of the hostname>'),
  addresses: z.array(z.string()),
  peerAddress: z.string().nullable().describe('host:port that it tells its peers'),
  versions: z.array(z.object({ version: z.string(), from: time, to: time })),
  peerProxy: z.enum(['active', 'inactive', 'unknown']),
});

export const routeSchema = z.object({
  cluster,
  source: z.string(),
  destination: z.string(),
  verb: z.string(),
  resource,
  code: z.number().int().nullable().describe("the destination's final code, else the source's, else null"),
  count,
  hopMs: z
    .object({ p50: z.number(), p99: z.number(), max: z.number() })
    .nullable()
    .describe("the hop's own time: the source's total less the destination's"),
});

export const discoverySchema = z.object({
  cluster,
  source: z.string(),
  destination: z.string(),
  state: z.enum(['ok', 'failing', 'missing', 'unknown']),
  fetches: count,
  failures: count,
  lastAt: time.nullable(),
  cause: z.enum(PEER_CALL_CAUSES).nullable(),
});

export const notFoundSchema = z.object({
  cluster,
  server: z.string(),
  resource,
  kind: z
    .enum(['wrong', 'object', 'unknown-type', 'undecided'])
    .describe('wrong: another live server serves the resource; object: only the object is absent'),
  count,
  clients: z.array(z.string()),
});

export const findingSchema = z.object({
  cluster,
  rule: z.string(),
  title: z.string(),
  fingerprint: z.string().describe('depends on cluster, rule and subject only'),
  severity: z.enum(SEVERITIES),
  confidence: z.enum(CONFIDENCES),
  server: z.string().nullable().describe('whom it is about and where the fix goes; null if not one server'),
  edges: z.array(z.object({ source: z.string(), destination: z.string() })).describe('the peer calls affected'),
  resource: resource.nullable(),
  objects: z.array(z.object({ resource, namespace: z.string(), name: z.string() })).describe('what was harmed'),
  from: time,
  to: time,
  count,
  summary: z.string(),
  meaning: z.string(),
  cause: z.string(),
  fix: z.string(),
  verify: z.string(),
  references: z.array(z.string()),
  evidence: z.array(z.object({ input: z.string(), line: count, offset: count, quote: z.string() })),
});

export const unjudgedSchema = z.object({
  cluster: z.string().optional().describe('absent when it is so in all clusters'),
  rule: z.string(),
  reason: z.string(),
});

export const resultSchema = z.object({
  schema: z.literal(RESULT_SCHEMA_ID),
  inputs: z.array(inputSchema),
  window: windowSchema.nullable().describe('first and last time read; null when nothing was'),
  servers: z.array(serverSchema),
  clusters: z.array(z.object({ name: z.string() })),
  proxied: z.object({
    total: count.describe('requests seen at the source and at the destination'),
    failed: count.describe('requests that a source tried to pass on and that reached no destination'),
    routes: z.array(routeSchema),
  }),
  discovery: z.array(discoverySchema),
  notFound: z.array(notFoundSchema),
  findings: z.array(findingSchema).describe('worst first, but what follows from another one behind it'),
  unjudged: z.array(unjudgedSchema),
});

export type AnalysisResult = z.infer<typeof resultSchema>;
export type ResultFinding = z.infer<typeof findingSchema>;

/** The JSON Schema (draft 2020-12) of the result, as shipped in schema/. */
export function resultJsonSchema(): object {
  const { $schema, ...rest } = z.toJSONSchema(resultSchema, { io: 'input' });
  return {
    $schema,
    $id: 'skewscope.analysis.v1.schema.json',
    title: 'skewscope analysis',
    description: 'What `skewscope analyze --format json` prints. Fields may be added within v1; ignore unknown ones.',
    ...rest,
  };
}
