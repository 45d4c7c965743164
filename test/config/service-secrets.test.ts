import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ConfigError, parseConfig } from '../../src/config/parse-config.js';
import { serviceSecrets } from '../../src/config/service-secrets.js';
import { makeCertificates } from '../outputs/delivery/certificates.js';

let certificates: ReturnType<typeof makeCertificates>;
beforeAll(() => {
  certificates = makeCertificates();
});
afterAll(() => certificates.drop());

const read = (text: string, env: Readonly<Record<string, string>> = {}) =>
  serviceSecrets(parseConfig(text, `${certificates.folder}/skew.yaml`), env);

describe('serviceSecrets', () => {
  test('reads what the sections name, beside the configuration', () => {
    const text = `
kafka:
  brokers: ["k:1"]
  topics: [audit]
  tls: {ca: ca.crt, cert: client.crt, key: client.key, serverName: kafka}
  sasl: {mechanism: scram-sha-256, username: u, password: fromEnv:P}
listen:
  token: fromEnv:T
  tls: {cert: server.crt, key: server.key}
  webhook: {address: 0.0.0.0:8443, tls: {cert: server.crt, key: server.key, clientCa: ca.crt}}
`;
    const { ca, client, server } = certificates;
    expect(read(text, { P: 'pw', T: 'token' })).toEqual({
      kafka: {
        brokers: ['k:1'],
        clientId: 'skewscope',
        sessionMs: 20_000,
        tls: { ca, ...client, serverName: 'kafka' },
        sasl: { mechanism: 'scram-sha-256', username: 'u', password: 'pw' },
      },
      admin: { token: 'token', tls: { ...server, clientCa: undefined } },
      webhook: { token: undefined, tls: { ...server, clientCa: ca } },
    });
  });

  test('the token file of oauthbearer is only named: who connects reads it', () => {
    const sasl = '{mechanism: oauthbearer, tokenFile: ca.crt}';
    expect(read(`kafka: {brokers: ["k:1"], topics: [a], sasl: ${sasl}}`).kafka?.sasl).toEqual({
      mechanism: 'oauthbearer',
      tokenFile: `${certificates.folder}/ca.crt`,
    });
  });

  test('nothing is needed', () => {
    const nothing = { token: undefined, tls: undefined };
    expect(read('{}')).toEqual({ kafka: undefined, admin: nothing, webhook: undefined });
  });

  const KAFKA = 'kafka: {brokers: ["k:1"], topics: [a]}';
  test.each([
    ['listen: {token: "fromEnv:T"}', {}, 'listen: the environment variable T is not set; it is named by fromEnv:T'],
    [
      'listen: {token: "fromEnv:T"}',
      { T: 'se cret' },
      'listen: the token cannot be used: fromEnv:T leads to a text with blanks, line breaks or other than ASCII characters',
    ],
    [
      `${KAFKA}\nlisten: {webhook: {address: 1, token: "fromEnv:T"}}`,
      {},
      'listen.webhook: the environment variable T is not set; it is named by fromEnv:T',
    ],
    [
      'listen: {tls: {cert: client.csr, key: server.ext}}',
      {},
      /^listen: .*server\.ext: no certificate or key in PEM form$/,
    ],
    ['kafka: {brokers: ["k:1"], topics: [a], tls: {ca: nope}}', {}, /^kafka: .*nope: no such file or folder/],
  ])('%s', (text, env, message) => {
    expect(() => read(text, env)).toThrow(ConfigError);
    expect(() => read(text, env)).toThrow(message);
  });
});
