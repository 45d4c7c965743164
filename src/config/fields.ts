/** The kinds of values that keys of the configuration file have, each with a message that says what to write. */
import { z } from 'zod';
import { parseDuration } from '../rules/duration.js';
import { addressMistake, isReference } from './address.js';
import { parseListenAddress } from './listen-address.js';
import { TOPIC_NAME } from './topic-pattern.js';

export const ABOUT_SECRETS = 'must be fromEnv:NAME or fromFile:PATH, for secrets do not belong into this file';

const DURATION_PATTERN = '^(\\d{1,9}(\\.\\d{1,6})?(us|ms|s|m|h))+$';
const SIZE_PATTERN = '^\\d{1,6}(Ki|Mi|Gi)$';
const REFERENCE_PATTERN = '^from(Env|File):.+$';

export const text = z.string().min(1);
export const texts = z.array(text);
/** Where to find a secret. */
export const secret = text.refine((value) => isReference(value), ABOUT_SECRETS).meta({ pattern: REFERENCE_PATTERN });
/** A web address without credentials, or where to find one that may have them. */
export const address = text.superRefine((value, context) => {
  const mistake = isReference(value) ? '' : addressMistake(value);
  if (mistake !== '') context.addIssue({ code: 'custom', message: mistake });
});
/** In milliseconds. */
export const duration = worded('is no duration; write one as in 500ms, 30s, 5m, 2h')
  .transform((value, context) => {
    const us = parseDuration(value);
    if (us !== undefined && us >= 1_000) return us / 1_000;
    context.addIssue({ code: 'custom', message: `"${value}" is no duration; write one as in 500ms, 30s, 5m, 2h` });
    return z.NEVER;
  })
  .meta({ pattern: DURATION_PATTERN });
/** In bytes. */
export const size = worded('is no size; write one as in 512Ki, 64Mi, 1Gi')
  .transform((value, context) => {
    const [, amount, unit] = /^(\d{1,6})(Ki|Mi|Gi)$/.exec(value) ?? [];
    const bytes = Number(amount) * 1024 ** (['Ki', 'Mi', 'Gi'].indexOf(unit ?? '') + 1);
    if (bytes > 0) return bytes;
    context.addIssue({ code: 'custom', message: `"${value}" is no size; write one as in 512Ki, 64Mi, 1Gi` });
    return z.NEVER;
  })
  .meta({ pattern: SIZE_PATTERN });
export const count = z
  .number()
  .refine((value) => Number.isInteger(value) && value > 0, 'must be a whole number above 0')
  .meta({ type: 'integer', exclusiveMinimum: 0 });
export const flag = z.boolean();
/** Port alone, or host and port. */
export const listenAddress = z
  .unknown()
  .transform((value, context) => {
    const parsed = parseListenAddress(value);
    if (typeof parsed === 'object') return parsed;
    context.addIssue({ code: 'custom', message: parsed });
    return z.NEVER;
  })
  .meta({ type: ['string', 'integer'], pattern: ':?\\d{1,5}$', minimum: 0, maximum: 65_535 });

export const topicName = z.string().regex(TOPIC_NAME, 'is no topic name; use letters, digits, . _ and -');
const broker = z
  .string()
  .regex(/^[^\s/]+:\d{1,5}$/, 'must be HOST:PORT')
  .refine((value) => isPort(Number(/\d+$/.exec(value)?.[0])), 'has a port that does not exist; ports are 1 to 65535');
export const brokers = z.array(broker).min(1);

function isPort(port: number): boolean {
  return !(port < 1 || port > 65_535);
}

/** Text with a form of its own: a bare number is no mistake of type to whoever wrote it. */
function worded(message: string) {
  return z.string({ error: ({ input }) => (input === undefined ? undefined : message) }).min(1);
}

/** Of who connects. */
export const clientTls = z.strictObject({
  ca: text.describe('Authorities that are trusted in place of those of the system.').optional(),
  cert: text.describe('Client certificate.').optional(),
  key: text.describe('Key of the client certificate.').optional(),
  serverName: text
    .describe('Name that the certificate of the server must hold, if not that of its address.')
    .optional(),
});

/** Of who is connected to. */
export const serverTls = z.strictObject({
  cert: text.describe('Certificate that is shown to clients, with its intermediates.'),
  key: text.describe('Key of the certificate.'),
  clientCa: text.describe('Given: clients must show a certificate that these authorities signed.').optional(),
});

const password = {
  username: text.describe('User name.'),
  password: secret.describe('Where the password is: fromEnv:NAME or fromFile:PATH.'),
};
export const sasl = z.discriminatedUnion('mechanism', [
  z.strictObject({ mechanism: z.literal('plain'), ...password }),
  z.strictObject({ mechanism: z.literal('scram-sha-256'), ...password }),
  z.strictObject({ mechanism: z.literal('scram-sha-512'), ...password }),
  z.strictObject({
    mechanism: z.literal('oauthbearer'),
    tokenFile: text.describe('File with the token; read anew for each connection, so that it can be renewed in place.'),
  }),
]);

/** How to reach a Kafka cluster. */
export const kafkaConnection = {
  brokers: brokers.describe('HOST:PORT of some brokers; the others are learned from them.'),
  clientId: text
    .describe('Name by which brokers know this client, in their logs and quotas.')
    .meta({ default: 'skewscope' })
    .optional(),
  tls: clientTls.describe('Given (also when empty): TLS is spoken. Paths of PEM files.').optional(),
  sasl: sasl.describe('How the client proves who it is.').optional(),
};
