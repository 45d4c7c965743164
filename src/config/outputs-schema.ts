/** The `outputs` section of the configuration file: what findings and spans are sent to. */
import { z } from 'zod';
import { SEVERITIES } from '../model/finding.js';
import { parseDuration } from '../rules/duration.js';
import { addressMistake, isReference } from './address.js';
import { parseListenAddress } from './listen-address.js';

const ABOUT_SECRETS = 'must be fromEnv:NAME or fromFile:PATH, for secrets do not belong into this file';
const SECRET_HEADER = /auth|token|secret|key|cookie|password/i;

const text = z.string().min(1);
const secret = text.refine((value) => isReference(value), ABOUT_SECRETS);
/** A web address without credentials, or where to find one that may have them. */
const address = text.superRefine((value, context) => {
  const mistake = isReference(value) ? '' : addressMistake(value);
  if (mistake !== '') context.addIssue({ code: 'custom', message: mistake });
});
/** In milliseconds. */
const duration = text.transform((value, context) => {
  const us = parseDuration(value);
  if (us !== undefined && us >= 1_000) return us / 1_000;
  context.addIssue({ code: 'custom', message: `"${value}" is no duration; write one as in 500ms, 30s, 5m, 2h` });
  return z.NEVER;
});
/** In bytes. */
const size = text.transform((value, context) => {
  const [, amount, unit] = /^(\d{1,6})(Ki|Mi|Gi)$/.exec(value) ?? [];
  const bytes = Number(amount) * 1024 ** (['Ki', 'Mi', 'Gi'].indexOf(unit ?? '') + 1);
  if (bytes > 0) return bytes;
  context.addIssue({ code: 'custom', message: `"${value}" is no size; write one as in 512Ki, 64Mi, 1Gi` });
  return z.NEVER;
});
const count = z.number().refine((value) => Number.isInteger(value) && value > 0, 'must be a whole number above 0');
const listen = z.unknown().transform((value, context) => {
  const parsed = parseListenAddress(value);
  if (typeof parsed === 'object') return parsed;
  context.addIssue({ code: 'custom', message: parsed });
  return z.NEVER;
});
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

/** PEM files, relative to the configuration file. */
const tls = z.strictObject({
  ca: text.optional(),
  cert: text.optional(),
  key: text.optional(),
  serverName: text.optional(),
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
const http = { headers: headers.optional(), bearerToken: secret.optional(), tls: tls.optional() };

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
  slack: z.array(z.strictObject({ ...common, tls: tls.optional(), url: secret })).optional(),
  pagerduty: z
    .array(z.strictObject({ ...common, tls: tls.optional(), routingKey: secret, url: address.optional() }))
    .optional(),
  /** `-` is standard output. */
  ndjson: z.array(z.strictObject({ ...common, path: text })).optional(),
  kafka: z
    .array(
      z.strictObject({
        ...common,
        brokers: z.array(z.string().regex(/^[^\s/]+:\d{1,5}$/, 'must be HOST:PORT')).min(1),
        topic: z.string().regex(/^[a-zA-Z0-9._-]{1,249}$/, 'is no topic name'),
        clientId: text.optional(),
        tls: tls.optional(),
        sasl: z
          .strictObject({
            mechanism: z.enum(['plain', 'scram-sha-256', 'scram-sha-512']),
            username: text,
            password: secret,
          })
          .optional(),
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
      tls: tls.omit({ serverName: true }).optional(),
      /** Appended to, one message of OTLP in JSON a line. */
      file: text.optional(),
      /** One line for each span and record on standard output. */
      console: z.boolean().optional(),
      /** Share of the proxied requests that become spans; failures always do. */
      ratio: z
        .number()
        .refine((value) => value >= 0 && value <= 1, 'must be a number from 0 to 1')
        .optional(),
    })
    .optional(),
  /** Where a run that goes on serves its metrics to Prometheus. */
  metrics: z.strictObject({ listen }).optional(),
});

export type OutputsSection = z.output<typeof outputsSchema>;
