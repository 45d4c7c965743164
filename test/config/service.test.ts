import { describe, expect, test } from '@jest/globals';
import { ConfigError, parseConfig } from '../../src/config/parse-config.js';
import { DEFAULT_LISTEN, DEFAULT_SERVICE } from '../../src/config/service-config.js';

const KAFKA = 'kafka: {brokers: ["kafka-1:9092"], topics: [audit]}\n';

function mistakesOf(text: string): string[] {
  try {
    parseConfig(text, 'skew.yaml');
  } catch (error) {
    if (error instanceof ConfigError) return error.message.split('\n');
    throw error;
  }
  throw new Error('no mistake was found');
}

describe('the sections of the service', () => {
  test('brokers and topics are enough; all else has a value', () => {
    const { kafka, service, listen } = parseConfig(KAFKA, 'conf/skew.yaml');
    expect(kafka).toEqual({
      connection: { brokers: ['kafka-1:9092'], clientId: 'skewscope', sessionMs: 20_000 },
      group: 'skewscope',
      topics: ['audit'],
      from: 'latest',
      committedOnly: true,
      sender: {
        serverHeaders: ['x-server', 'node', 'host', 'hostname'],
        clusterHeaders: ['cluster', 'x-cluster'],
        key: 'auto',
        topic: undefined,
      },
      deadLetters: 'skewscope.dead-letters',
      scaleOut: undefined,
    });
    expect(service).toEqual(DEFAULT_SERVICE);
    expect(listen).toEqual(DEFAULT_LISTEN);
  });

  test('every key', () => {
    const text = `
kafka:
  brokers: [kafka-1:9092, "[::1]:9092"]
  clientId: skew
  tls: {ca: ca.pem, cert: c.pem, key: k.pem, serverName: kafka}
  sasl: {mechanism: oauthbearer, tokenFile: token}
  group: audit-readers
  session: 45s
  topics: [audit, '/^audit\\.[a-z]+$/']
  from: 2026-01-05T03:04:05.5Z
  committedOnly: false
  server: {headers: [X-Node], key: server, topic: '^audit\\.(?<cluster>[^.]+)\\.(?<server>.+)$', clusterHeaders: []}
  deadLetters: bad-audit
  scaleOut: {topic: inside, partitions: 24, compression: none}
service: {window: 1h30m, drain: 50s, readyLag: 90s, logLevel: debug}
listen:
  admin: 0.0.0.0:8080
  token: fromFile:token
  tls: {cert: s.pem, key: s-key.pem, clientCa: clients.pem}
  webhook:
    address: 0.0.0.0:8443
    tls: {cert: s.pem, key: s-key.pem}
    token: fromEnv:HOOK
    topic: audit.hook
    maxInFlight: 1Gi
    maxBody: 8Mi
`;
    const { kafka, service, listen, folder } = parseConfig(text, 'conf/skew.yaml');
    expect(kafka).toEqual({
      connection: {
        brokers: ['kafka-1:9092', '[::1]:9092'],
        clientId: 'skew',
        sessionMs: 45_000,
        tls: { ca: 'ca.pem', cert: 'c.pem', key: 'k.pem', serverName: 'kafka' },
        sasl: { mechanism: 'oauthbearer', tokenFile: 'token' },
      },
      group: 'audit-readers',
      topics: ['audit', /^audit\.[a-z]+$/],
      from: { atMs: Date.parse('2026-01-05T03:04:05.500Z') },
      committedOnly: false,
      sender: {
        serverHeaders: ['x-node'],
        clusterHeaders: [],
        key: 'server',
        topic: /^audit\.(?<cluster>[^.]+)\.(?<server>.+)$/,
      },
      deadLetters: 'bad-audit',
      scaleOut: { topic: 'inside', partitions: 24, compression: 'none' },
    });
    expect(service).toEqual({ windowMs: 5_400_000, drainMs: 50_000, readyLagMs: 90_000, logLevel: 'debug' });
    expect(listen).toEqual({
      admin: { host: '0.0.0.0', port: 8080 },
      token: 'fromFile:token',
      tls: { cert: 's.pem', key: 's-key.pem', clientCa: 'clients.pem' },
      webhook: {
        address: { host: '0.0.0.0', port: 8443 },
        tls: { cert: 's.pem', key: 's-key.pem' },
        token: 'fromEnv:HOOK',
        topic: 'audit.hook',
        maxInFlightBytes: 2 ** 30,
        maxBodyBytes: 8 * 2 ** 20,
      },
    });
    expect(folder).toBe('conf');
  });

  test.each([
    ['latest', 'latest'],
    ['earliest', 'earliest'],
    ['2h', { agoMs: 7_200_000 }],
    ['3d', { agoMs: 259_200_000 }],
    ['2026-01-05', { atMs: Date.UTC(2026, 0, 5) }],
  ])('from: %s', (from, expected) => {
    expect(parseConfig(KAFKA.replace('}', `, from: ${from}}`), 'x').kafka?.from).toEqual(expected);
  });

  test('off switches the admin port and dead letters off; so does false, which other YAML readers make of it', () => {
    for (const off of ['off', 'false']) {
      const config = parseConfig(`${KAFKA.replace('}', `, deadLetters: ${off}}`)}listen: {admin: ${off}}`, 'x');
      expect(config.kafka?.deadLetters).toBeUndefined();
      expect(config.listen.admin).toBeUndefined();
    }
  });

  test('what is left out of scaleOut and of a local webhook has a value', () => {
    const text = `${KAFKA.replace('[audit]', '[/^a/, audit, other], scaleOut: {}')}listen: {webhook: {address: 8443}}`;
    const { kafka, listen } = parseConfig(text, 'x');
    expect(kafka?.scaleOut).toEqual({ topic: 'skewscope-internal', partitions: 12, compression: 'lz4' });
    expect(listen.webhook).toEqual({
      address: { host: '127.0.0.1', port: 8443 },
      topic: 'audit',
      maxInFlightBytes: 64 * 2 ** 20,
      maxBodyBytes: 32 * 2 ** 20,
    });
  });
});

const SECRET = 'must be fromEnv:NAME or fromFile:PATH, for secrets do not belong into this file';
const kafka = (rest: string) => `kafka: {brokers: ["k:1"], topics: [audit], ${rest}}`;

describe('mistakes in one key', () => {
  test.each([
    ['kafka: {topics: [audit]}', '8: `kafka.brokers` is missing; it must be a list'],
    ['kafka: {brokers: [], topics: [audit]}', '18: `kafka.brokers` is empty; leave it out or give a value'],
    ['kafka: {brokers: ["k:1"], topics: audit}', '35: `kafka.topics` must be a list'],
    [
      'kafka: {brokers: ["k:1"], topics: ["a b"]}',
      '37: `kafka.topics.0` is no topic; write a name of letters, digits, . _ and -, or a pattern between slashes, as in /^audit/',
    ],
    [
      'kafka: {brokers: ["k:1"], topics: ["/(/"]}',
      '37: `kafka.topics.0` is no regular expression: /(/: Unterminated group',
    ],
    [
      'kafka: {brokers: ["k:1"], topics: ["//"]}',
      '37: `kafka.topics.0` is an empty pattern, which fits every topic; write /./ if that is meant',
    ],
    [
      kafka('from: soon'),
      '50: `kafka.from` is "soon"; write latest, earliest, a time as in 2026-01-05T03:04:05Z, or a time ago as in 2h',
    ],
    [kafka('commitedOnly: true'), '44: unknown key "commitedOnly"; did you mean committedOnly?'],
    [kafka('committedOnly: on'), '59: `kafka.committedOnly` must be true or false'],
    [kafka('deadLetters: 5'), '57: `kafka.deadLetters` must be the name of a topic, or off'],
    [kafka('deadLetters: a/b'), '57: `kafka.deadLetters` is no topic name; use letters, digits, . _ and -'],
    [
      kafka('server: {topic: audit}'),
      '60: `kafka.server.topic` names neither; mark what it is to find as (?<server>…) or (?<cluster>…)',
    ],
    [kafka('server: {key: hots}'), '58: `kafka.server.key` is "hots", which is not one of auto, server, ignore'],
    [kafka('scaleOut: {partitions: 0}'), '67: `kafka.scaleOut.partitions` must be a whole number above 0'],
    [
      kafka('scaleOut: {compression: zstd}'),
      '68: `kafka.scaleOut.compression` is "zstd", which is not one of none, gzip, snappy, lz4',
    ],
    [kafka('scaleOut: {partition: 3}'), '55: unknown key "partition"; did you mean partitions?'],
    [
      kafka('sasl: {mechanism: scram-sha-265}'),
      '62: `kafka.sasl.mechanism` is "scram-sha-265", which is not one of plain, scram-sha-256, scram-sha-512, oauthbearer; did you mean scram-sha-256?',
    ],
    [
      kafka('sasl: {username: u}'),
      '50: `kafka.sasl.mechanism` is missing; it must be one of plain, scram-sha-256, scram-sha-512, oauthbearer',
    ],
    [kafka('sasl: {mechanism: plain, username: u, password: pw}'), `92: \`kafka.sasl.password\` ${SECRET}`],
    [
      kafka('sasl: {mechanism: oauthbearer, tokenFile: t, tokenfile: t}'),
      '89: unknown key "tokenfile"; did you mean tokenFile?',
    ],
    [kafka('session: 5s'), '53: `kafka.session` is too short: brokers take no less than 6s'],
    [kafka('session: 31m'), '53: `kafka.session` is too long: brokers take no more than 30m'],
    ['service: {window: 5m}', '19: `service.window` is too short to see an upgrade; give at least 10m'],
    ['service: {window: 200h}', '19: `service.window` is too long; give at most 168h'],
    ['service: {window: soon}', '19: `service.window` "soon" is no duration; write one as in 500ms, 30s, 5m, 2h'],
    ['service: {window: 12}', '19: `service.window` is no duration; write one as in 500ms, 30s, 5m, 2h'],
    [
      'outputs: {spool: {dir: a, maxBytes: 1}}',
      '37: `outputs.spool.maxBytes` is no size; write one as in 512Ki, 64Mi, 1Gi',
    ],
    ['service: {drain: 5ms}', '18: `service.drain` is too short to finish anything; give at least 1s'],
    [
      'service: {drain: 99h}',
      '18: `service.drain` is too long: nothing that ends a service waits so long; give at most 1h',
    ],
    [
      'kafka: {brokers: ["k:9092", "k:99999"], topics: [a]}',
      '30: `kafka.brokers.1` has a port that does not exist; ports are 1 to 65535',
    ],
    [
      'service: {logLevel: warning}',
      '21: `service.logLevel` is "warning", which is not one of trace, debug, info, warn, error',
    ],
    ['listen: {admin: nowhere}', '17: `listen.admin` must be HOST:PORT, as in 127.0.0.1:9464 or [::1]:9464'],
    ['listen: {token: abc}', `17: \`listen.token\` ${SECRET}`],
    ['listen: {tls: {cert: c.pem}}', '15: `listen.tls.key` is missing; it must be text'],
    [
      '{kafka: {brokers: ["k:1"], topics: [audit]}, listen: {webhook: {}}}',
      '64: `listen.webhook.address` must be HOST:PORT, as in 127.0.0.1:9464',
    ],
    ['service: [window]', '10: `service` must be a mapping'],
  ])('%s', (text, message) => {
    expect(mistakesOf(text)).toEqual([`skew.yaml:1:${message}`]);
  });
});

describe('mistakes between keys', () => {
  const exposed = 'listen: {token: "fromEnv:T", admin: "0.0.0.0:8080", webhook: ';
  test.each([
    [
      'an exposed admin port without token',
      'listen: {admin: "0.0.0.0:8080"}',
      ['1:18: `listen.admin` is reached from other machines; give listen.token, or 127.0.0.1 as its host'],
    ],
    [
      'an exposed webhook without token or client certificates',
      `${KAFKA}listen: {webhook: {address: "node-1:8443", tls: {cert: c, key: k}}}`,
      [
        '2:30: `listen.webhook.address` is reached from other machines; give token or tls.clientCa beside it, or 127.0.0.1 as its host',
      ],
    ],
    [
      'a webhook on the admin port',
      `${KAFKA}${exposed}{address: 8080}}`,
      ['2:72: `listen.webhook.address` is that of listen.admin as well; give another port'],
    ],
    [
      'a webhook without Kafka',
      'listen: {webhook: {address: 8443}}',
      ['1:19: `listen.webhook` needs the section kafka: batches are written to a topic before they are acknowledged'],
    ],
    [
      'a webhook where there are only patterns',
      'kafka: {brokers: ["k:1"], topics: [/^audit/]}\nlisten: {webhook: {address: 8443}}',
      ['2:19: `listen.webhook` needs a topic to write batches to; kafka.topics has only patterns, so give topic here'],
    ],
    [
      'a webhook whose topic nobody reads',
      `${KAFKA}listen: {webhook: {address: 8443, topic: hook}}`,
      ['2:42: `listen.webhook.topic` is not read: add hook to kafka.topics'],
    ],
    [
      'a webhook that can never take its largest batch',
      `${KAFKA}listen: {webhook: {address: 8443, maxInFlight: 1Mi}}`,
      ['2:48: `listen.webhook.maxInFlight` is less than maxBody: the largest batch would never be taken'],
    ],
    [
      'a topic twice',
      'kafka: {brokers: ["k:1"], topics: [a, b, a]}',
      ['1:42: `kafka.topics.2` is in the list before; leave one out'],
    ],
    [
      'an internal topic that is read',
      'kafka: {brokers: ["k:1"], topics: [x, /^skew/], scaleOut: {}, deadLetters: bad}',
      [
        '1:39: `kafka.topics.1` fits skewscope-internal, the topic of kafka.scaleOut: what is written there would be read again; narrow the pattern, or give that another',
      ],
    ],
    [
      'dead letters that are read',
      'kafka: {brokers: ["k:1"], topics: [x, bad], deadLetters: bad}',
      [
        '1:39: `kafka.topics.1` is the topic of kafka.deadLetters as well: what is written there would be read again; give that another',
      ],
    ],
    [
      'one topic for dead letters and replicas',
      'kafka: {brokers: ["k:1"], topics: [x], deadLetters: t, scaleOut: {topic: t}}',
      ['1:53: `kafka.deadLetters` is the topic of kafka.scaleOut; give each its own'],
    ],
    [
      'findings that are read',
      `${KAFKA}outputs: {kafka: [{brokers: ["kafka-1:9092"], topic: audit}]}`,
      [
        '1:45: `kafka.topics.0` is the topic of outputs.kafka.0 as well: what is written there would be read again; give that another',
      ],
    ],
    [
      'a group that makes no topic name',
      'kafka: {brokers: ["k:1"], topics: [x], group: "team/a"}',
      [
        '1:48: `kafka.group` "team/a" makes no topic name with ".dead-letters" behind it; give kafka.deadLetters a topic, or off',
      ],
    ],
    [
      'half a client certificate',
      'kafka: {brokers: ["k:1"], topics: [x], tls: {cert: c}}',
      ['1:45: `kafka.tls` needs cert and key, or none of them'],
    ],
  ])('%s', (_, text, messages) => {
    expect(mistakesOf(text)).toEqual(messages.map((message) => `skew.yaml:${message}`));
  });

  test('are all told at once', () => {
    const text = 'listen: {admin: "0.0.0.0:1", webhook: {address: "0.0.0.0:1"}}\nservers: {a: "BRACES"}'.replace(
      'BRACES',
      '{a,b}'.repeat(12),
    );
    expect(mistakesOf(text).map((line) => line.split(' ')[0])).toEqual([
      'skew.yaml:1:18:',
      'skew.yaml:1:39:',
      'skew.yaml:1:50:',
      'skew.yaml:1:50:',
      'skew.yaml:2:15:',
    ]);
  });

  test('are told beside those in the shape, but for what comes of these', () => {
    const text = `kafka: {brokers: ["k:1"], topics: [audit, audit, 5], group: 7, colour: red, tls: {cert: c.pem}}
listen:
  admin: 0.0.0.0:8080
  tokn: fromEnv:T
  webhook: {address: 0.0.0.0:8080, topic: other, maxInFlight: 1Ki, maxBody: much}
`;
    expect(mistakesOf(text).map((line) => line.replace(/; .*/, ''))).toEqual([
      'skew.yaml:1:43: `kafka.topics.1` is in the list before',
      'skew.yaml:1:50: `kafka.topics.2` must be text',
      'skew.yaml:1:61: `kafka.group` must be text',
      'skew.yaml:1:64: unknown key "colour"',
      'skew.yaml:1:82: `kafka.tls` needs cert and key, or none of them',
      'skew.yaml:4:3: unknown key "tokn"',
      'skew.yaml:5:22: `listen.webhook.address` is reached from other machines',
      'skew.yaml:5:22: `listen.webhook.address` is that of listen.admin as well',
      'skew.yaml:5:77: `listen.webhook.maxBody` "much" is no size',
    ]);
  });

  test('findings may go to a topic of that name in another cluster', () => {
    const text = `${KAFKA}outputs: {kafka: [{brokers: ["elsewhere:9092"], topic: audit}]}`;
    expect(parseConfig(text, 'x').outputs?.kafka).toHaveLength(1);
  });
});
