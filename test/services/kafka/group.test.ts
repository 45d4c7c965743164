/** A group on a real Kafka: topics that come late, members that come and go, a broker that is killed. */
import { expect, test } from '@jest/globals';
import { partitionKey } from '../../../src/kafka/assignment.js';
import type { KafkaConsumer } from '../../../src/kafka/port.js';
import { until } from '../../until.js';
import { Recorder } from './recorder.js';
import { KafkaOfTests, text, withKafka } from './setup.js';

withKafka('a group on a real Kafka', () => {
  const on = new KafkaOfTests();

  test('waits for a topic that is not there yet, and says so', async () => {
    const { recorder } = await on.read('late');
    expect(on.messages.join('\n')).toMatch(/warn no topic "late" is there yet/);
    await on.broker.createTopic('late', 1);
    await on.send('late', [text('first')]);
    await until(() => recorder.got.length === 1, 'the message');
    expect(recorder.crashes).toEqual([]);
  });

  test('takes in new topics that fit a pattern, and new partitions of those it has', async () => {
    await on.broker.createTopic('audit.a', 1);
    await on.broker.createTopic('other.audit.a', 1);
    await on.send('audit.a', [text('one')]);
    const { recorder, consumer } = await on.read(/^audit\./);
    await until(() => recorder.got.length === 1, 'one');
    await consumer.commit([{ topic: 'audit.a', partition: 0, offset: 1 }]);
    await on.broker.createTopic('audit.b', 2);
    await on.send('audit.b', [text('two', 'k'), text('three', 'l')]);
    await until(() => recorder.got.length === 3, 'those of the new topic');
    expect(recorder.values().sort()).toEqual(['one', 'three', 'two']);
    expect(recorder.assigned.at(-1)?.map(partitionKey).sort()).toEqual(['audit.a/0', 'audit.b/0', 'audit.b/1']);
    expect(recorder.mistakes).toEqual([]);
  });

  test('gives every message to exactly one member, whoever joins and leaves; who stays keeps what it had', async () => {
    const partitions = 6;
    await on.broker.createTopic('shared', partitions);
    const members: { recorder: Recorder; consumer: KafkaConsumer; next: Map<string, number> }[] = [];
    const join = async () => {
      const recorder = new Recorder();
      const next = new Map<string, number>();
      // As the service does: whoever has a partition remembers where it was; who gets it anew begins at the commit.
      recorder.begin = (assigned) =>
        assigned.flatMap(({ topic, partition, committed }) => {
          const offset = next.get(partitionKey({ topic, partition }));
          return offset === undefined || offset < (committed?.offset ?? 0) ? [] : [{ topic, partition, offset }];
        });
      recorder.onEach = ({ topic, partition, offsets }) => {
        const offset = (offsets.at(-1) ?? -1) + 1;
        next.set(partitionKey({ topic, partition }), offset);
        void consumer.commit([{ topic, partition, offset }]).catch(() => undefined);
      };
      const kafka = on.connect();
      const consumer = kafka.consumer({
        groupId: 'shared',
        topics: ['shared'],
        from: 'earliest',
        committedOnly: true,
        sender: { serverHeaders: [], clusterHeaders: [], key: 'ignore', topic: undefined },
      });
      await consumer.start(recorder);
      members.push({ recorder, consumer, next });
    };
    let sent = 0;
    let going = true;
    const sending = (async () => {
      while (going) {
        const messages = Array.from({ length: 20 }, (_, i) => text(`m${sent + i}`, `key ${(sent + i) % 50}`));
        await on.send('shared', messages);
        sent += messages.length;
      }
    })();
    const settled = async (sizes: number[]) => {
      await until(() => {
        const now = members.map(({ recorder }) => recorder.owned.size).filter((size) => size > 0);
        return String(now.sort()) === String(sizes);
      }, `assignments ${sizes}`);
    };
    await join();
    await settled([6]);
    await join();
    await join();
    await settled([2, 2, 2]);
    const before = members.map(({ recorder }) => [...recorder.owned].sort());
    expect(new Set(before.flat()).size).toBe(partitions);
    await members[1]?.consumer.stop();
    await settled([3, 3]);
    for (const at of [0, 2]) {
      for (const one of before[at] ?? []) expect(members[at]?.recorder.owned).toContain(one);
    }
    going = false;
    await sending;
    const got = () => members.flatMap(({ recorder }) => recorder.got);
    await until(() => new Set(got().map(({ value }) => value)).size === sent, 'all');
    for (const { recorder } of members) {
      expect([recorder.mistakes, recorder.crashes]).toEqual([[], []]);
      // Within one assignment, no offset is left out or given twice.
      for (const partition of Array.from({ length: partitions }, (_, i) => i)) {
        for (const assignment of new Set(recorder.got.map((one) => one.assignment))) {
          const offsets = recorder.got
            .filter((one) => one.partition === partition && one.assignment === assignment)
            .map(({ offset }) => offset);
          expect(offsets).toEqual(offsets.map((_, i) => (offsets[0] ?? 0) + i));
        }
      }
    }
    // The member that was there all the time never read again what it had read.
    const first = members[0]?.recorder.got.map(({ partition, offset }) => `${partition}/${offset}`) ?? [];
    expect(new Set(first).size).toBe(first.length);
  });

  test('goes on after the broker was killed and is back', async () => {
    await on.broker.createTopic('killed', 2);
    await on.send('killed', [text('before', 'a'), text('before too', 'b')]);
    const { recorder, consumer } = await on.read('killed');
    await until(() => recorder.got.length === 2, 'both');
    await on.broker.kill();
    const lost = consumer.commit([{ topic: 'killed', partition: 0, offset: 0 }]);
    await Promise.all([expect(lost).rejects.toMatchObject({ name: 'KafkaFailure' }), on.broker.restart()]);
    const producer = on.connect();
    for (let sent = false; !sent; ) {
      sent = await on.send('killed', [text('after', 'a')], producer).then(
        () => true,
        () => false,
      );
    }
    await until(
      () => recorder.values().includes('after'),
      'the one after',
      () => on.messages.join('\n'),
    );
    expect(recorder.crashes).toEqual([]);
    // The sender may send again what the broker had when it came back; within an assignment, what it has comes once.
    const places = recorder.got.map(({ assignment, partition, offset }) => `${assignment}: ${partition}/${offset}`);
    expect(places).toEqual([...new Set(places)]);
  });
});
