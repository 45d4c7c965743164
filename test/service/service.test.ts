/** The service as it is embedded: what is open once it is open, what is left when it is not, what a reload takes over. */
import { afterEach, describe, expect, it } from '@jest/globals';
import { ConfigError, parseConfig } from '../../src/config/index.js';
import { KafkaFailure } from '../../src/kafka/port.js';
import { openService, type Service, type ServiceOptions } from '../../src/service/index.js';
import { RULES } from '../analysis/samples.js';
import { PATIENCE_MS, until } from '../until.js';
import { linesOf, messageOf } from './audit-lines.js';
import { EAGER_CLOCK, turn } from './engine-kit.js';
import { MemoryCluster, MemoryConnection } from './memory-cluster.js';

const LINES = linesOf('wrong-peer-ca');
const RULE = 'wrong-not-found';
const PAGE = { admin: '127.0.0.1:0' };

/** A connection that a test can break, and that knows whether it was closed. */
class TestConnection extends MemoryConnection {
  isClosed = false;
  noTopics: Error | undefined;

  override async ensureTopic(topic: string, partitions: number): Promise<number> {
    if (this.noTopics !== undefined) throw this.noTopics;
    return super.ensureTopic(topic, partitions);
  }

  override async close(): Promise<void> {
    this.isClosed = true;
  }
}

function configOf(kafka: object, rest: object = {}) {
  const section = { brokers: ['nowhere:9092'], topics: ['audit'], group: 'skewscope', from: 'earliest', ...kafka };
  return parseConfig(JSON.stringify({ listen: { admin: false }, ...rest, kafka: section }), 'skewscope.yaml');
}

const services: Service[] = [];
afterEach(async () => {
  for (const service of services.splice(0)) await service.stop(1_000);
});

function setup() {
  const cluster = new MemoryCluster();
  cluster.create('audit', 2);
  for (const [at, line] of LINES.entries()) cluster.produce('audit', at % 2, messageOf(line));
  const connection = new TestConnection(cluster);
  const said: string[] = [];
  const open = async (config: ServiceOptions['config'], more: Partial<ServiceOptions> = {}) => {
    const service = await openService({
      config,
      rules: RULES,
      env: {},
      version: 'test',
      clock: EAGER_CLOCK,
      log: {
        say: (level, text) => said.push(`${level} ${text}`),
        answer: (level, text) => said.push(`${level} ${text}`),
      },
      writeStdout: async () => {},
      createKafka: () => connection,
      ...more,
    });
    services.push(service);
    return service;
  };
  const feed = async (service: Service) => {
    const ends = Date.now() + PATIENCE_MS;
    while (connection.fetch(500) || service.view.status().phase !== 'live') {
      if (Date.now() > ends) throw new Error(`not taken: ${said.join('\n')}`);
      await turn(1);
    }
  };
  return { cluster, connection, said, open, feed };
}

describe('a service that is open', () => {
  const between = { scaleOut: { topic: 'between', partitions: 2 } };
  it.each([
    ['of one replica', {}],
    ['that shares the work', between],
  ])('%s shows what it reads, and ends when it is stopped', async (_, kafka) => {
    const { connection, cluster, said, open, feed } = setup();
    const webhook = { address: '127.0.0.1:0', topic: 'audit' };
    const service = await open(configOf({ ...kafka, deadLetters: 'dead' }, { listen: { ...PAGE, webhook } }));
    const { url = '', webhookUrl = '' } = service;
    expect(said.slice(0, 1)).toEqual([`info page and interface at ${url}`]);
    expect(said).toContain(`info audit webhook at ${webhookUrl}`);
    await until(() => cluster.topics.has('dead'));
    await feed(service);
    const { findings } = (await (await fetch(`${url}api/v1/findings`)).json()) as { findings: { rule: string }[] };
    expect(findings.map(({ rule }) => rule)).toContain(RULE);
    expect(service.view.status().members).toBe(1);
    await Promise.all([service.stop(5_000), service.stop(5_000)]);
    expect(connection.isClosed).toBe(true);
    expect(service.view.status().phase).toBe('stopping');
    await expect(fetch(`${url}livez`)).rejects.toThrow('fetch failed');
    await expect(fetch(webhookUrl)).rejects.toThrow('fetch failed');
    expect(said.filter((line) => !line.startsWith('info'))).toEqual([]);
  });

  it('tells when the topic for what cannot be read cannot be made, and goes on', async () => {
    const { connection, said, open, feed } = setup();
    connection.noTopics = new KafkaFailure('not allowed', false);
    const service = await open(configOf({ deadLetters: 'dead' }));
    await feed(service);
    const told = said.filter((line) => line.startsWith('warn'));
    expect(told).toEqual([
      expect.stringMatching(/^warn the topic dead cannot be made: not allowed; it is tried again/),
    ]);
    expect(service.view.status().notes.map(({ message }) => `warn ${message}`)).toEqual(told);
  });

  it('says what waits for the next start when it is reloaded, and why a configuration is not taken', async () => {
    const { said, open } = setup();
    const service = await open(configOf({}));
    service.reloadFailed('no such key');
    expect(said.at(-1)).toBe('error the configuration is not taken, the old one goes on: no such key');
    expect(service.view.status().configFailure).toBe('no such key');
    await service.reload(configOf({}), RULES);
    expect(said.at(-1)).toBe('info rules and outputs are loaded anew');
    expect(service.view.status().configFailure).toBe('');
    await service.reload(configOf({ group: 'other' }, { cluster: 'prod' }), RULES);
    expect(said.at(-1)).toMatch(/; what changed in kafka, cluster waits for the next start$/);
  });
});

describe('a service that does not open', () => {
  it('leaves nothing open, and says what is wrong with the configuration', async () => {
    const { open, feed } = setup();
    const first = await open(configOf({}, { listen: PAGE }));
    await feed(first);
    const { port } = new URL(first.url ?? '');
    const { connection, open: openAgain } = setup();
    const taken = openAgain(configOf({}, { listen: { admin: `127.0.0.1:${port}` } }));
    await expect(taken).rejects.toThrow(ConfigError);
    expect(connection.isClosed).toBe(true);
  });

  it('ends when it is told to while Kafka is away', async () => {
    const { connection, said, open } = setup();
    connection.noTopics = new KafkaFailure('no broker answers', true);
    const abort = new AbortController();
    const opening = open(configOf({ scaleOut: { topic: 'between', partitions: 2 } }), { signal: abort.signal });
    await until(() => said.some((line) => line.includes('no broker answers')));
    abort.abort(new Error('told to end'));
    await expect(opening).rejects.toThrow('told to end');
    expect(connection.isClosed).toBe(true);
  });

  it('has nothing to read without a section kafka', async () => {
    const { open } = setup();
    await expect(open(parseConfig('{}', 'skewscope.yaml'))).rejects.toThrow('the configuration has no section kafka');
  });
});
