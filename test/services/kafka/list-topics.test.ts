/** `skewscope config check --connect` with a real Kafka: what is there, and why it cannot be asked. */
import { expect, test } from '@jest/globals';
import { runCli } from '../../../src/cli/run.js';
import { fakeTerminal, wordStages } from '../../cli/fakes.js';
import { makeFolder } from '../../sources/folder.js';
import { PASSWORD, USER } from './settings.js';
import { KafkaOfTests, withKafka } from './setup.js';

withKafka('config check --connect', () => {
  const on = new KafkaOfTests({ secure: true });

  async function check(section: string, password = PASSWORD) {
    const { path, drop } = makeFolder({ 'skew.yaml': `kafka: ${section}` });
    const terminal = fakeTerminal();
    terminal.env = { PASSWORD: password };
    const code = await runCli(['config', 'check', '--connect', `${path}/skew.yaml`], terminal, wordStages);
    drop();
    return { code, stdout: terminal.stdout.text, stderr: terminal.stderr.text };
  }
  const sasl = `{mechanism: scram-sha-256, username: ${USER}, password: fromEnv:PASSWORD}`;

  test('tells the topics that would be read', async () => {
    await on.broker.createTopic('audit-one', 3);
    const { code, stdout, stderr } = await check(
      `{brokers: ["${on.broker.sasl}"], topics: [/^audit-/, later], sasl: ${sasl}}`,
    );
    expect(stderr).toContain('`kafka.topics.1` is no topic yet');
    expect(stdout).toContain('found     audit-one (3), with partitions\n');
    expect(code).toBe(0);
  });

  test('says why it cannot, without the password', async () => {
    const { code, stdout, stderr } = await check(
      `{brokers: ["${on.broker.sasl}"], topics: [a], sasl: ${sasl}}`,
      'wr0ng-pass',
    );
    expect(stderr).toMatch(/^Kafka: listing topics: .*check the mechanism, the user and the password or token/m);
    expect(stdout + stderr).not.toContain('wr0ng-pass');
    expect(code).toBe(3);
  });

  test('says so where nothing listens', async () => {
    const { code, stderr } = await check('{brokers: ["127.0.0.1:1"], topics: [a]}');
    expect(stderr).toMatch(/^Kafka: listing topics: .*refused/m);
    expect(code).toBe(3);
  });
});
