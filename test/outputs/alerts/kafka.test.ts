import { type AddressInfo, createServer } from 'node:net';
import { expect, test } from '@jest/globals';
import { createKafka } from '../../../src/outputs/alerts/kafka/index.js';
import type { EventProducer, ProducedMessage, ProduceResult } from '../../../src/outputs/alerts/kafka/producer.js';
import { batch, findings, within } from '../delivery/examples.js';

class FakeProducer implements EventProducer {
  readonly produced: ProducedMessage[] = [];
  closed = false;

  constructor(readonly answers: ProduceResult[] = []) {}

  async produce(topic: string, messages: readonly ProducedMessage[]): Promise<ProduceResult> {
    expect(topic).toBe('findings');
    const result = this.answers.shift() ?? { outcome: 'acknowledged' };
    if (result.outcome === 'acknowledged') this.produced.push(...messages);
    return result;
  }

  async close(): Promise<void> {
    this.closed = true;
  }
}

const delivery = { backoff: { firstMs: 5, maxMs: 10 } };

test('each change is a CloudEvent with the key of its finding', async () => {
  const connection = new FakeProducer();
  const output = createKafka({ topic: 'findings', connection, delivery });
  await output.deliver(batch('opened', findings(3)), within(5_000));
  await output.deliver(batch('resolved', findings(3)), within(5_000));
  await output.close();
  expect(connection.closed).toBe(true);
  const events = connection.produced.map(({ key, value }) => [key, JSON.parse(value).id, JSON.parse(value).type]);
  expect(events).toEqual(
    ['opened', 'resolved'].flatMap((kind, at) =>
      findings(3).map(({ fingerprint }) => [fingerprint, `${fingerprint}-${at + 1}`, `skewscope.finding.${kind}`]),
    ),
  );
  expect(connection.produced[0]?.headers['content-type']).toContain('application/cloudevents+json');
});

test('what the brokers may take later is tried again, what they never will is turned down', async () => {
  const connection = new FakeProducer([
    { outcome: 'failed', retry: true, reason: 'no leader' },
    { outcome: 'failed', retry: false, reason: 'too large' },
  ]);
  const output = createKafka({ topic: 'findings', connection, delivery });
  const report = await output.deliver(batch('opened', findings(1)), within(5_000));
  await output.close();
  expect(report).toMatchObject({ delivered: 0, refused: [{ count: 1, reason: 'too large' }] });
});

test('brokers that are not there, through the library itself, are a reason to wait', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  const connection = { brokers: [`127.0.0.1:${port}`], clientId: 'test' };
  const output = createKafka({ topic: 'findings', connection, delivery: { ...delivery, timeoutMs: 2_000 } });
  const report = await output.deliver(batch('opened', findings(1)), within(1_000));
  await output.close();
  expect(report).toMatchObject({ delivered: 0, refused: [], waiting: [{ count: 1 }] });
  expect(report.waiting[0]?.reason).toMatch(/ECONNREFUSED|Connection/);
});
