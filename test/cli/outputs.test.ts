import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { runCli } from '../../src/cli/run.js';
import { answer, type Behaviour, HANG, Receiver } from '../outputs/delivery/receiver.js';
import { makeFolder } from '../sources/folder.js';
import { type FakeTerminal, fakeTerminal, wordStages } from './fakes.js';

let folder: ReturnType<typeof makeFolder>;
let receiver: Receiver;
let terminal: FakeTerminal;
beforeEach(async () => {
  folder = makeFolder({
    'calm.log': 'all is well',
    'bad.log': 'critical warning critical',
    'short.yaml': 'outputs: {deadline: 300ms}',
    'slack.yaml': 'outputs: {slack: [{url: "fromEnv:SLACK_URL"}], spool: {dir: kept}}',
    'spans.yaml': 'outputs: {otlp: {file: spans.ndjson}}',
    'console.yaml': 'outputs: {otlp: {console: true}}',
    'metrics.yaml': 'outputs: {otlp: {metrics: true}}',
    'nologs.yaml': 'outputs: {otlp: {logs: false}}',
    'listen.yaml': 'outputs: {metrics: {listen: 0}}',
    'stdout.yaml': 'outputs: {ndjson: [{path: "-"}]}',
  });
  receiver = await Receiver.start();
  terminal = fakeTerminal();
});
afterEach(async () => {
  await receiver.stop();
  folder.drop();
});

function run(...args: string[]): Promise<number> {
  const given = args.map((arg) => arg.replace(/^@/, `${folder.path}/`).replace(/^URL/, receiver.url));
  return runCli(given, terminal, wordStages);
}

const bodies = () => receiver.requests.map(({ body }) => JSON.parse(body));

describe('analyze', () => {
  test('sends all findings and says so; the exit code is that of the findings', async () => {
    expect(await run('analyze', '@bad.log', '--webhook-url', 'URL', '--alertmanager-url', 'URL/am')).toBe(1);
    expect(receiver.requests.filter(({ url }) => url === '/').length).toBe(3);
    expect(receiver.requests.filter(({ url }) => url === '/am/api/v2/alerts').length).toBeGreaterThan(0);
    expect(terminal.stderr.text.split('\n').sort()).toEqual([
      '',
      `skewscope: alertmanager 127.0.0.1:${receiver.port}: 3 delivered`,
      `skewscope: webhook 127.0.0.1:${receiver.port}: 3 delivered`,
    ]);
    expect(terminal.stdout.text).toContain('cp1 does not trust');
  });

  test('the same findings are not sent again with the same spool', async () => {
    const args = ['analyze', '@bad.log', '--webhook-url', 'URL', '--spool', '@spool'];
    await run(...args);
    expect(await run(...args)).toBe(1);
    expect(receiver.requests.length).toBe(3);
    expect(terminal.stderr.text).toContain('3 sent or turned down before');
  });

  test('what did not arrive has an exit code of its own, before findings, after input', async () => {
    receiver.behaviour = answer(500, 'broken');
    const sending = ['--webhook-url', 'URL', '--config', '@short.yaml'];
    expect(await run('analyze', '@bad.log', ...sending, '--spool', '@spool')).toBe(4);
    expect(terminal.stderr.text).toBe(
      `skewscope: webhook 127.0.0.1:${receiver.port}: not delivered: 3 messages waiting, kept in ${folder.path}/spool/webhook: HTTP 500: broken; the next run with this spool sends them\n`,
    );
    expect(await run('analyze', '@bad.log', '@gone.log', ...sending)).toBe(3);
    expect(terminal.stderr.text).toContain(
      'kept in memory only: HTTP 500: broken; they end with this run, --spool DIR would keep them',
    );
  });

  test('what was turned down too', async () => {
    receiver.behaviour = answer(400, 'no');
    expect(await run('analyze', '@bad.log', '--webhook-url', 'URL', '--spool', '@spool')).toBe(4);
    expect(terminal.stderr.text).toContain(
      `not delivered: 3 messages turned down, kept in ${folder.path}/spool/webhook/refused.ndjson: HTTP 400: no`,
    );
  });

  test('no findings, nothing sent; what waited from before goes out', async () => {
    receiver.behaviour = answer(500);
    const sending = ['--webhook-url', 'URL', '--spool', '@spool', '--config', '@short.yaml'];
    await run('analyze', '@bad.log', ...sending);
    receiver.requests.length = 0;
    receiver.behaviour = answer(200);
    expect(await run('analyze', '@calm.log', ...sending)).toBe(0);
    expect(receiver.requests.length).toBe(3);
    expect(await run('analyze', '@calm.log', '--webhook-url', 'URL')).toBe(0);
    expect(receiver.requests.length).toBe(3);
  });

  test('a secret comes from the environment, its spool lies beside the configuration, and nothing shows it', async () => {
    terminal.env = { SLACK_URL: `${receiver.url}/services/s3cret` };
    receiver.behaviour = answer(404, 'no /services/s3cret here');
    expect(await run('analyze', '@bad.log', '--config', '@slack.yaml')).toBe(4);
    const kept = readFileSync(`${folder.path}/kept/slack/refused.ndjson`, 'utf8');
    expect(receiver.requests[0]?.url).toBe('/services/s3cret');
    expect(`${kept}${terminal.stderr.text}${terminal.stdout.text}`).not.toContain('s3cret');
  });
});

describe('OTLP', () => {
  // An empty answer is what a collector gives to JSON and protobuf alike.
  const paths = () => [...new Set(receiver.requests.map(({ url }) => url))];

  test('by flag', async () => {
    expect(await run('analyze', '@bad.log', '--otlp-endpoint', 'URL')).toBe(1);
    expect(paths()).toContain('/v1/logs');
    expect(terminal.stderr.text).toMatch(
      /^skewscope: otlp 127\.0\.0\.1:\d+: \d+ delivered\nskewscope: otlp metrics 127\.0\.0\.1:\d+: 1 delivered\n$/,
    );
    expect(receiver.requests.filter(({ url }) => url === '/v1/metrics')).toHaveLength(1);
  });

  test('by the standard variable, unless the standard variable switches it off', async () => {
    terminal.env = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_SDK_DISABLED: 'true' };
    await run('analyze', '@bad.log');
    expect(paths()).toEqual([]);
    terminal.env = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url };
    await run('analyze', '@bad.log');
    expect(paths()).toContain('/v1/logs');
  });

  test('without metrics, when the standard variable says so', async () => {
    terminal.env = { OTEL_METRICS_EXPORTER: 'none' };
    await run('analyze', '@bad.log', '--otlp-endpoint', 'URL');
    await run('outputs', 'test', '--otlp-endpoint', 'URL');
    expect(paths().sort()).toEqual(['/v1/logs', '/v1/traces']);
  });

  const without =
    (signal: string): Behaviour =>
    (request, response, count) =>
      answer(request.url === `/v1/${signal}` ? 404 : 200)(request, response, count);

  test('a receiver without metrics, which nobody asked for, is told once and fails nothing', async () => {
    receiver.behaviour = without('metrics');
    expect(await run('analyze', '@bad.log', '--otlp-endpoint', 'URL')).toBe(1);
    expect(terminal.stderr.text).toMatch(
      /^skewscope: otlp metrics 127\.0\.0\.1:\d+: no metrics are sent: .*HTTP 404.* OTEL_METRICS_EXPORTER=none leaves them out\nskewscope: otlp 127\.0\.0\.1:\d+: \d+ delivered\n$/,
    );
  });

  test('metrics that were asked for and nobody takes fail the run; no spool is recommended for them', async () => {
    receiver.behaviour = without('metrics');
    terminal.env = { OTEL_METRICS_EXPORTER: 'otlp' };
    expect(await run('analyze', '@bad.log', '--otlp-endpoint', 'URL')).toBe(4);
    expect(await run('analyze', '@bad.log', '--otlp-endpoint', 'URL', '--config', '@metrics.yaml')).toBe(4);
    expect(terminal.stderr.text).toMatch(/otlp metrics 127\.0\.0\.1:\d+: not delivered: 1 message .*HTTP 404/);
    expect(terminal.stderr.text).not.toContain('--spool');
  });

  test('a receiver without logs fails the run, with what to set, and nothing fails when that is set', async () => {
    receiver.behaviour = without('logs');
    expect(await run('analyze', '@bad.log', '--otlp-endpoint', 'URL')).toBe(4);
    expect(terminal.stderr.text).toMatch(
      /not delivered: 3 messages turned down.*HTTP 404; it has no pipeline for logs.*outputs\.otlp\.logs: false or OTEL_LOGS_EXPORTER=none/,
    );
    receiver.requests.length = 0;
    expect(await run('analyze', '@bad.log', '--otlp-endpoint', 'URL', '--config', '@nologs.yaml')).toBe(1);
    terminal.env = { OTEL_LOGS_EXPORTER: 'none' };
    expect(await run('analyze', '@bad.log', '--otlp-endpoint', 'URL')).toBe(1);
    expect(paths()).toEqual(['/v1/metrics']);
  });

  test('mistakes in variables are told, and do not stop it', async () => {
    terminal.env = { OTEL_RESOURCE_ATTRIBUTES: 'team=%', OTEL_TRACES_EXPORTER: 'zipkin' };
    expect(await run('analyze', '@bad.log', '--otlp-endpoint', 'URL')).toBe(1);
    expect(terminal.stderr.text).toContain('skewscope: OTEL_RESOURCE_ATTRIBUTES is ignored');
    expect(terminal.stderr.text).toContain('skewscope: OTEL_TRACES_EXPORTER: zipkin is not known here and ignored');
  });

  test('to people by variable, but not where the result goes', async () => {
    terminal.env = { OTEL_LOGS_EXPORTER: 'console' };
    expect(await run('analyze', '@bad.log', '-o', '@result')).toBe(1);
    expect(terminal.stdout.text).toMatch(/^(.* skewscope\.finding cp1 does not trust .*\n){3}$/);
    terminal = fakeTerminal();
    terminal.env = { OTEL_LOGS_EXPORTER: 'console', OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url };
    expect(await run('analyze', '@bad.log')).toBe(1);
    expect(terminal.stdout.text).not.toContain('skewscope.finding');
    expect(terminal.stderr.text).toContain('console is ignored, for the result goes to standard output');
  });

  test('disabled by the standard variable goes nowhere, and that is said', async () => {
    terminal.env = { OTEL_SDK_DISABLED: 'true' };
    expect(await run('analyze', '@bad.log', '--otlp-endpoint', 'URL')).toBe(1);
    expect(terminal.stderr.text).toBe('skewscope: OTEL_SDK_DISABLED is true: nothing is sent over OTLP\n');
    expect(paths()).toEqual([]);
  });

  test('once, when the logs are read again with the same spool', async () => {
    const args = ['analyze', '@bad.log', '--otlp-endpoint', 'URL', '--spool', '@spool'];
    await run(...args);
    receiver.requests.length = 0;
    expect(await run(...args)).toBe(1);
    expect(paths()).toEqual(['/v1/metrics']);
    expect(terminal.stderr.text).toMatch(/otlp 127\.0\.0\.1:\d+: 3 sent or turned down before\n/);
  });

  test('to a file alone, beside the configuration', async () => {
    expect(await run('analyze', '@bad.log', '--config', '@spans.yaml')).toBe(1);
    const lines = readFileSync(`${folder.path}/spans.ndjson`, 'utf8').trim().split('\n');
    expect(lines.flatMap((line) => Object.keys(JSON.parse(line)))).toEqual(['resourceLogs']);
    expect(terminal.stderr.text).toBe(`skewscope: otlp file ${folder.path}/spans.ndjson: 3 delivered\n`);
    expect(paths()).toEqual([]);
  });

  test('to a file and a collector', async () => {
    expect(await run('analyze', '@bad.log', '--config', '@spans.yaml', '--otlp-endpoint', 'URL')).toBe(1);
    expect(paths().sort()).toEqual(['/v1/logs', '/v1/metrics']);
    expect(existsSync(`${folder.path}/spans.ndjson`)).toBe(true);
  });

  test('to people on standard output, when the result goes to a file', async () => {
    expect(await run('analyze', '@bad.log', '--config', '@console.yaml', '-o', '@result')).toBe(1);
    expect(terminal.stdout.text).toMatch(/^(.* skewscope\.finding cp1 does not trust .*\n){3}$/);
    expect(await run('analyze', '@bad.log', '--config', '@console.yaml')).toBe(2);
    expect(terminal.stderr.text).toContain('the OTLP console output writes to standard output, where the result goes');
  });

  test('outputs test sends a span, and metrics', async () => {
    expect(await run('outputs', 'test', '--otlp-endpoint', 'URL')).toBe(0);
    expect(paths().sort()).toEqual(['/v1/logs', '/v1/metrics', '/v1/traces']);
  });
});

describe('watch', () => {
  test('sends findings as they come, and says at the end what waits', async () => {
    expect(await run('watch', '@bad.log', '--webhook-url', 'URL')).toBe(1);
    expect(bodies().map(({ type }) => type)).toEqual(Array(3).fill('skewscope.finding.opened'));
    receiver.behaviour = HANG;
    const args = ['--webhook-url', 'URL', '--config', '@short.yaml', '--spool', '@spool'];
    expect(await run('watch', '@bad.log', ...args)).toBe(4);
    expect(terminal.stderr.text).toContain(`not delivered: 3 messages waiting, kept in ${folder.path}/spool/webhook`);
  });
});

describe('metrics for Prometheus', () => {
  test('are served while watch runs, by flag or configuration, without any other output', async () => {
    expect(await run('watch', '@bad.log', '--metrics-listen', '0')).toBe(1);
    expect(await run('watch', '@bad.log', '--config', '@listen.yaml')).toBe(1);
    expect(terminal.stderr.text).toMatch(/^(skewscope: metrics at http:\/\/127\.0\.0\.1:\d+\/metrics\n){2}$/);
  });

  test('are nothing to analyze, which ends', async () => {
    expect(await run('analyze', '@bad.log', '--config', '@listen.yaml')).toBe(1);
    expect(terminal.stderr.text).toBe('');
  });

  test.each([
    [':9464', 'It names no host; write 9464 for this machine alone'],
    ['all', 'It must be HOST:PORT'],
  ])('%s is a mistake', async (address, message) => {
    expect(await run('watch', '@bad.log', '--metrics-listen', address)).toBe(2);
    expect(terminal.stderr.text).toContain(message);
  });

  test('on a port that is taken are a mistake too, and no output stays open', async () => {
    const args = ['--metrics-listen', `127.0.0.1:${receiver.port}`, '--webhook-url', 'URL', '--spool', '@spool'];
    expect(await run('watch', '@bad.log', ...args)).toBe(2);
    expect(terminal.stderr.text).toBe(
      `skewscope: metrics cannot be served at 127.0.0.1:${receiver.port}: another process listens there; give another port\n`,
    );
    expect(await run('watch', '@bad.log', ...args.slice(2))).toBe(1);
  });
});

describe('usage', () => {
  test.each([
    [['--webhook-url', 'ftp://x'], 'the value of --webhook-url is no http or https URL, as in http://host:9093'],
    [
      ['--webhook-url', 'http://u:s3cret@x'],
      'the value of --webhook-url holds credentials; put the URL into a variable',
    ],
    [['--alertmanager-url', 'fromEnv:NONE'], 'the environment variable NONE is not set'],
    [['--spool', '@spool'], '--spool keeps messages for outputs, and there is none; give one, as with --webhook-url'],
    [['--config', '@stdout.yaml'], 'an ndjson output writes to standard output, where the result goes too'],
    [['--webhook-url', 'URL', '--spool', '@bad.log'], 'cannot be used'],
  ])('%j', async (args, message) => {
    expect(await run('analyze', '@bad.log', ...args)).toBe(2);
    expect(terminal.stderr.text).toContain(message);
    expect(terminal.stderr.text).not.toContain('s3cret');
    expect(receiver.requests).toEqual([]);
  });

  test('ndjson on standard output, when the result goes to a file', async () => {
    expect(await run('analyze', '@bad.log', '--config', '@stdout.yaml', '-o', '@result')).toBe(1);
    const lines = terminal.stdout.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ change, severity }) => [change, severity])).toEqual([
      ['opened', 'critical'],
      ['opened', 'critical'],
      ['opened', 'warning'],
    ]);
  });
});

describe('outputs test', () => {
  test('says of each output what came back; 0 when all took it', async () => {
    expect(await run('outputs', 'test', '--alertmanager-url', 'URL', '--webhook-url', 'URL/hook', '--resolve')).toBe(0);
    expect(terminal.stdout.text).toBe(
      `ok     alertmanager 127.0.0.1:${receiver.port}: HTTP 200; resolved: HTTP 200\n` +
        `ok     webhook 127.0.0.1:${receiver.port}: HTTP 200; resolved: HTTP 200\n`,
    );
    expect(
      bodies()
        .map((body) => (Array.isArray(body) ? body[0].labels.alertname : body.type))
        .sort(),
    ).toEqual(['SkewscopeTest', 'SkewscopeTest', 'skewscope.finding.opened', 'skewscope.finding.resolved']);
  });

  test('1 when one did not, with its reason', async () => {
    receiver.behaviour = answer(401);
    expect(await run('outputs', 'test', '--webhook-url', 'URL')).toBe(1);
    expect(terminal.stdout.text).toBe(
      `failed webhook 127.0.0.1:${receiver.port}: HTTP 401; the credentials are missing or wrong\n`,
    );
  });

  test('of one that hangs, that it has not answered', async () => {
    receiver.behaviour = HANG;
    expect(await run('outputs', 'test', '--config', '@short.yaml', '--webhook-url', 'URL')).toBe(1);
    expect(terminal.stdout.text).toBe(`failed webhook 127.0.0.1:${receiver.port}: the receiver has not answered yet\n`);
  });

  test('2 when there is none', async () => {
    expect(await run('outputs', 'test')).toBe(2);
    expect(terminal.stderr.text).toContain('there is no output to test; give one, as with --alertmanager-url');
  });
});

describe('outputs resend', () => {
  const sending = ['--webhook-url', 'URL', '--otlp-endpoint', 'URL', '--spool', '@spool'];

  test('sends what was turned down once the cause is mended, and says so', async () => {
    receiver.behaviour = answer(401, 'who are you?');
    expect(await run('analyze', '@bad.log', ...sending)).toBe(4);
    expect(await run('outputs', 'resend', ...sending)).toBe(4);
    expect(terminal.stdout.text).toContain(
      `webhook 127.0.0.1:${receiver.port}: not delivered: 3 messages turned down, kept in ${folder.path}/spool/webhook/refused.ndjson: HTTP 401`,
    );
    receiver.behaviour = answer(200);
    receiver.requests.length = 0;
    terminal = fakeTerminal();
    expect(await run('outputs', 'resend', ...sending)).toBe(0);
    expect(terminal.stdout.text).toBe(
      `webhook 127.0.0.1:${receiver.port}: 3 delivered\notlp 127.0.0.1:${receiver.port}: 3 delivered\n`,
    );
    expect(receiver.requests.map(({ url }) => url).sort()).toEqual(['/', '/', '/', '/v1/logs']);
    expect(existsSync(`${folder.path}/spool/webhook/refused.ndjson`)).toBe(false);
    expect(await run('outputs', 'resend', ...sending)).toBe(0);
    expect(terminal.stdout.text).toContain(`webhook 127.0.0.1:${receiver.port}: nothing was turned down\n`);
  });

  test('a line that cannot be read is told once and moved beside; the others are sent', async () => {
    receiver.behaviour = answer(401);
    expect(await run('analyze', '@bad.log', ...sending)).toBe(4);
    receiver.behaviour = answer(200);
    const spool = `${folder.path}/spool/webhook`;
    const [first = '', ...others] = readFileSync(`${spool}/refused.ndjson`, 'utf8').split('\n');
    writeFileSync(`${spool}/refused.ndjson`, [first.slice(0, 40), ...others].join('\n'));
    terminal = fakeTerminal();
    expect(await run('outputs', 'resend', ...sending)).toBe(4);
    expect(terminal.stdout.text).toContain(
      `webhook 127.0.0.1:${receiver.port}: 2 delivered; line 1 of refused.ndjson cannot be read: moved to ${spool}/unreadable.ndjson; mend there`,
    );
    expect(readFileSync(`${spool}/unreadable.ndjson`, 'utf8')).toBe(`${first.slice(0, 40)}\n`);
    expect(await run('outputs', 'resend', ...sending)).toBe(0);
  });

  test('needs a spool', async () => {
    expect(await run('outputs', 'resend', '--webhook-url', 'URL')).toBe(2);
    expect(await run('outputs', 'resend')).toBe(2);
    expect(terminal.stderr.text).toContain('what was turned down is kept in a spool; give its folder');
  });
});
