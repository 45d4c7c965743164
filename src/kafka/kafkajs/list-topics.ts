/** Asks a cluster once which topics there are. */
import { systemClock } from '../../outputs/delivery/clock.js';
import type { KafkaSettings } from '../settings.js';
import { topicPartitions } from './admin.js';
import { kafkajsClient } from './client.js';
import { createTeller } from './messages.js';

/** Somebody waits for the answer. */
const TIMEOUT_MS = 5_000;
const RETRIES = 1;

/** Number of partitions by topic, of all that this user may see. Rejects with KafkaFailure. */
export async function listTopics(settings: KafkaSettings): Promise<ReadonlyMap<string, number>> {
  // What kafkajs says on the way is said again by the failure.
  const teller = createTeller(() => {}, systemClock);
  return topicPartitions(await kafkajsClient(settings, { teller, timeoutMs: TIMEOUT_MS, retries: RETRIES }));
}
