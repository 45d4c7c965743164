import { describe, expect, it } from '@jest/globals';
import { KafkaFailure } from '../../../src/kafka/port.js';
import { LaneProducer } from '../../../src/service/stage-one/lane-producer.js';
import { EAGER_CLOCK } from '../engine-kit.js';
import { MemoryCluster, type MemoryConnection } from '../memory-cluster.js';

const PLACE = { topic: 'audit', partition: 1 };

function kit() {
  const cluster = new MemoryCluster();
  cluster.create('between', 1);
  const notes: string[] = [];
  const failures: Error[] = [];
  let retries = 0;
  const open = (connection: MemoryConnection, signal = new AbortController().signal) =>
    new LaneProducer(PLACE, [{ topic: 'between', messages: [message('opening')] }], signal, {
      kafka: connection,
      group: 'g.decode',
      compression: 'none',
      clock: EAGER_CLOCK,
      onNote: (text) => notes.push(text),
      onFailure: (error) => failures.push(error),
      beforeRetry: async () => {
        retries += 1;
      },
    });
  const values = () => cluster.topics.get('between')?.[0]?.map(({ value }) => String(value));
  return { cluster, notes, failures, open, values, retried: () => retries };
}

function message(text: string) {
  return { partition: 0, key: null, value: Buffer.from(text), headers: {} };
}

const sending = (text: string) => [{ topic: 'between', messages: [message(text)] }];
const at = (offset: number) => ({ ...PLACE, offset, metadata: `at ${offset}` });

describe('the producer of a partition', () => {
  it('writes messages and commits offsets together', async () => {
    const { cluster, open, values } = kit();
    const producer = open(cluster.connect());
    expect(await producer.open()).toBe(true);
    expect(await producer.send(sending('a'), at(5))).toBe(true);
    expect(values()).toEqual(['opening', 'a']);
    expect([...cluster.group('g.decode').committed.values()]).toEqual([at(5)]);
  });

  it('writes once what it does not know whether it was written', async () => {
    const { cluster, notes, open, values, retried } = kit();
    const producer = open(cluster.connect());
    await producer.open();
    cluster.losesAnswers = 1;
    expect(await producer.send(sending('a'), at(5))).toBe(true);
    expect(values()).toEqual(['opening', 'a', 'opening']);
    expect(retried()).toBe(1);
    expect(notes).toEqual([expect.stringMatching(/stage one, writing for audit\/1: .*trying again/)]);
  });

  it('writes again what was not written', async () => {
    const { cluster, open, values } = kit();
    const producer = open(cluster.connect());
    await producer.open();
    cluster.losesTransactions = 2;
    expect(await producer.send(sending('a'), at(5))).toBe(true);
    expect(values()?.filter((text) => text === 'a')).toEqual(['a']);
  });

  it('shuts out the one before, which writes nothing any more and ends when its partitions are gone', async () => {
    const { cluster, failures, open, values } = kit();
    const lost = new AbortController();
    const before = open(cluster.connect(), lost.signal);
    await before.open();
    const next = open(cluster.connect());
    await next.open();
    const late = before.send(sending('late'), at(9));
    lost.abort();
    expect(await late).toBe(false);
    expect(await next.send(sending('b'), at(6))).toBe(true);
    expect(values()).toEqual(['opening', 'opening', 'b']);
    expect(failures).toEqual([]);
  });

  it('fails when nothing helps', async () => {
    const { cluster, failures, open } = kit();
    const connection = cluster.connect();
    const producer = open(connection);
    await producer.open();
    const refused = new KafkaFailure('raise max.message.bytes of the topic', false);
    connection.fails = refused;
    expect(await producer.send(sending('a'), at(5))).toBe(false);
    expect(failures.map(({ message: text }) => text)).toEqual([
      'stage one, taking over for audit/1: raise max.message.bytes of the topic',
    ]);
  });
});
