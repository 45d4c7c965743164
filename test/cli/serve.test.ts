import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdirSync, openSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { runCli } from '../../src/cli/run.js';
import { makeFolder } from '../sources/folder.js';
import { until } from '../until.js';
import { type FakeTerminal, fakeTerminal, wordStages } from './fakes.js';

/** Nobody listens there. */
const KAFKA = 'kafka: {brokers: ["127.0.0.1:9"], topics: [audit, "/^log-/"], group: night}';

let folder: ReturnType<typeof makeFolder>;
let terminal: FakeTerminal;
let taken: Server;
let hangUp: (() => void) | undefined;
beforeEach(async () => {
  taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  const { port } = taken.address() as AddressInfo;
  folder = makeFolder({
    'good.yaml': `${KAFKA}\nlisten: {admin: "127.0.0.1:0"}`,
    'none.yaml': 'cluster: prod',
    'mistake.yaml': 'kafka: {brokers: [], topics: [audit]}',
    'rules.yaml': `${KAFKA}\nrules: {disable: [no-such-rule]}`,
    'secret.yaml': `${KAFKA}\nlisten: {admin: "127.0.0.1:0", token: "fromEnv:MISSING_TOKEN"}`,
    'taken.yaml': `${KAFKA}\nlisten: {admin: "127.0.0.1:${port}"}`,
    'spool.yaml': `${KAFKA}\nlisten: {admin: off}\noutputs: {spool: {dir: /proc/nope}, webhook: [{url: "http://x.example/"}]}`,
    'hangs.yaml': `${KAFKA}\nlisten: {admin: off}\nservice: {drain: 1s}\noutputs: {spool: {dir: .}, webhook: [{url: "http://x.example/"}]}`,
    'output.yaml': `${KAFKA}\nlisten: {admin: off}\noutputs: {webhook: [{url: "https://x.example/", tls: {ca: gone.pem}}]}`,
  });
  hangUp = undefined;
  terminal = {
    ...fakeTerminal({ now: Date.now }),
    onHangUp: (listener) => {
      hangUp = listener;
      return () => {
        hangUp = undefined;
      };
    },
  };
});
afterEach(() => {
  folder.drop();
  taken.close();
});

function serve(file: string): Promise<number> {
  return runCli(['serve', '--config', `${folder.path}/${file}`], terminal, wordStages);
}

const said = () => terminal.stderr.text;

describe('serve', () => {
  test.each([
    ['none.yaml', /none\.yaml: the section kafka is missing; give at least kafka\.brokers and kafka\.topics/],
    ['mistake.yaml', /mistake\.yaml:1:\d+: .*kafka\.brokers/],
    ['rules.yaml', /no-such-rule/],
    ['secret.yaml', /MISSING_TOKEN/],
    ['taken.yaml', /another process listens there; give another port/],
    ['output.yaml', /gone\.pem/],
    ['spool.yaml', /the spool \/proc\/nope\/webhook cannot be used: .*; give a folder that can be written/],
    ['missing.yaml', /missing\.yaml/],
  ])('ends with 2 and the reason where the configuration is wrong: %s', async (file, reason) => {
    expect(await serve(file)).toBe(2);
    expect(terminal.stderr.text).toMatch(reason);
    expect(terminal.stderr.text).not.toMatch(/internal error/);
    expect(terminal.stdout.text).toBe('');
    // Nothing is left that would listen to signals.
    expect(hangUp).toBeUndefined();
  });

  test('needs a configuration', async () => {
    expect(await runCli(['serve'], terminal, wordStages)).toBe(2);
    expect(terminal.stderr.text).toMatch(/--config/);
  });

  test('waits while Kafka is away, survives SIGHUP meanwhile, and ends cleanly when it is told to', async () => {
    const ending = serve('good.yaml');
    await until(() => terminal.stderr.text.includes('trying again'), 'it tries again', said);
    expect(hangUp).toBeDefined();
    hangUp?.();
    terminal.interruption.abort();
    expect(await ending).toBe(0);
    const lines = terminal.stderr.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines[0].msg).toMatch(/^skewscope \S+ reads audit, \/\^log-\/ of 127\.0\.0\.1:9 as group night$/);
    expect(lines.at(-1)).toMatchObject({ level: 'info', msg: 'the service has ended before it joined the group' });
    expect(hangUp).toBeUndefined();
  });

  test('ends when it is told to, also while an output does not open', async () => {
    mkdirSync(`${folder.path}/webhook`);
    const lock = `${folder.path}/webhook/lock`;
    // Who reads it waits until somebody writes.
    execFileSync('mkfifo', [lock]);
    const ending = serve('hangs.yaml');
    await until(() => terminal.stderr.text.includes('reads audit'), 'it reads', said);
    terminal.interruption.abort();
    expect(await ending).toBe(0);
    expect(terminal.stderr.text).toMatch(/"level":"warn".*what is left does not end in time, and is not waited for/);
    closeSync(openSync(lock, constants.O_WRONLY | constants.O_NONBLOCK));
  });
});
