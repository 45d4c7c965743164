import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { checkConfigFile } from '../../../src/config/check/index.js';
import { makeCertificates } from '../../outputs/delivery/certificates.js';
import { makeFolder } from '../../sources/folder.js';

const DAY_MS = 24 * 60 * 60_000;
const TOKEN = 'correct-horse-battery-staple';
/** Shipped rules. */
const SHIPPED = readdirSync(new URL('../../../rules', import.meta.url)).length;
const KAFKA = 'kafka: {brokers: ["kafka-1:9092"], topics: [audit, /^audit-/]}\n';

let certificates: ReturnType<typeof makeCertificates>;
beforeAll(() => {
  certificates = makeCertificates();
});
afterAll(() => certificates.drop());

interface Given {
  readonly files?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly nowMs?: number;
}

/** Places without the folder of the file. */
async function check(text: string, { files = {}, env = {}, nowMs = Date.now() }: Given = {}) {
  const { path, drop } = makeFolder({ 'skew.yaml': text, ...files });
  const result = await checkConfigFile(`${path}/skew.yaml`, { env, nowMs });
  const left = readdirSync(path).sort();
  drop();
  const local = (lines: readonly string[]) => lines.map((line) => line.replaceAll(`${path}/`, ''));
  return { mistakes: local(result.mistakes), warnings: local(result.warnings), summary: result.summary, left };
}

describe('a configuration that can be used', () => {
  test('is summed up: what is read, who is told, where it listens', async () => {
    const text = `cluster: prod-1
rules: {dirs: [mine], disable: [proxy-slow]}
kafka:
  brokers: [kafka-1:9093, kafka-2:9093]
  tls: {}
  sasl: {mechanism: scram-sha-512, username: skew, password: fromEnv:KAFKA_PASSWORD}
  topics: [audit, /^audit-/]
  from: 2h
  deadLetters: off
  scaleOut: {}
outputs:
  spool: {dir: state/spool}
  slack: [{url: fromFile:slack}]
  otlp: {file: spans.ndjson}
listen:
  token: fromFile:token
  webhook: {address: "[::1]:8443", token: fromEnv:HOOK}
`;
    const rule = readFileSync(new URL('../../../rules/proxy-slow.yaml', import.meta.url), 'utf8');
    const files = {
      token: `${TOKEN}\n`,
      slack: 'https://hooks.slack.example/T0/secret-part',
      'mine/own.yaml': rule.replace('id: proxy-slow', 'id: proxy-slower'),
    };
    const { left, ...result } = await check(text, { files, env: { KAFKA_PASSWORD: 'pw-secret', HOOK: TOKEN } });
    expect(result).toEqual({
      mistakes: [],
      warnings: [],
      summary: [
        'cluster   prod-1',
        `rules     ${SHIPPED} in use, 1 of your own, 1 switched off`,
        'outputs   slack hooks.slack.example:443, OTLP file spans.ndjson',
        'kafka     kafka-1:9093, kafka-2:9093 (TLS, SASL scram-sha-512)',
        'topics    audit, /^audit-/',
        'group     skewscope, from 2 h 00 min before the start where no offset is stored',
        'damage    is only counted',
        'replicas  up to 12, through skewscope-internal (lz4)',
        'admin     http://127.0.0.1:8080, with token',
        'webhook   http://[::1]:8443, with token, to topic audit',
        'window    12 h 00 min of event time',
      ],
    });
    expect(JSON.stringify(result)).not.toMatch(/secret|battery/);
    // Neither the spool nor the file of spans was made.
    expect(left).toEqual(['mine', 'skew.yaml', 'slack', 'token']);
  });

  test('what the service does not use, and clusters without a name that share one replica', async () => {
    const text = 'kafka: {brokers: ["k:1"], topics: [a], scaleOut: {}}\nfailOn: info\nservers: {cp1: x}\n';
    const { summary } = await check(text);
    expect(summary).toContain('not used  failOn, servers (for analyze and watch, not for serve)');
    expect(summary).toContainEqual(expect.stringMatching(/^clusters {2}as records name them; those that name none/));
    expect((await check(`${text}cluster: a`)).summary.join('\n')).not.toContain('clusters');
  });

  test('an empty file says nothing', async () => {
    expect((await check('')).warnings).toEqual([
      'skew.yaml:1:1: the file says nothing of a service, nor of anything else',
    ]);
  });

  test('needs no section kafka: the other commands have one too', async () => {
    expect((await check('failOn: never')).summary).toContain('service   none: there is no section kafka');
  });
});

describe('what cannot work is told with its place', () => {
  test('mistakes in the file', async () => {
    expect((await check('cluter: x\nfailOn: y')).mistakes).toEqual([
      'skew.yaml:1:1: unknown key "cluter"; did you mean cluster?',
      'skew.yaml:2:9: `failOn` is "y", which is not one of info, warning, critical, never',
    ]);
  });

  test('mistakes of every kind in one go, each once, in the order of the file', async () => {
    const text = `outputs:
  slack: [{url: fromEnv:SLACK}, {url: "https://hooks.slack.example/secret"}]
  webhook: [{url: fromEnv:HOOK, name: slack}, {url: "http://x", bearerToken: fromEnv:BREAK}]
  ndjson: [{path: logs/x}]
rules:
  dirs: [nowhere]
  severity: {proxy-slow: bad}
kafka:
  brokers: [kafka-1]
  topic: audit
  sasl: {mechanism: plain, username: u, password: fromFile:pw}
  tls: {ca: none.pem}
  scaleOut: {topic: a, partitions: 0}
  deadLetters: a
listen:
  admin: 0.0.0.0:8080
  webhook: {address: 0.0.0.0:8443, token: fromEnv:TOKEN}
service: {window: 1m}
`;
    const { mistakes } = await check(text, { env: { BREAK: 'a\nb', TOKEN: 'with blanks in it', HOOK: 'no-url' } });
    expect(mistakes.map((line) => line.replace(/; .*/, ''))).toEqual([
      'skew.yaml:2:17: `outputs.slack.0.url` cannot be had: the environment variable SLACK is not set',
      'skew.yaml:2:40: `outputs.slack.1.url` must be fromEnv:NAME or fromFile:PATH, for secrets do not belong into this file',
      'skew.yaml:3:13: `outputs.webhook.0` cannot work: what fromEnv:HOOK leads to is no http or https URL, as in http://host:9093',
      'skew.yaml:3:39: `outputs.webhook.0.name` is slack, as another output is called',
      'skew.yaml:3:47: `outputs.webhook.1` cannot work: the value of header authorization holds line breaks or characters that HTTP does not allow',
      'skew.yaml:4:19: `outputs.ndjson.0.path` needs the folder logs, which is not there',
      expect.stringMatching(/^skew\.yaml:6:10: `rules\.dirs\.0` is wrong: nowhere cannot be read: .*ENOENT/),
      'skew.yaml:7:26: `rules.severity.proxy-slow` is "bad", which is not one of info, warning, critical',
      'skew.yaml:9:3: `kafka.topics` is missing',
      'skew.yaml:9:13: `kafka.brokers.0` must be HOST:PORT',
      'skew.yaml:10:3: unknown key "topic"',
      'skew.yaml:11:51: `kafka.sasl.password` cannot be had: pw: no such file or folder',
      'skew.yaml:12:13: `kafka.tls.ca` none.pem: no such file or folder',
      'skew.yaml:13:36: `kafka.scaleOut.partitions` must be a whole number above 0',
      'skew.yaml:14:16: `kafka.deadLetters` is the topic of kafka.scaleOut',
      'skew.yaml:16:10: `listen.admin` is reached from other machines',
      'skew.yaml:17:43: `listen.webhook.token` leads to a text with blanks, line breaks or other than ASCII characters',
      'skew.yaml:18:19: `service.window` is too short to see an upgrade',
    ]);
  });

  test('a file that is not there', async () => {
    const { mistakes } = await checkConfigFile('no/such.yaml', { env: {}, nowMs: 0 });
    expect(mistakes).toEqual([expect.stringMatching(/^no\/such\.yaml: no such file/)]);
  });

  test('rules that do not load', async () => {
    const { mistakes } = await check('rules: {dirs: [mine], disable: [proxy-slo]}', {
      files: { 'mine/x.yaml': 'id: [' },
    });
    expect(mistakes[0]).toMatch(/^mine\/x\.yaml:1:\d+: /);
    expect((await check('rules:\n  disable: [proxy-slow, proxy-slo]')).mistakes).toEqual([
      expect.stringMatching(/:2:25: `rules\.disable\.1` is wrong: no rule "proxy-slo"; did you mean "proxy-slow"\?$/),
    ]);
  });

  test('secrets that are not there', async () => {
    const text = `${KAFKA}outputs:
  slack: [{url: fromEnv:SLACK}]
  alertmanager: [{urls: ["http://am:9093"], labels: {where: fromEnv:NOT_RESOLVED}}]
listen: {token: fromFile:token}
`;
    expect((await check(text, { env: { SLACK: '' } })).mistakes).toEqual([
      'skew.yaml:3:17: `outputs.slack.0.url` cannot be had: the environment variable SLACK is empty; it is named by fromEnv:SLACK',
      'skew.yaml:5:17: `listen.token` cannot be had: token: no such file or folder; check the spelling, and the folder this was started in',
    ]);
  });

  test('outputs that cannot work as they are configured', async () => {
    const text = 'outputs: {ndjson: [{path: "-", name: a}, {path: x, name: a}]}';
    expect((await check(text)).mistakes).toEqual([
      'skew.yaml:1:58: `outputs.ndjson.1.name` is a, as another output is called; give one of them another',
    ]);
  });

  test('folders that are not there', async () => {
    const text =
      'outputs:\n  spool: {dir: file/spool}\n  ndjson: [{path: logs/x}, {path: "-"}]\n  otlp: {file: traces/y}';
    expect((await check(text, { files: { file: '' } })).mistakes).toEqual([
      'skew.yaml:2:16: `outputs.spool.dir` needs the folder file/spool, and a part of that path is a file',
      'skew.yaml:3:19: `outputs.ndjson.0.path` needs the folder logs, which is not there; make it',
      'skew.yaml:4:16: `outputs.otlp.file` needs the folder traces, which is not there; make it',
    ]);
  });
});

describe('certificates', () => {
  const listening = (cert: string, key: string, ca = 'ca.crt') =>
    `${KAFKA}listen: {tls: {cert: ${cert}, key: ${key}, clientCa: ${ca}}}`;
  const inFolder = async (text: string, nowMs: number) => {
    const files = Object.fromEntries(
      readdirSync(certificates.folder)
        .filter((name) => /\.(crt|key)$/.test(name))
        .map((name) => [name, readFileSync(`${certificates.folder}/${name}`, 'utf8')]),
    );
    return check(text, { files, nowMs });
  };
  const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);

  test('that expire soon are a warning', async () => {
    const { mistakes, warnings } = await inFolder(listening('server.crt', 'server.key'), Date.now());
    expect(mistakes).toEqual([]);
    expect(warnings).toEqual([
      expect.stringMatching(
        /^skew\.yaml:2:\d+: `listen\.tls\.cert` holds a certificate \(CN=server\) that expires on .*, in 1 day$/,
      ),
      expect.stringMatching(
        /^skew\.yaml:2:\d+: `listen\.tls\.clientCa` holds a certificate \(CN=test CA\) that expires on .*, in 1 day$/,
      ),
    ]);
  });

  test.each([
    ['have expired', 3 * DAY_MS, /that expired on \d{4}-\d\d-\d\d; renew it$/],
    ['are not valid yet', -3 * DAY_MS, new RegExp(`that is valid from ${day(Date.now())} on only; check the clock$`)],
  ])('that %s are a mistake', async (_, shift, message) => {
    const { mistakes } = await inFolder(listening('server.crt', 'server.key'), Date.now() + shift);
    expect(mistakes).toEqual([expect.stringMatching(message), expect.stringMatching(message)]);
  });

  test('must belong to their keys', async () => {
    const { mistakes } = await inFolder(listening('server.crt', 'client.key'), Date.now());
    expect(mistakes).toEqual([
      'skew.yaml:2:39: `listen.tls.key` is not the key of the first certificate in server.crt',
    ]);
  });

  test('and keys must be what they are called', async () => {
    const { mistakes } = await inFolder(listening('server.key', 'server.crt', 'none.crt'), Date.now());
    expect(mistakes).toEqual([
      expect.stringContaining('`listen.tls.cert` names server.key, which does not hold certificates in PEM form'),
      expect.stringContaining(
        '`listen.tls.key` names server.crt, which does not hold a private key in PEM form without a passphrase',
      ),
      expect.stringContaining('`listen.tls.clientCa` none.crt: no such file or folder'),
    ]);
  });

  test('of every section are looked at', async () => {
    const text = `kafka: {brokers: ["k:1"], topics: [audit], tls: {ca: ca.key}}
outputs:
  webhook: [{url: "https://x", tls: {ca: ca.key}}]
  otlp: {endpoint: "https://x", tls: {ca: ca.key}}
listen: {webhook: {address: 8443, tls: {cert: ca.key, key: ca.key}}}
`;
    const { mistakes } = await inFolder(text, Date.now());
    expect(mistakes.map((line) => /`(.*?)`/.exec(line)?.[1])).toEqual([
      'kafka.tls.ca',
      'outputs.webhook.0.tls.ca',
      'outputs.otlp.tls.ca',
      'listen.webhook.tls.cert',
    ]);
  });
});

test('secrets that travel unencrypted, or can be guessed, are warned of', async () => {
  const text = `kafka: {brokers: ["k:1"], topics: [audit], sasl: {mechanism: plain, username: u, password: fromEnv:P}}
listen:
  admin: 0.0.0.0:8080
  token: fromEnv:SHORT
  webhook: {address: 0.0.0.0:8443, token: fromEnv:TOKEN}
`;
  const { warnings, mistakes } = await check(text, { env: { P: 'p', SHORT: 'abc', TOKEN } });
  expect(mistakes).toEqual([]);
  expect(warnings.map((line) => line.replace(/^skew\.yaml:[\d:]+ /, ''))).toEqual([
    '`kafka.sasl` sends its secret to the brokers unencrypted; give kafka.tls',
    '`listen.token` leads to fewer than 16 characters, which can be guessed',
    '`listen.token` travels unencrypted; give listen.tls, unless something in front of it speaks TLS',
    '`listen.webhook` takes audit events, and its token, unencrypted; give listen.webhook.tls',
  ]);
});

test('the file that oauthbearer reads must be there', async () => {
  const text = 'kafka: {brokers: ["k:1"], topics: [audit], tls: {}, sasl: {mechanism: oauthbearer, tokenFile: token}}';
  expect((await check(text)).mistakes).toEqual([
    'skew.yaml:1:95: `kafka.sasl.tokenFile` cannot be read: token: no such file or folder; check the spelling, and the folder this was started in',
  ]);
});
