/** Changes of findings in a topic of a real Kafka. */
import { expect, test } from '@jest/globals';
import { createKafka } from '../../../src/outputs/alerts/kafka/index.js';
import { batch, findings, within } from '../../outputs/delivery/examples.js';
import { until } from '../../until.js';
import { KafkaOfTests, withKafka } from './setup.js';

withKafka('the output to a real Kafka', () => {
  const on = new KafkaOfTests();
  const delivery = { backoff: { firstMs: 20, maxMs: 100 } };
  const connection = () => ({ brokers: on.broker.brokers, clientId: 'test' });

  test('keeps the states of each finding in order', async () => {
    await on.broker.createTopic('findings', 3);
    const output = createKafka({ topic: 'findings', connection: connection(), delivery });
    const report = await output.deliver(batch('opened', findings(20)), within(10_000));
    expect(report).toMatchObject({ delivered: 20, waiting: [], refused: [] });
    await output.deliver(batch('resolved', findings(20)), within(10_000));
    await output.close();
    const { recorder } = await on.read('findings');
    const events: { id: string; type: string }[] = [];
    recorder.onEach = ({ bytes, starts, ends }) => {
      starts.forEach((start, i) => {
        const { id, type } = JSON.parse(bytes.toString('utf8', start, ends[i]));
        events.push({ id, type });
      });
    };
    await until(() => events.length === 40, 'all');
    for (const { fingerprint } of findings(20)) {
      const states = events.filter(({ id }) => id.startsWith(`${fingerprint}-`)).map(({ type }) => type);
      expect(states).toEqual(['skewscope.finding.opened', 'skewscope.finding.resolved']);
    }
  });

  test('waits for a topic that is not there, and turns down what the topic does not take', async () => {
    const output = createKafka({ topic: 'nowhere', connection: connection(), delivery });
    const report = await output.deliver(batch('opened', findings(1)), within(2_000));
    await output.close();
    expect(report).toMatchObject({ delivered: 0, waiting: [{ count: 1 }], refused: [] });

    await on.broker.createTopic('tiny', 1, { 'max.message.bytes': '100' });
    const tiny = createKafka({ topic: 'tiny', connection: connection(), delivery });
    expect(await tiny.deliver(batch('opened', findings(1)), within(10_000))).toMatchObject({
      delivered: 0,
      waiting: [],
      refused: [{ count: 1, reason: expect.stringMatching(/max\.message\.bytes/) }],
    });
    await tiny.close();
  });
});
