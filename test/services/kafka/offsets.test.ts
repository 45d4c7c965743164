/** Where reading begins and goes on: committed offsets, times, what retention removed, producers with transactions. */
import { expect, test } from '@jest/globals';
import { until } from '../../until.js';
import { Recorder } from './recorder.js';
import { KafkaOfTests, numbered, text, withKafka } from './setup.js';

withKafka('offsets in a real Kafka', () => {
  const on = new KafkaOfTests();

  test('are committed with metadata, and who comes next begins there or where it is told', async () => {
    await on.broker.createTopic('commits', 2);
    // One key, one partition.
    const messages = numbered('message', 10).map((line) => text(line, 'one'));
    await on.send('commits', messages);
    const first = await on.read('commits');
    await until(() => first.recorder.got.length === 10, 'all');
    const partition = first.recorder.got[0]?.partition ?? -1;
    const committed = { topic: 'commits', partition, offset: 4, metadata: '{"state":7}' };
    await first.consumer.commit([committed]);
    expect(await first.consumer.members()).toBe(1);
    await first.consumer.stop();
    expect(first.recorder.revoked).toBe(1);
    expect(await on.kafka.committed('group of commits', ['commits'])).toEqual([committed]);
    await expect(first.consumer.commit([committed])).rejects.toThrow(/not joined/);

    const second = await on.read('commits');
    await until(() => second.recorder.got.length === 6, 'the rest');
    const own = second.recorder.assigned[0]?.find((one) => one.partition === partition);
    expect(own).toEqual({ topic: 'commits', partition, low: 0, high: 10, begin: 4, committed });
    expect(second.recorder.got.map(({ offset }) => offset)).toEqual([4, 5, 6, 7, 8, 9]);
    const strange = [{ topic: 'other', partition: 0, offset: 1 }];
    await expect(second.consumer.commit(strange)).rejects.toThrow(/other\/0 is not assigned/);
    await second.consumer.stop();

    const told = new Recorder();
    told.begin = () => [{ topic: 'commits', partition, offset: 8 }];
    await on.read('commits', { from: 'latest' }, told);
    await until(() => told.got.length === 2, 'the last');
    expect(told.got.map(({ offset }) => offset)).toEqual([8, 9]);
  });

  test('that are not committed begin at the beginning, the end, or a time', async () => {
    await on.broker.createTopic('from', 1);
    const producer = on.plain().producer();
    await producer.connect();
    const start = Date.now() - 60_000;
    const send = (...values: [string, number][]) =>
      producer.send({
        topic: 'from',
        messages: values.map(([value, time]) => ({ value, timestamp: String(start + time) })),
      });
    await send(['a', 1_000], ['b', 2_000], ['c', 3_000]);
    const readers = await Promise.all([
      on.read('from', { groupId: 'timed', from: start + 1_500 }),
      on.read('from', { groupId: 'late', from: start + 9_000 }),
      on.read('from', { groupId: 'latest', from: 'latest' }),
    ]);
    await until(() => readers.every(({ recorder }) => recorder.ends.has('from/0')), 'all at their end');
    await send(['d', 4_000]);
    await producer.disconnect();
    await until(() => readers.every(({ recorder }) => recorder.values().includes('d')), 'd everywhere');
    expect(readers.map(({ recorder }) => recorder.values())).toEqual([['b', 'c', 'd'], ['d'], ['d']]);
  });

  test('that retention has removed are counted, and reading goes on with what is left', async () => {
    await on.broker.createTopic('old', 1);
    await on.send(
      'old',
      numbered('old', 10).map((line) => text(line)),
    );
    const first = await on.read('old');
    await until(() => first.recorder.got.length === 10, 'all');
    await first.consumer.commit([{ topic: 'old', partition: 0, offset: 3 }]);
    await first.consumer.stop();
    const admin = on.plain().admin();
    await admin.connect();
    // It must know the topic.
    await admin.fetchTopicMetadata({ topics: ['old'] });
    await admin.deleteTopicRecords({ topic: 'old', partitions: [{ partition: 0, offset: '7' }] });

    const second = await on.read('old');
    await until(() => second.recorder.got.length === 3, 'what is left');
    expect(second.recorder.got.map(({ offset }) => offset)).toEqual([7, 8, 9]);
    expect(on.messages.join('\n')).toMatch(/old\/0: 4 offsets \(3 to 6\) were removed before they were read/);

    // The same while it is being read.
    second.consumer.pause([{ topic: 'old', partition: 0 }]);
    await on.send(
      'old',
      numbered('new', 5).map((line) => text(line)),
    );
    await admin.deleteTopicRecords({ topic: 'old', partitions: [{ partition: 0, offset: '13' }] });
    await admin.disconnect();
    second.consumer.resume([{ topic: 'old', partition: 0 }]);
    await until(() => second.recorder.got.length === 5, 'what is left now');
    expect(on.messages.join('\n')).toMatch(/old\/0: 3 offsets \(10 to 12\) were removed before they were read/);
    expect(second.recorder.got.slice(3).map(({ offset }) => offset)).toEqual([13, 14]);
    await second.consumer.stop();
  });

  test('of a transaction are committed with its messages or not at all; a fenced producer is done', async () => {
    await on.broker.createTopic('in', 1);
    expect(await on.kafka.ensureTopic('out', 3, { 'retention.ms': '600000' })).toBe(3);
    expect(await on.kafka.ensureTopic('out', 5)).toBe(3);
    const options = { transactionalId: 'stage', timeoutMs: 10_000, compression: 'lz4' } as const;
    const old = on.kafka.producer(options);
    const out = (value: string) => [{ topic: 'out', messages: [text(value)] }];
    const at = (offset: number) => [{ topic: 'in', partition: 0, offset, metadata: `at ${offset}` }];
    await old.sendAtomically(out('one'), 'stage', at(5));
    expect(await on.kafka.committed('stage', ['in'])).toEqual(at(5));

    const young = on.kafka.producer(options);
    await Promise.all([young.sendAtomically(out('two'), 'stage', at(6)), young.sendAtomically([], 'stage', at(7))]);
    const fenced = { name: 'KafkaFailure', retry: false, message: expect.stringMatching(/taken over/) };
    await expect(old.sendAtomically(out('lost'), 'stage', at(9))).rejects.toMatchObject(fenced);
    await expect(old.sendAtomically(out('lost'), 'stage', at(9))).rejects.toMatchObject(fenced);
    // Whole or not: the topic is not there, so the offset is not committed either.
    const nowhere = [...out('lost too'), { topic: 'nowhere', messages: [text('x')] }];
    await expect(young.sendAtomically(nowhere, 'stage', at(8))).rejects.toThrow(/stage/);
    await young.send('out', [text('three')]);
    const { recorder } = await on.read('out', { groupId: 'out' });
    await until(() => recorder.values().includes('three'), 'three');
    expect(recorder.values().sort()).toEqual(['one', 'three', 'two']);
    expect(await on.kafka.committed('stage', ['in'])).toEqual(at(7));
  });
});
