/** A session over a client that does what a test says: answers that come late, and those of an assignment that is over. */
import { describe, expect, it } from '@jest/globals';
import type { Cluster, Kafka, PartitionAssigner } from 'kafkajs';
import { partitionKey } from '../../../src/kafka/assignment.js';
import { Session } from '../../../src/kafka/kafkajs/session.js';
import type { Assigned, ConsumerHandlers } from '../../../src/kafka/port.js';
import { systemClock } from '../../../src/outputs/delivery/clock.js';
import { until } from '../../until.js';

type Heard = (event: { readonly payload: Readonly<Record<string, unknown>> }) => void;

interface Asked {
  readonly partitions: readonly number[];
  readonly answer: () => void;
}

/** What the session asks of the group's offsets waits until the test answers it. */
function setup() {
  const heard = new Map<string, Heard>();
  const asked: Asked[] = [];
  let join = () => {};
  const coordinator = {
    offsetFetch: ({
      topics,
    }: {
      readonly topics: readonly { readonly partitions: readonly { partition: number }[] }[];
    }) =>
      new Promise((resolve) => {
        const partitions = topics.flatMap((one) => one.partitions.map(({ partition }) => partition));
        asked.push({ partitions, answer: () => resolve({ responses: [] }) });
      }),
  };
  const cluster = {
    findGroupCoordinator: async () => coordinator,
    refreshMetadata: async () => {},
    fetchTopicsOffset: async (topics: readonly { topic: string; partitions: readonly { partition: number }[] }[]) =>
      topics.map(({ topic, partitions }) => ({
        topic,
        partitions: partitions.map((one) => ({ ...one, offset: '0' })),
      })),
  } as unknown as Cluster;
  const events = { GROUP_JOIN: 'join', HEARTBEAT: 'beat', END_BATCH_PROCESS: 'end', CRASH: 'crash' };
  const kafka = {
    consumer: ({ partitionAssigners: [create] }: { readonly partitionAssigners: readonly PartitionAssigner[] }) => {
      const assigner = create?.({ cluster } as Parameters<PartitionAssigner>[0]);
      join = () => void assigner?.protocol({ topics: ['audit'] });
      const nothing = () => {};
      const soon = async () => {};
      return {
        events,
        on: (event: string, listener: Heard) => heard.set(event, listener),
        ...{ connect: soon, subscribe: soon, run: soon, disconnect: soon },
        ...{ pause: nothing, resume: nothing, seek: nothing },
      };
    },
  } as unknown as Kafka;
  const calls: string[] = [];
  const handlers: ConsumerHandlers = {
    onBatch: () => {},
    onEnd: () => {},
    async onAssigned(list: readonly Assigned[]) {
      calls.push(`assigned ${list.map(partitionKey).join(' ')}`);
      return [];
    },
    onRevoked: () => void calls.push('revoked'),
    onCrash: (error) => void calls.push(`crash ${error.message}`),
  };
  const sender = { serverHeaders: [], clusterHeaders: [], key: 'ignore', topic: undefined } as const;
  const session = new Session(
    kafka,
    {
      ...{
        groupId: 'skewscope',
        topics: ['audit'],
        topicNames: ['audit'],
        from: 'earliest',
        committedOnly: true,
        sender,
      },
      ...{ clock: systemClock, tell: () => {}, endCheckMs: 60_000, maxWaitMs: 10, sessionMs: 10_000 },
      memory: { partitions: [], generation: 0 },
    },
    handlers,
  );
  /** The group is joined, and gives these partitions of the topic. */
  const give = (...partitions: number[]) => {
    join();
    heard.get('join')?.({ payload: { memberAssignment: { audit: partitions } } });
  };
  return { session, give, asked, calls };
}

describe('a session', () => {
  it('hands on nothing that was given before the last rebalance, however late the brokers answer', async () => {
    const { session, give, asked, calls } = setup();
    const started = session.start();
    await until(() => {
      if (asked.length === 0) give(0, 1);
      return asked.length === 1;
    });
    await started;
    give(1);
    await until(() => asked.length === 2);
    asked[1]?.answer();
    await until(() => calls.includes('assigned audit/1'));
    asked[0]?.answer();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(asked.map(({ partitions }) => partitions)).toEqual([[0, 1], [1]]);
    expect(calls).toEqual(['revoked', 'assigned audit/1']);
    await session.stop();
  });
});
