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
  flag,
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
  name: z
    .string()
    .regex(/^[a-z0-9][a-z0-9._-]{0,62}$/, 'must be a short name of a-z, 0-9, dots and dashes')
    .describe('Its name in messages, and of its folder in the spool: keep it when addresses change.')
    .optional(),
  minSeverity: z.enum(SEVERITIES).describe('Milder findings are left out.').optional(),
  group: z
    .enum(['finding', 'cause'])
    .describe('What one message is about: each finding, or all findings of one rule in one cluster.')
    .optional(),
  storm: z
    .strictObject({
      limit: count.describe('So many are told one by one.'),
      window: duration.describe('Stretch of time that the limit is for.'),
    })
    .describe('What opens beyond the limit is folded into one message.')
    .optional(),
  timeout: duration.describe('How long one attempt may take.').optional(),
  maxAge: duration.describe('What could not be delivered for so long is turned down.').optional(),
};
const tls = { tls: clientTls.describe('Paths of PEM files, relative to this file.').optional() };
const sentHeaders = headers.describe('Sent with every request; secrets as fromEnv:NAME or fromFile:PATH.').optional();
const http = {
  headers: sentHeaders,
  bearerToken: secret.describe('Where the bearer token is: fromEnv:NAME or fromFile:PATH.').optional(),
  ...tls,
};

const alertmanager = z.strictObject({
  ...common,
  ...http,
  urls: z.array(address).min(1).describe('The replicas of one Alertmanager; each is told everything.'),
  labels: labels.describe('Labels that each alert gets beside its own.').optional(),
  remind: duration.describe('Open alerts are sent again so often.').optional(),
  hold: duration.describe('An alert that is not sent again ends after so long.').optional(),
});
const webhook = z.strictObject({
  ...common,
  ...http,
  url: address.describe('Takes CloudEvents by POST.'),
  signingKey: secret.describe('Where the key for signatures is, as Standard Webhooks has them.').optional(),
});
const slack = z.strictObject({ ...common, ...tls, url: secret.describe('Where the URL of the webhook is.') });
const pagerduty = z.strictObject({
  ...common,
  ...tls,
  routingKey: secret.describe('Where the integration key is.'),
  url: address.describe('Another receiver of Events v2.').optional(),
});
const kafka = z.strictObject({
  ...common,
  ...kafkaConnection,
  topic: topicName.describe('Takes one CloudEvent for each change, keyed by finding.'),
});
const otlp = z.strictObject({
  endpoint: address
    .describe('Receiver; the OTEL_EXPORTER_OTLP_* variables hold unless given. Not needed beside file or console.')
    .optional(),
  protocol: z.enum(['http/protobuf', 'http/json']).describe('How messages are written.').optional(),
  compression: z.enum(['none', 'gzip']).describe('Of messages.').optional(),
  headers: sentHeaders,
  timeout: duration.describe('How long one attempt may take.').optional(),
  tls: clientTls.omit({ serverName: true }).describe('Paths of PEM files, relative to this file.').optional(),
  file: text.describe('Appended to, one message of OTLP in JSON a line.').optional(),
  console: flag.describe('One line for each span and record on standard output.').optional(),
  traces: flag.describe('False: no spans are sent.').optional(),
  logs: flag.describe('False: no log records are sent.').optional(),
  metrics: flag.describe('False: no metrics are sent. True: it is a failure when nobody takes them.').optional(),
  ratio: z
    .number()
    .refine((value) => value >= 0 && value <= 1, 'must be a number from 0 to 1')
    .meta({ minimum: 0, maximum: 1 })
    .describe('Share of the proxied requests that become spans; failures always do.')
    .optional(),
});

export const outputsSchema = z.strictObject({
  spool: z
    .strictObject({
      dir: text.describe('Folder, relative to this file; made when it is not there.'),
      maxBytes: size.describe('What waits for one output may have so much.').optional(),
      fsync: z.enum(['always', 'never']).describe('Whether each message must have reached the disk.').optional(),
    })
    .describe('Keeps what could not be sent, and what was told, for the next run.')
    .optional(),
  deadline: duration.describe('How long a single run, or the end of a long one, waits for receivers.').optional(),
  alertmanager: z.array(alertmanager).describe('Alertmanagers (API v2).').optional(),
  webhook: z.array(webhook).describe('Receivers of CloudEvents.').optional(),
  slack: z.array(slack).describe('Slack, and what takes its format.').optional(),
  pagerduty: z.array(pagerduty).describe('PagerDuty (Events v2).').optional(),
  ndjson: z
    .array(z.strictObject({ ...common, path: text.describe('File that is appended to; - is standard output.') }))
    .describe('One line for each change.')
    .optional(),
  kafka: z.array(kafka).describe('Kafka topics.').optional(),
  otlp: otlp.describe('Spans, log records and metrics as OTLP.').optional(),
  metrics: z
    .strictObject({ listen: listenAddress.describe('PORT on this machine alone, or HOST:PORT.') })
    .describe('Where `watch` serves its metrics to Prometheus.')
    .optional(),
});

export type OutputsSection = z.output<typeof outputsSchema>;
