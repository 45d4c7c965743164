/** The Kafka port with consumers in threads of their own, so that fetching and what is done with it use a core each. */
import { createKafka, type KafkaOptions } from '../kafkajs/index.js';
import type { Kafka } from '../port.js';
import type { KafkaSettings } from '../settings.js';
import { canConsumeInThread, startWorker, ThreadedConsumer } from './consumer-thread.js';

/** Threads have the clock of the system. */
export type ThreadedKafkaOptions = Omit<KafkaOptions, 'clock' | 'allocate'>;

/** In this thread where there is one processor only, or the thread's code is missing. */
export function createThreadedKafka(settings: KafkaSettings, options: ThreadedKafkaOptions = {}): Kafka {
  const kafka = createKafka(settings, options);
  if (!canConsumeInThread()) return kafka;
  const { onMessage = () => {}, ...times } = options;
  const opened = new Set<ThreadedConsumer>();
  return {
    ...kafka,
    consumer(consumer) {
      const threaded = new ThreadedConsumer(() => startWorker({ settings, times, consumer }), onMessage);
      opened.add(threaded);
      return threaded;
    },
    async close() {
      await Promise.all([...[...opened].map((one) => one.stop()), kafka.close()]);
      opened.clear();
    },
  };
}
