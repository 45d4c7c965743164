/** A consumer in a thread of its own, as built, with a real Kafka: shares of a group, commits, back-pressure, the end. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from '@jest/globals';
import type { createThreadedKafka } from '../../../src/kafka/threaded/index.js';
import { until } from '../../until.js';
import { Recorder } from './recorder.js';
import { KafkaOfTests, numbered, text, withKafka } from './setup.js';

const BUILT = new URL('../../../dist/kafka/threaded/index.js', import.meta.url);

withKafka('a consumer in a thread', () => {
  const on = new KafkaOfTests();
  let create: typeof createThreadedKafka;

  beforeAll(async () => {
    if (!existsSync(fileURLToPath(BUILT))) throw new Error('dist/kafka is missing; run `npm run build` first');
    create = (await import(BUILT.href)).createThreadedKafka;
  });

  function inThread() {
    const times = { topicsMs: 200, endCheckMs: 200, sessionMs: 6_000 };
    return create({ brokers: on.broker.brokers, clientId: 'thread' }, times);
  }

  test('reads what there is, pauses, commits, shares with another member, and goes on where it was', async () => {
    await on.broker.createTopic('threads', 2);
    for (const key of ['a', 'b', 'c', 'd']) {
      const lines = numbered(key, 300);
      await on.send(
        'threads',
        lines.map((line) => text(line, key)),
      );
    }
    const kafka = inThread();
    const { recorder, consumer } = await on.read('threads', {}, new Recorder(), kafka);
    await until(() => recorder.got.length === 1_200, 'all messages');
    expect(recorder.mistakes).toEqual([]);
    await until(() => recorder.ends.size === 2, 'both ends');
    expect(await consumer.members()).toBe(1);
    const offsets = [...recorder.ends].map(([key, offset]) => ({
      topic: 'threads',
      partition: Number(key.at(-1)),
      offset,
    }));
    await consumer.commit(offsets);
    const other = await on.read('threads');
    await until(() => recorder.owned.size === 1 && other.recorder.owned.size === 1, 'each has one');
    await until(() => recorder.revoked > 0, 'it was told');
    await on.send(
      'threads',
      ['a', 'b', 'c', 'd'].map((key) => text(`more ${key}`, key)),
    );
    await until(() => recorder.got.length + other.recorder.got.length === 1_204, 'the new ones');
    const strange = consumer.commit([{ topic: 'threads', partition: 7, offset: 1 }]);
    await expect(strange).rejects.toMatchObject({ name: 'KafkaFailure', retry: false });
    await kafka.close();
    await until(() => other.recorder.owned.size === 2, 'the other has both');
    expect([...recorder.crashes, ...recorder.mistakes, ...other.recorder.mistakes]).toEqual([]);
  });

  test('fails to start as one in this thread does', async () => {
    const kafka = create({ brokers: ['no-such-host.invalid:9092'], clientId: 'thread' });
    const started = on.read('threads', {}, new Recorder(), kafka);
    await expect(started).rejects.toMatchObject({ name: 'KafkaFailure', retry: false });
    await kafka.close();
  });
});
