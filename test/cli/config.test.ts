import { readdirSync, readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { runCli } from '../../src/cli/run.js';
import { makeFolder } from '../sources/folder.js';
import { type FakeTerminal, fakeTerminal, wordStages } from './fakes.js';

const SHIPPED = readdirSync(new URL('../../rules', import.meta.url)).length;

let folder: ReturnType<typeof makeFolder>;
let terminal: FakeTerminal;
beforeEach(() => {
  folder = makeFolder({
    'good.yaml': 'kafka: {brokers: ["kafka-1:9092"], topics: [audit]}\nlisten: {token: "fromEnv:TOKEN"}',
    'bad.yaml': 'kafka: {brokers: ["kafka-1:9092"], topic: audit}',
    'strange.yaml': 'cluster: "\\e[31mred"',
  });
  terminal = fakeTerminal();
});
afterEach(() => folder.drop());

function run(...args: string[]): Promise<number> {
  return runCli(
    args.map((arg) => arg.replace(/^@/, `${folder.path}/`)),
    terminal,
    wordStages,
  );
}

describe('config check', () => {
  test('says ok and what would run on standard output, warnings on the other', async () => {
    terminal.env = { TOKEN: 'short' };
    expect(await run('config', 'check', '@good.yaml')).toBe(0);
    expect(terminal.stdout.text).toContain(`ok: ${folder.path}/good.yaml\n  rules     ${SHIPPED} in use\n`);
    expect(terminal.stdout.text).toContain('  topics    audit\n');
    expect(terminal.stderr.text).toBe(
      `warning: ${folder.path}/good.yaml:2:18: \`listen.token\` leads to fewer than 16 characters, which can be guessed\n`,
    );
  });

  test('mistakes go to standard error, and the exit code is that of a wrong configuration', async () => {
    expect(await run('config', 'check', '@bad.yaml')).toBe(2);
    expect(terminal.stdout.text).toBe('');
    expect(terminal.stderr.text).toBe(
      [
        `${folder.path}/bad.yaml:1:8: \`kafka.topics\` is missing; it must be a list\n`,
        `${folder.path}/bad.yaml:1:36: unknown key "topic"; did you mean topics?\n`,
      ].join(''),
    );
  });

  test('what the file holds is escaped', async () => {
    expect(await run('config', 'check', '@strange.yaml')).toBe(0);
    expect(terminal.stdout.text).not.toContain('\u001b');
    expect(terminal.stdout.text).toContain('red');
  });
});

test('config schema prints what schema/config.json holds', async () => {
  expect(await run('config', 'schema')).toBe(0);
  expect(terminal.stdout.text).toBe(readFileSync(new URL('../../schema/config.json', import.meta.url), 'utf8'));
});

test.each(['bash', 'zsh', 'fish'])('%s completes files after config check', async (shell) => {
  expect(await run('completion', shell)).toBe(0);
  const files = {
    bash: /'config check'\)\n.*else COMPREPLY=\(\$\(compgen -f/,
    zsh: /_skewscope_config_check[^}]*_files/,
    fish: /__skewscope_at config check'(?! -f)/,
  };
  expect(terminal.stdout.text).toMatch(files[shell as keyof typeof files]);
});
