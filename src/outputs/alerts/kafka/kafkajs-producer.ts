/** The producer over the Kafka client that the whole program uses; its library is loaded with the first message. */
import { refusesMessage } from '../../../kafka/kafkajs/failures.js';
import { createKafka } from '../../../kafka/kafkajs/index.js';
import type { KafkaSettings } from '../../../kafka/settings.js';
import { errorText } from '../../../model/error-text.js';
import type { EventProducer } from './producer.js';

export function kafkajsProducer(settings: KafkaSettings, timeoutMs: number): EventProducer {
  // Trying again, and telling of it, is the queue's business.
  const kafka = createKafka(settings, { timeoutMs, retries: 0 });
  const producer = kafka.producer({ timeoutMs, compression: 'none' });
  return {
    async produce(topic, messages) {
      try {
        await producer.send(
          topic,
          messages.map(({ key, value, headers }) => ({ key, value: Buffer.from(value), headers })),
        );
        return { outcome: 'acknowledged' };
      } catch (error) {
        const reason = errorText(error);
        // A user that is not let in may be let in later; the messages are kept until then.
        return { outcome: 'failed', retry: !refusesMessage(error), reason };
      }
    },
    close: () => kafka.close(),
  };
}
