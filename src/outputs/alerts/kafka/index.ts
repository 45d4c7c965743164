/** A Kafka topic that takes each change as a CloudEvent, keyed by finding so that its states stay in order. */
import type { KafkaSettings } from '../../../kafka/settings.js';
import { createReliableOutput, DELIVERY, type DeliveryOptions } from '../../delivery/reliable-output.js';
import type { Sink } from '../../delivery/sink.js';
import type { Output } from '../../output.js';
import { CLOUD_EVENT_TYPE, cloudEventText } from '../webhook/cloud-event.js';
import { kafkajsProducer } from './kafkajs-producer.js';
import type { EventProducer } from './producer.js';

export interface KafkaOptions {
  readonly name?: string;
  readonly topic: string;
  /** How to reach the brokers, or a producer that does. */
  readonly connection: KafkaSettings | EventProducer;
  readonly delivery?: Partial<DeliveryOptions>;
}

const BATCH = 64;

/** @example createKafka({ topic: 'findings', connection: { brokers: ['kafka:9092'], clientId: 'skewscope' } }) */
export function createKafka({ name = 'kafka', topic, connection, delivery = {} }: KafkaOptions): Output {
  const timeoutMs = delivery.timeoutMs ?? DELIVERY.timeoutMs;
  const producer = 'produce' in connection ? connection : kafkajsProducer(connection, timeoutMs);
  const sink: Sink = {
    name: `${name} ${topic}`,
    batch: BATCH,
    payload: cloudEventText,
    async send(notices) {
      const messages = notices.map((notice) => ({
        key: notice.key,
        value: cloudEventText(notice),
        headers: { 'content-type': CLOUD_EVENT_TYPE },
      }));
      const result = await producer.produce(topic, messages);
      if (result.outcome === 'acknowledged') return { outcome: 'delivered', answer: 'acknowledged by the brokers' };
      return result.retry
        ? { outcome: 'retry', reason: result.reason, answered: false }
        : { outcome: 'refused', reason: result.reason };
    },
    close: () => producer.close(),
  };
  const storm = delivery.storm ?? { limit: Number.POSITIVE_INFINITY, windowMs: 1 };
  return createReliableOutput(sink, { ...delivery, storm });
}
