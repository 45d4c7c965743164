import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { checkConfigFile } from '../../../src/config/check/index.js';
import { KafkaFailure } from '../../../src/kafka/port.js';
import type { KafkaSettings } from '../../../src/kafka/settings.js';
import { makeFolder } from '../../sources/folder.js';

const CONFIG = `kafka:
  brokers: ["k:1"]
  topics: [audit, late, /^audit-/, /never-/]
  scaleOut: {partitions: 12}
  sasl: {mechanism: scram-sha-256, username: u, password: fromEnv:P}
listen: {webhook: {address: 8443, topic: late}}
`;

let folder: ReturnType<typeof makeFolder>;
beforeEach(() => {
  folder = makeFolder({ 'skew.yaml': CONFIG, 'none.yaml': 'failOn: never' });
});
afterEach(() => folder.drop());

const check = (name: string, listTopics: (settings: KafkaSettings) => Promise<ReadonlyMap<string, number>>) =>
  checkConfigFile(`${folder.path}/${name}`, { env: { P: 'pw' }, nowMs: 0, listTopics });

test('what is not there is warned of; what would be read is told with its partitions', async () => {
  const asked: KafkaSettings[] = [];
  const { mistakes, warnings, summary, unreachable } = await check('skew.yaml', async (settings) => {
    asked.push(settings);
    return new Map([
      ['audit-b', 3],
      ['audit', 6],
      ['other', 1],
      ['__never-', 50],
      ['skewscope-internal', 4],
    ]);
  });
  expect(asked).toEqual([
    {
      brokers: ['k:1'],
      clientId: 'skewscope',
      sessionMs: 20_000,
      sasl: { mechanism: 'scram-sha-256', username: 'u', password: 'pw' },
    },
  ]);
  expect({ mistakes, unreachable }).toEqual({ mistakes: [], unreachable: '' });
  expect(warnings.map((line) => line.replace(`${folder.path}/`, ''))).toEqual([
    'skew.yaml:3:19: `kafka.topics.1` is no topic yet, or this user may not see it; it is read when it is there',
    'skew.yaml:3:36: `kafka.topics.3` fits no topic yet, or this user may not see it; it is read when it is there',
    'skew.yaml:4:26: `kafka.scaleOut.partitions` is not what the topic has: it was made with 4, which holds',
    'skew.yaml:6:19: `listen.webhook` writes to late, which is no topic yet, or this user may not see it; make it',
  ]);
  expect(summary.at(-1)).toBe('found     audit (6), audit-b (3), with partitions');
});

test('a Kafka that cannot be reached is told apart from mistakes', async () => {
  const result = await check('skew.yaml', async () => {
    throw new KafkaFailure('listing topics: connection refused', true);
  });
  expect(result).toMatchObject({ mistakes: [], unreachable: 'Kafka: listing topics: connection refused' });
});

test('what is wrong in the program is not taken for Kafka', async () => {
  const broken = check('skew.yaml', async () => {
    throw new TypeError('a mistake');
  });
  await expect(broken).rejects.toThrow('a mistake');
});

test('without a section kafka nothing is asked', async () => {
  const never = async () => {
    throw new Error('asked');
  };
  expect(await check('none.yaml', never)).toMatchObject({ mistakes: [], unreachable: '' });
});
