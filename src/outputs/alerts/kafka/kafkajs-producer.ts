/** The producer over kafkajs, which is loaded with the first message. */
import { readFile } from 'node:fs/promises';
import type { Producer, SASLOptions } from 'kafkajs';
import type { KafkaSettings, SaslSettings } from '../../../kafka/settings.js';
import type { EventProducer, ProduceResult } from './producer.js';

export type KafkaConnection = KafkaSettings;

export function kafkajsProducer(connection: KafkaConnection, timeoutMs: number): EventProducer {
  let connected: Promise<Producer> | undefined;
  return {
    async produce(topic, messages) {
      try {
        connected ??= connect(connection, timeoutMs);
        const producer = await connected;
        await producer.send({
          topic,
          acks: -1,
          timeout: timeoutMs,
          messages: messages.map((message) => ({ ...message })),
        });
        return { outcome: 'acknowledged' };
      } catch (error) {
        // A producer that could not connect is made anew the next time.
        const failed = connected;
        connected = undefined;
        await failed?.then((producer) => producer.disconnect()).catch(() => undefined);
        return failureOf(error);
      }
    },
    async close() {
      await connected?.then((producer) => producer.disconnect()).catch(() => undefined);
    },
  };
}

async function connect({ brokers, clientId, tls, sasl }: KafkaConnection, timeoutMs: number): Promise<Producer> {
  const { Kafka, logLevel } = (await import('kafkajs')).default;
  const { serverName, ...pem } = tls ?? {};
  const kafka = new Kafka({
    brokers: [...brokers],
    clientId,
    connectionTimeout: Math.min(5_000, timeoutMs),
    requestTimeout: timeoutMs,
    logLevel: logLevel.NOTHING,
    // Trying again is the queue's business.
    retry: { retries: 0 },
    ...(tls === undefined ? {} : { ssl: { ...pem, ...(serverName === undefined ? {} : { servername: serverName }) } }),
    ...(sasl === undefined ? {} : { sasl: saslOptions(sasl) }),
  });
  const producer = kafka.producer({ allowAutoTopicCreation: false });
  await producer.connect();
  return producer;
}

function saslOptions(sasl: SaslSettings): SASLOptions {
  if (sasl.mechanism !== 'oauthbearer') return sasl as SASLOptions;
  const token = async () => ({ value: (await readFile(sasl.tokenFile, 'utf8')).trim() });
  return { mechanism: 'oauthbearer', oauthBearerProvider: token };
}

/** Errors of the broker about this very message; everything else may go better later. */
const HOPELESS = new Set(['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE', 'INVALID_RECORD', 'CORRUPT_MESSAGE']);

function failureOf(error: unknown): ProduceResult {
  const type = typeof error === 'object' && error !== null && 'type' in error ? String(error.type) : '';
  const reason = error instanceof Error ? error.message : String(error);
  return { outcome: 'failed', retry: !HOPELESS.has(type), reason };
}
