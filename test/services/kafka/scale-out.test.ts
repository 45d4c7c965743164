/** Three replicas of the service share the work on a real Kafka, and tell what one tells alone. */
import { afterEach, expect, test } from '@jest/globals';
import { parseConfig } from '../../../src/config/index.js';
import { createKafka } from '../../../src/kafka/kafkajs/index.js';
import { systemClock } from '../../../src/outputs/index.js';
import { type AnalysisResult, toResult } from '../../../src/report/index.js';
import { openService, type Service } from '../../../src/service/index.js';
import { RULES } from '../../analysis/samples.js';
import { linesOf } from '../../service/audit-lines.js';
import { until } from '../../until.js';
import { KafkaOfTests, withKafka } from './setup.js';

const RUN = 'upgrade-with-failure';
const PARTITIONS = 12;

withKafka('replicas on a real Kafka', () => {
  const on = new KafkaOfTests();
  const said: string[] = [];
  const opened: Service[] = [];

  // Before the broker goes, also when a test fails.
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((service) => service.stop(10_000)));
  });

  async function open(group: string, scaleOut: boolean): Promise<Service> {
    const text = JSON.stringify({
      cluster: 'prod',
      kafka: {
        brokers: on.broker.brokers,
        topics: ['audit'],
        group,
        from: 'earliest',
        ...(scaleOut ? { scaleOut: { topic: `${group}-between`, partitions: 4 } } : {}),
      },
      listen: { admin: false },
    });
    const service = await openService({
      config: parseConfig(text, 'skewscope.yaml'),
      rules: RULES,
      env: {},
      version: 'test',
      clock: systemClock,
      log: {
        say: (level, line) => said.push(`${level} ${line}`),
        answer: (level, line) => said.push(`${level} ${line}`),
      },
      writeStdout: async () => {},
      createKafka: (settings, onMessage) =>
        createKafka(settings, { onMessage, topicsMs: 200, endCheckMs: 200, sessionMs: 6_000 }),
    });
    opened.push(service);
    return service;
  }

  test('tell what one tells alone, also when one of them leaves', async () => {
    await on.broker.createTopic('audit', PARTITIONS);
    const lines = linesOf(RUN);
    const messages = lines.map(({ text, server }, index) => ({
      partition: (index * 7919) % PARTITIONS,
      key: null,
      value: Buffer.from(text),
      headers: { 'x-server': `cp${server + 1}` },
    }));
    const half = Math.floor(messages.length / 2);
    await on.send('audit', messages.slice(0, half));
    const replicas = await Promise.all([1, 2, 3].map(() => open('shared', true)));
    const taken = () => replicas.reduce((sum, { view }) => sum + view.status().records, 0);
    const owned = () =>
      replicas.map(({ view }) => view.status().partitions.filter(({ topic }) => topic === 'audit').length).join();
    // The first to join has all of it until the others have joined too.
    await until(
      () => owned() === '4,4,4',
      'an equal share for each',
      () => `${owned()}${why()}`,
    );
    await until(() => taken() >= half, 'the first half', why);
    await until(() => replicas.some(correlates), 'one that correlates', why);
    // That one goes, in the middle of everything.
    const [leaving] = replicas.splice(replicas.findIndex(correlates), 1);
    const sending = on.send('audit', messages.slice(half));
    await leaving?.stop(10_000);
    await sending;
    const alone = await open('alone', false);
    await until(() => isDone(alone, messages.length), 'all of one', why);
    await until(() => replicas.some((replica) => isDone(replica, messages.length)), 'all of the others', why);
    expect(resultOf(replicas.filter(correlates))).toEqual(resultOf([alone]));
    await Promise.all([alone, ...replicas].map((service) => service.stop(10_000)));
    expect(said.filter((line) => line.startsWith('error'))).toEqual([]);
  });

  function why(): string {
    return `\n${said.join('\n')}`;
  }
});

function correlates({ view }: Service): boolean {
  return view.analysis() !== undefined;
}

function isDone({ view }: Service, count: number): boolean {
  const analysis = view.analysis();
  const records = analysis?.inputs.reduce((sum, input) => sum + input.records, 0);
  return records === count && view.status().phase === 'live';
}

/** Inputs are numbered as they turn up. */
function resultOf(services: readonly Service[]): AnalysisResult {
  const [analysis, other] = services.flatMap(({ view }) => view.analysis() ?? []);
  if (analysis === undefined || other !== undefined) throw new Error(`judged by ${services.length}`);
  const { inputs, ...rest } = toResult(analysis);
  const key = ({ name, server, records }: (typeof inputs)[number]) => `${name} ${server} ${records}`;
  return { ...rest, inputs: [...inputs].sort((a, b) => (key(a) < key(b) ? -1 : 1)) };
}
