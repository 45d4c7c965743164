/** A real Kafka that asks who one is: SASL with passwords and tokens, TLS with client certificates. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { KafkaSettings, SaslSettings } from '../../../src/kafka/settings.js';
import { until } from '../../until.js';
import { SERVER_NAME } from './certs.js';
import { Recorder } from './recorder.js';
import { PASSWORD, USER } from './settings.js';
import { KafkaOfTests, text, withKafka } from './setup.js';

withKafka('a real Kafka that asks who one is', () => {
  const on = new KafkaOfTests({ secure: true });

  const roundTrip = async (topic: string, settings: Partial<KafkaSettings>) => {
    await on.broker.createTopic(topic, 1);
    const kafka = on.connect(settings);
    await on.send(topic, [text('through')], kafka);
    const { recorder } = await on.read(topic, {}, new Recorder(), kafka);
    await until(() => recorder.got.length === 1, 'the message');
    expect(recorder.values()).toEqual(['through']);
  };
  const sasl = (settings: SaslSettings) => ({ brokers: on.broker.sasl, sasl: settings });

  test.each(['plain', 'scram-sha-256', 'scram-sha-512'] as const)('lets in by %s', async (mechanism) => {
    await roundTrip(`by-${mechanism}`, sasl({ mechanism, username: USER, password: PASSWORD }));
  });

  test('lets in by a token, which is read anew for each connection', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'skewscope-token-'));
    try {
      const tokenFile = join(folder, 'token');
      writeFileSync(tokenFile, `${unsecuredToken('one')}\n`);
      await roundTrip('by-token', sasl({ mechanism: 'oauthbearer', tokenFile }));
      writeFileSync(tokenFile, 'not a token\n');
      const refused = on.connect(sasl({ mechanism: 'oauthbearer', tokenFile })).committed('group', ['by-token']);
      await expect(refused).rejects.toThrow(/token: no token; the file must hold one and nothing else/);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test('a wrong password ends the start at once, and is not shown', async () => {
    const wrong = sasl({ mechanism: 'plain', username: USER, password: 'wrong-secret' });
    const reading = on.read('by-plain', {}, new Recorder(), on.connect(wrong));
    await expect(reading).rejects.toMatchObject({ name: 'KafkaFailure', retry: false });
    await expect(reading).rejects.toThrow(/check the mechanism, the user and the password/);
    expect(on.messages.join('\n')).not.toContain('wrong-secret');
  });

  test('lets in by a client certificate, and says what is wrong without one or with a wrong name', async () => {
    const { certs } = on.broker;
    if (certs === undefined) throw new Error('no certificates were made');
    const tls = { ...certs, serverName: SERVER_NAME };
    const brokers = on.broker.tls;
    await roundTrip('by-tls', { brokers, tls });
    const refused = (settings: KafkaSettings['tls']) =>
      on.read(
        'by-tls',
        {},
        new Recorder(),
        on.connect({ brokers, ...(settings === undefined ? {} : { tls: settings }) }),
      );
    await expect(refused({ ...certs, serverName: 'other.test' })).rejects.toThrow(/tls\.serverName/);
    await expect(refused({ serverName: SERVER_NAME })).rejects.toThrow(/tls\.ca/);
    await expect(refused({ ca: certs.ca, serverName: SERVER_NAME })).rejects.toThrow(/client certificate/);
  });

  test('a host name that is not known ends the start', async () => {
    const nowhere = on.connect({ brokers: ['kafka.invalid:9092'] });
    await expect(on.read('any', {}, new Recorder(), nowhere)).rejects.toThrow(/kafka\.invalid.*host name/);
  });
});

/** As the broker of the tests takes them: not signed. */
function unsecuredToken(subject: string): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const seconds = Math.floor(Date.now() / 1000);
  return `${part({ alg: 'none' })}.${part({ sub: subject, iat: seconds, exp: seconds + 600 })}.`;
}
