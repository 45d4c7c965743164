import { describe, expect, test } from '@jest/globals';
import { NO_CONFIG } from '../../src/config/config.js';
import { ConfigError, parseConfig } from '../../src/config/parse-config.js';

function mistakesOf(text: string): string[] {
  try {
    parseConfig(text, 'skew.yaml');
  } catch (error) {
    if (error instanceof ConfigError) return error.message.split('\n');
    throw error;
  }
  throw new Error('no mistake was found');
}

describe('parseConfig', () => {
  test('reads every key', () => {
    const text = `
rules:
  dirs: [mine, /etc/rules]
  disable: [proxy-slow]
  severity: {wrong-not-found: critical}
servers:
  cp1: [logs/cp1/*, cp1-*]
  cp2: cp2-*
failOn: critical
cluster: prod
`;
    expect(parseConfig(text, 'conf/skew.yaml')).toEqual({
      ...NO_CONFIG,
      folder: 'conf',
      rules: {
        dirs: ['conf/mine', '/etc/rules'],
        disable: ['proxy-slow'],
        severity: { 'wrong-not-found': 'critical' },
      },
      servers: [
        { name: 'cp1', glob: 'logs/cp1/*' },
        { name: 'cp1', glob: 'cp1-*' },
        { name: 'cp2', glob: 'cp2-*' },
      ],
      failOn: 'critical',
      cluster: 'prod',
    });
  });

  test.each(['', '# nothing\n', '---\n', '{}'])('nothing is needed: %j', (text) => {
    expect(parseConfig(text, 'skew.yaml')).toEqual(NO_CONFIG);
  });

  test('all mistakes are named at once, each with its place and what was probably meant', () => {
    const text = 'failon: warning\nrules:\n  dir: [x]\n  severity:\n    proxy-slow: warn\n  disable: proxy-slow\n';
    expect(mistakesOf(text).sort()).toEqual([
      'skew.yaml:1:1: unknown key "failon"; did you mean failOn?',
      'skew.yaml:3:3: unknown key "dir"; did you mean dirs?',
      'skew.yaml:5:17: `rules.severity.proxy-slow` is "warn", which is not one of info, warning, critical',
      'skew.yaml:6:12: `rules.disable` must be a list',
    ]);
  });

  test.each([
    [
      'failOn: warnin',
      'skew.yaml:1:9: `failOn` is "warnin", which is not one of info, warning, critical, never; did you mean warning?',
    ],
    [
      'colour: blue',
      'skew.yaml:1:1: unknown key "colour"; known: rules, servers, failOn, cluster, outputs, kafka, service, listen',
    ],
    ['- a\n- b', 'skew.yaml:1:1: the file must be a mapping'],
    ['cluster: 7', 'skew.yaml:1:10: `cluster` must be text'],
    ['cluster: ""', 'skew.yaml:1:11: `cluster` is empty; leave it out or give a value'],
    [
      'servers:\n  cp1: {a: b}',
      'skew.yaml:2:8: `servers.cp1` must be a glob or a list of globs, as in ["logs/cp1/*", "cp1-*"]',
    ],
    [
      `servers:\n  cp1: "${'{a,b}'.repeat(12)}"`,
      `skew.yaml:2:9: the braces of ${'{a,b}'.repeat(12)} spell out more than 1000 patterns; use * instead`,
    ],
  ])('%j', (text, message) => {
    expect(mistakesOf(text)).toEqual([message]);
  });

  test('outputs: every kind, durations in milliseconds, sizes in bytes, files relative to the configuration', () => {
    const text = `
outputs:
  spool: {dir: spool, maxBytes: 64Mi, fsync: never}
  deadline: 1m30s
  alertmanager:
    - {urls: ["http://am-0:9093", "fromEnv:AM"], labels: {team: platform}, remind: 1m, hold: 5m}
  webhook: [{url: "https://hook", signingKey: "fromFile:key", headers: {x-a: b, authorization: "fromEnv:A"}, timeout: 500ms}]
  slack: [{url: "fromEnv:SLACK", minSeverity: critical, storm: {limit: 5, window: 1h}}]
  pagerduty: [{routingKey: "fromFile:pd", name: night, group: finding, maxAge: 48h}]
  ndjson: [{path: "-"}]
  kafka: [{brokers: ["kafka:9092"], topic: t, tls: {}, sasl: {mechanism: plain, username: u, password: "fromEnv:P"}}]
  otlp: {endpoint: "http://collector:4318", tls: {ca: ca.pem}, file: spans.ndjson, console: true}
  metrics: {listen: "0.0.0.0:9464"}
`;
    expect(parseConfig(text, 'conf/skew.yaml').outputs).toMatchObject({
      folder: 'conf',
      spool: { dir: 'spool', maxBytes: 64 * 2 ** 20, fsync: 'never' },
      deadline: 90_000,
      alertmanager: [{ urls: ['http://am-0:9093', 'fromEnv:AM'], remind: 60_000, hold: 300_000 }],
      webhook: [{ signingKey: 'fromFile:key', timeout: 500 }],
      slack: [{ storm: { limit: 5, window: 3_600_000 } }],
      pagerduty: [{ name: 'night', maxAge: 172_800_000 }],
      kafka: [{ tls: {}, sasl: { mechanism: 'plain' } }],
      otlp: { endpoint: 'http://collector:4318', file: 'spans.ndjson', console: true },
      metrics: { listen: { host: '0.0.0.0', port: 9464 } },
    });
  });

  const AT = 'skew.yaml:1:';
  const SECRET = 'must be fromEnv:NAME or fromFile:PATH, for secrets do not belong into this file';
  test.each([
    ['outputs: {alertmanger: []}', `${AT}11: unknown key "alertmanger"; did you mean alertmanager?`],
    ['outputs: {slack: [{url: "https://x"}]}', `${AT}26: \`outputs.slack.0.url\` ${SECRET}`],
    [
      'outputs: {slack: [{ulr: "fromEnv:X", url: "fromEnv:X"}]}',
      `${AT}20: unknown key "ulr"; did you mean tls or url?`,
    ],
    ['outputs: {pagerduty: [{routingKey: abc}]}', `${AT}36: \`outputs.pagerduty.0.routingKey\` ${SECRET}`],
    [
      'outputs: {deadline: soon}',
      `${AT}21: \`outputs.deadline\` "soon" is no duration; write one as in 500ms, 30s, 5m, 2h`,
    ],
    [
      'outputs: {spool: {dir: x, maxBytes: 64M}}',
      `${AT}37: \`outputs.spool.maxBytes\` "64M" is no size; write one as in 512Ki, 64Mi, 1Gi`,
    ],
    [
      'outputs: {webhook: [{url: ftp://x}]}',
      `${AT}27: \`outputs.webhook.0.url\` is no http or https URL, as in http://host:9093`,
    ],
    [
      'outputs: {alertmanager: [{urls: []}]}',
      `${AT}33: \`outputs.alertmanager.0.urls\` is empty; leave it out or give a value`,
    ],
    [
      'outputs: {alertmanager: [{urls: ["http://x"], labels: {a-b: c}}]}',
      `${AT}61: \`outputs.alertmanager.0.labels.a-b\` is no label name; use letters, digits and _`,
    ],
    [
      'outputs: {ndjson: [{path: x, storm: {limit: 0.5, window: 1m}}]}',
      `${AT}45: \`outputs.ndjson.0.storm.limit\` must be a whole number above 0`,
    ],
    [
      'outputs: {webhook: [{url: "http://x", headers: {X-Api-Key: abc}}]}',
      `${AT}60: \`outputs.webhook.0.headers.X-Api-Key\` ${SECRET}`,
    ],
    [
      'outputs: {metrics: {listen: "nowhere"}}',
      `${AT}30: \`outputs.metrics.listen\` must be HOST:PORT, as in 127.0.0.1:9464 or [::1]:9464`,
    ],
    [
      'outputs: {metrics: {listen: 70000}}',
      `${AT}29: \`outputs.metrics.listen\` has the port 70000; ports end at 65535`,
    ],
    ['outputs: {metrics: {lisen: "9464", listen: 9464}}', `${AT}21: unknown key "lisen"; known: listen`],
    ['outputs: {otlp: {console: 5}}', `${AT}27: \`outputs.otlp.console\` must be true or false`],
    ['outputs: {kafka: [{brokers: [kafka], topic: t}]}', `${AT}30: \`outputs.kafka.0.brokers.0\` must be HOST:PORT`],
  ])('%j', (text, message) => {
    expect(mistakesOf(text)).toEqual([message]);
  });

  test('credentials in a URL are told without the URL', () => {
    const mistakes = mistakesOf('outputs: {webhook: [{url: "http://user:s3cret@x"}]}');
    expect(mistakes).toEqual([expect.stringContaining('`outputs.webhook.0.url` holds credentials; put the URL into')]);
    expect(mistakes.join()).not.toContain('s3cret');
  });

  test('text that is no YAML has a place too', () => {
    expect(mistakesOf('rules: [a\nfailOn: "')[0]).toMatch(/^skew\.yaml:\d+:\d+: /);
    expect(mistakesOf('a: 1\na: 2')[0]).toMatch(/^skew\.yaml:2:1: /);
  });

  test('a file that is far too large is refused before it is parsed', () => {
    expect(mistakesOf('#'.repeat(300_000))).toEqual([
      'skew.yaml: larger than 256 KiB; is this the configuration file?',
    ]);
  });
});
