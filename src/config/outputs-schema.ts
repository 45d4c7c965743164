/** The `outputs` section of the configuration file: what findings and spans are sent to. */
import { z } from 'zod';
import { SEVERITIES } from '../model/finding.js';
import { isReference } from './address.js';
import {
  ABOUT_SECRETS,
  address,
  clientTls,
  count,
  duration,
  kafkaConnection,
  listenAddress,
  secret,
  size,
  text,
  topicName,
} from './fields.js';

const SECRET_HEADER = /auth|token|secret|key|cookie|password/i;

const labels = z.record(
  z.string().regex(/^[a-zA-Z_][a-zA-Z0-9_]*$/, 'is no label name; use letters, digits and _'),
  text,
);
const headers = z
  .record(z.string().regex(/^[!#$%&'*+.^_`|~\w-]+$/, 'is no header name'), text)
  .superRefine((given, context) => {
    for (const [name, value] of Object.entries(given)) {
      if (SECRET_HEADER.test(name) && !isReference(value)) {
        context.addIssue({ code: 'custom', path: [name], message: ABOUT_SECRETS });
      }
    }
  });

const common = {
  /** In messages, and of the folder in the spool: keep it when addresses change. */
  name: z
    .string()
    .regex(/^[a-z0-9][a-z0-9._-]{0,62}$/, 'must be a short name of a-z, 0-9, dots and dashes')
    .optional(),
  minSeverity: z.enum(SEVERITIES).optional(),
  group: z.enum(['finding', 'cause']).optional(),
  storm: z.strictObject({ limit: count, window: duration }).optional(),
  timeout: duration.optional(),
  /** What could not be delivered for so long is turned down. */
  maxAge: duration.optional(),
};
const http = { headers: headers.optional(), bearerToken: secret.optional(), tls: clientTls.optional() };

export const outputsSchema = z.strictObject({
  spool: z
    .strictObject({ dir: text, maxBytes: size.optional(), fsync: z.enum(['always', 'never']).optional() })
    .optional(),
  /** How long a single run, or the end of a long one, waits for receivers. */
  deadline: duration.optional(),
  alertmanager: z
    .array(
      z.strictObject({
        ...common,
        ...http,
        urls: z.array(address).min(1),
        labels: labels.optional(),
        remind: duration.optional(),
        hold: duration.optional(),
      }),
    )
    .optional(),
  webhook: z.array(z.strictObject({ ...common, ...http, url: address, signingKey: secret.optional() })).optional(),
  slack: z.array(z.strictObject({ ...common, tls: clientTls.optional(), url: secret })).optional(),
  pagerduty: z
    .array(z.strictObject({ ...common, tls: clientTls.optional(), routingKey: secret, url: address.optional() }))
    .optional(),
  /** `-` is standard output. */
  ndjson: z.array(z.strictObject({ ...common, path: text })).optional(),
  kafka: z
    .array(
      z.strictObject({
        ...common,
        ...kafkaConnection,
        topic: topicName,
      }),
    )
    .optional(),
  otlp: z
    .strictObject({
      /** The standard OTEL_EXPORTER_OTLP_* variables hold unless given. Not needed beside a file or the console. */
      endpoint: address.optional(),
      protocol: z.enum(['http/protobuf', 'http/json']).optional(),
      compression: z.enum(['none', 'gzip']).optional(),
      headers: headers.optional(),
      timeout: duration.optional(),
      tls: clientTls.omit({ serverName: true }).optional(),
      /** Appended to, one message of OTLP in JSON a line. */
      file: text.optional(),
      /** One line for each span and record on standard output. */
      console: z.boolean().optional(),
      /** False: that signal is not sent. Metrics that are asked for by true fail a run when nobody takes them. */
      traces: z.boolean().optional(),
      logs: z.boolean().optional(),
      metrics: z.boolean().optional(),
      /** Share of the proxied requests that become spans; failures always do. */
      ratio: z
        .number()
        .refine((value) => value >= 0 && value <= 1, 'must be a number from 0 to 1')
        .optional(),
    })
    .optional(),
  /** Where a run that goes on serves its metrics to Prometheus. */
  metrics: z.strictObject({ listen: listenAddress }).optional(),
});

export type OutputsSection = z.output<typeof outputsSchema>;
