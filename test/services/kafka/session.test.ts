/** The session of consumers, as the settings have it, with a real Kafka. */
import { expect, test } from '@jest/globals';
import { createKafka } from '../../../src/kafka/kafkajs/index.js';
import { KafkaFailure } from '../../../src/kafka/port.js';
import { Recorder } from './recorder.js';
import { KafkaOfTests, withKafka } from './setup.js';

withKafka('the session of a consumer', () => {
  const on = new KafkaOfTests({ properties: { 'group.max.session.timeout.ms': '30000' } });

  test('is that of the settings: what the brokers do not allow ends the start, with the key to change', async () => {
    await on.broker.createTopic('sessions', 1);
    const kafka = createKafka({ brokers: on.broker.brokers, clientId: 'test', sessionMs: 31_000 });
    const failure = await on.read('sessions', {}, new Recorder(), kafka).catch((error: unknown) => error);
    await kafka.close();
    expect(failure).toBeInstanceOf(KafkaFailure);
    expect(failure).toMatchObject({ retry: false, message: expect.stringContaining('set kafka.session to what') });
  });

  test('may be as long as they allow', async () => {
    const kafka = createKafka({ brokers: on.broker.brokers, clientId: 'test', sessionMs: 30_000 });
    const { consumer } = await on.read('sessions', { groupId: 'long' }, new Recorder(), kafka);
    expect(await consumer.members()).toBe(1);
    await kafka.close();
  });
});
