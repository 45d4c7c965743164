/** The one place that makes a client of kafkajs, which is loaded by then and not before. */
import { readFile } from 'node:fs/promises';
import type { Kafka, SASLOptions } from 'kafkajs';
import type { KafkaSettings, SaslSettings } from '../settings.js';
import { type Teller, tellKafkajs } from './messages.js';

export interface ClientOptions {
  readonly teller: Teller;
  /** How long the brokers may take for one answer, in milliseconds. */
  readonly timeoutMs: number;
  /** How often kafkajs tries a request again before it gives up; the callers have their own ways to go on. */
  readonly retries: number;
}

const CONNECT_MS = 5_000;
const MAX_TOKEN_CHARS = 64 * 1024;

export async function kafkajsClient(settings: KafkaSettings, options: ClientOptions): Promise<Kafka> {
  const { brokers, clientId, tls, sasl } = settings;
  const { teller, timeoutMs, retries } = options;
  const [{ default: kafkajs }, { registerCodecs }] = await Promise.all([import('kafkajs'), import('./codecs.js')]);
  registerCodecs();
  const { serverName, ...pem } = tls ?? {};
  return new kafkajs.Kafka({
    brokers: [...brokers],
    clientId,
    connectionTimeout: Math.min(CONNECT_MS, timeoutMs),
    authenticationTimeout: timeoutMs,
    requestTimeout: timeoutMs,
    logLevel: kafkajs.logLevel.WARN,
    logCreator: tellKafkajs(teller),
    retry: { retries, initialRetryTime: 200, maxRetryTime: 5_000 },
    ...(tls === undefined ? {} : { ssl: { ...pem, ...(serverName === undefined ? {} : { servername: serverName }) } }),
    ...(sasl === undefined ? {} : { sasl: saslOptions(sasl, teller) }),
  });
}

function saslOptions(sasl: SaslSettings, teller: Teller): SASLOptions {
  if (sasl.mechanism !== 'oauthbearer') {
    teller.hide(sasl.password);
    return { mechanism: sasl.mechanism, username: sasl.username, password: sasl.password } as SASLOptions;
  }
  return {
    mechanism: 'oauthbearer',
    async oauthBearerProvider() {
      const token = (await readFile(sasl.tokenFile, 'utf8')).trim();
      if (token === '' || token.length > MAX_TOKEN_CHARS || /\s/.test(token)) {
        throw new Error(`${sasl.tokenFile}: no token; the file must hold one and nothing else`);
      }
      teller.hide(token);
      return { value: token };
    },
  };
}
