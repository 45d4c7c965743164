/** The sections `kafka`, `service` and `listen` of the configuration file: what `skewscope serve` runs with. */
import { z } from 'zod';
import {
  count,
  duration,
  flag,
  kafkaConnection,
  listenAddress,
  secret,
  serverTls,
  size,
  text,
  topicName,
} from './fields.js';
import { LOG_LEVELS } from './service-config.js';
import { parseTimeText } from './time-text.js';
import { isPattern, isTopicName, patternMistake } from './topic-pattern.js';

const MIN_WINDOW_MS = 10 * 60_000;
const MAX_WINDOW_MS = 7 * 24 * 60 * 60_000;
const MIN_DRAIN_MS = 1_000;
const MAX_DRAIN_MS = 60 * 60_000;
/** What brokers take unless their own settings say otherwise. */
const MIN_SESSION_MS = 6_000;
const MAX_SESSION_MS = 30 * 60_000;
const MAX_PARTITIONS = 10_000;
const MAX_NAME = 200;
const HEADER = /^[ -~]{1,100}$/;
const OFF = ['off', false] as const;
const NO_TOPIC =
  'is no topic; write a name of letters, digits, . _ and -, or a pattern between slashes, as in /^audit/';

const topic = text.superRefine((value, context) => {
  const mistake = isPattern(value) ? patternMistake(value.slice(1, -1)) : isTopicName(value) ? '' : NO_TOPIC;
  if (mistake !== '') context.addIssue({ code: 'custom', message: mistake });
});

const from = text.transform((value, context) => {
  if (value === 'latest' || value === 'earliest') return value;
  const time = parseTimeText(value);
  if (typeof time === 'object') return 'atUs' in time ? { atMs: time.atUs / 1_000 } : { agoMs: time.agoUs / 1_000 };
  context.addIssue({
    code: 'custom',
    message: `is "${value}"; write latest, earliest, a time as in 2026-01-05T03:04:05Z, or a time ago as in 2h`,
  });
  return z.NEVER;
});

const senderTopic = text.superRefine((value, context) => {
  const mistake = patternMistake(value);
  if (mistake !== '') context.addIssue({ code: 'custom', message: mistake });
  else if (!/\(\?<(server|cluster)>/.test(value)) {
    context.addIssue({
      code: 'custom',
      message: 'names neither; mark what it is to find as (?<server>…) or (?<cluster>…)',
    });
  }
});

const headers = z.array(z.string().regex(HEADER, 'must be the name of a header, of at most 100 characters'));
const group = z.string().regex(/^[ -~]{1,200}$/, `must be a name of at most ${MAX_NAME} characters`);

const scaleOut = z.strictObject({
  topic: topicName.describe('Topic between the two stages; made when it is not there.').prefault('skewscope-internal'),
  partitions: count
    .refine((value) => value <= MAX_PARTITIONS, `must be at most ${MAX_PARTITIONS}`)
    .describe('Partitions of the topic when it is made: the most replicas that can share the work.')
    .prefault(12),
  compression: z.enum(['none', 'gzip', 'snappy', 'lz4']).describe('Of messages in the topic.').prefault('lz4'),
});

export const kafkaSchema = z.strictObject({
  ...kafkaConnection,
  group: group.describe('Consumer group; replicas of one service have the same.').prefault('skewscope'),
  session: duration
    .refine((ms) => ms >= MIN_SESSION_MS, 'is too short: brokers take no less than 6s')
    .refine((ms) => ms <= MAX_SESSION_MS, 'is too long: brokers take no more than 30m')
    .describe('After how long without a sign of life the brokers give the partitions of a member to others.')
    .prefault('20s'),
  topics: z
    .array(topic)
    .min(1)
    .describe('Topics to read: names, and patterns as in /^audit\\./, that later topics may fit too.'),
  from: from
    .describe('Where a new group begins: latest, earliest, a time, or a time ago as in 2h. Stored offsets go first.')
    .prefault('latest'),
  committedOnly: flag.describe('Read only what transactions have committed.').prefault(true),
  server: z
    .strictObject({
      headers: headers
        .describe('Headers of a message that name the server; the first that is there counts.')
        .prefault(['x-server', 'node', 'host', 'hostname']),
      key: z
        .enum(['auto', 'server', 'ignore'])
        .describe(
          'What the key of a message is: the server, nothing of use, or the server where it looks like a host name.',
        )
        .prefault('auto'),
      topic: senderTopic.describe('Pattern of topics with the groups (?<server>…) and (?<cluster>…).').optional(),
      clusterHeaders: headers
        .describe('Headers of a message that name the cluster.')
        .prefault(['cluster', 'x-cluster']),
    })
    .describe('What of a message tells which server wrote it, where the events themselves do not.')
    .prefault({}),
  deadLetters: z
    .union([z.literal(OFF), topicName], { error: 'must be the name of a topic, or off' })
    .describe('Topic for records that cannot be read, with the reason; off: they are only counted.')
    .optional(),
  scaleOut: scaleOut
    .describe('Given (also when empty): several replicas share the work through a topic of their own.')
    .optional(),
});

export const serviceSchema = z.strictObject({
  window: duration
    .refine((ms) => ms >= MIN_WINDOW_MS, 'is too short to see an upgrade; give at least 10m')
    .refine((ms) => ms <= MAX_WINDOW_MS, 'is too long; give at most 168h')
    .describe('Stretch of event time that is judged together, and how far committed offsets reach back.')
    .prefault('12h'),
  drain: duration
    .refine((ms) => ms >= MIN_DRAIN_MS, 'is too short to finish anything; give at least 1s')
    .refine((ms) => ms <= MAX_DRAIN_MS, 'is too long: nothing that ends a service waits so long; give at most 1h')
    .describe('How long the service takes at most to finish after SIGTERM.')
    .prefault('25s'),
  readyLag: duration.describe('Lag in event time up to which /readyz says ready.').prefault('5m'),
  logLevel: z.enum(LOG_LEVELS).describe('What is logged.').prefault('info'),
});

const webhook = z.strictObject({
  address: listenAddress.describe('HOST:PORT to listen on; a port alone is on this machine only.'),
  tls: serverTls.describe('Paths of PEM files; without them plain HTTP is spoken.').optional(),
  token: secret.describe('Where the bearer token is that clients must send.').optional(),
  topic: topicName
    .describe(
      'Topic that batches are written to before they are acknowledged; the first name in kafka.topics unless given.',
    )
    .optional(),
  maxInFlight: size
    .describe('Batches that are not acknowledged yet may have so much together; beyond it the answer is 429.')
    .prefault('64Mi'),
  maxBody: size.describe('Size of the largest batch.').prefault('32Mi'),
});

export const listenSchema = z.strictObject({
  admin: z
    .union([z.literal(OFF), listenAddress])
    .describe(
      'HOST:PORT of the page, the API, /metrics and the probes; a port alone is on this machine only; off: nothing is served.',
    )
    .prefault('127.0.0.1:8080'),
  token: secret.describe('Where the bearer token is that clients must send, except for /livez and /readyz.').optional(),
  tls: serverTls.describe('Paths of PEM files; without them plain HTTP is spoken.').optional(),
  webhook: webhook.describe('Takes batches of audit events from kube-apiservers.').optional(),
});
