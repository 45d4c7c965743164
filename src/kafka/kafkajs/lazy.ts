/** Consumers and producers whose library is loaded with their first use. */
import type { ConsumerHandlers, KafkaConsumer, KafkaProducer, PartitionOffset, TopicPartition } from '../port.js';

export function lazyConsumer(load: () => Promise<KafkaConsumer>): KafkaConsumer {
  let loading: Promise<KafkaConsumer> | undefined;
  let consumer: KafkaConsumer | undefined;
  return {
    async start(handlers: ConsumerHandlers) {
      loading ??= load();
      consumer = await loading;
      await consumer.start(handlers);
    },
    pause: (partitions: readonly TopicPartition[]) => consumer?.pause(partitions),
    resume: (partitions: readonly TopicPartition[]) => consumer?.resume(partitions),
    async commit(offsets: readonly PartitionOffset[]) {
      await (await started(loading)).commit(offsets);
    },
    members: async () => (await loading)?.members() ?? 0,
    stop: async () => (await loading)?.stop(),
  };
}

export function lazyProducer(load: () => Promise<KafkaProducer>): KafkaProducer {
  let loading: Promise<KafkaProducer> | undefined;
  const loaded = () => {
    loading ??= load();
    return loading;
  };
  return {
    send: async (topic, messages) => (await loaded()).send(topic, messages),
    sendAtomically: async (messages, groupId, offsets) => (await loaded()).sendAtomically(messages, groupId, offsets),
    close: async () => (await loading)?.close(),
  };
}

async function started(loading: Promise<KafkaConsumer> | undefined): Promise<KafkaConsumer> {
  if (loading === undefined) throw new Error('the consumer was not started');
  return loading;
}
