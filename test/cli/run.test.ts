import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { runCli } from '../../src/cli/run.js';
import type { Stages } from '../../src/cli/stages.js';
import { makeFolder } from '../sources/folder.js';
import { analysis, BrokenStream, type FakeTerminal, fakeTerminal, finding, wordStages } from './fakes.js';

let folder: ReturnType<typeof makeFolder>;
let terminal: FakeTerminal;

beforeEach(() => {
  folder = makeFolder({ 'calm.log': 'all is well', 'bad.log': 'critical', 'so-so.log': 'warning', 'empty.log': '' });
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

describe('exit codes', () => {
  test.each([
    ['nothing found', ['@calm.log'], 0],
    ['a finding', ['@bad.log'], 1],
    ['a finding at the threshold', ['@so-so.log', '--fail-on', 'warning'], 1],
    ['a finding below the threshold', ['@so-so.log', '--fail-on', 'critical'], 0],
    ['never', ['@bad.log', '--fail-on', 'never'], 0],
    ['nothing usable', ['@empty.log'], 3],
    ['an input is missing', ['@calm.log', '@gone.log'], 3],
    ['an input is missing beside findings', ['@bad.log', '@gone.log'], 3],
    ['all inputs are missing', ['@gone.log'], 3],
    ['no path', [], 2],
    ['unknown option', ['@calm.log', '--frmat', 'json'], 2],
    ['unknown value', ['@calm.log', '--format', 'xml'], 2],
    ['empty window', ['@calm.log', '--since', '1h', '--until', '2h'], 2],
    ['configuration missing', ['@calm.log', '--config', '@none.yaml'], 2],
    ['rules missing', ['@calm.log', '--rules', '@none'], 2],
    ['output cannot be written', ['@calm.log', '-o', '@none/result'], 2],
  ])('%s', async (_name, args, code) => {
    expect(await run('analyze', ...args)).toBe(code);
  });

  test('interruption prints what there is', async () => {
    terminal.interruption.abort();
    expect(await run('analyze', '@bad.log')).toBe(130);
    expect(terminal.stdout.text).toContain('cp1 does not trust');
    expect(terminal.stderr.text).toBe('skewscope: interrupted: the result covers what was read until then\n');
  });

  test('a mistake of the program is no finding', async () => {
    const broken: Stages = { ...wordStages, analyze: () => Promise.reject(new TypeError('bug\x1b[2J')) };
    expect(await runCli(['analyze', `${folder.path}/calm.log`, '-o', `${folder.path}/out`], terminal, broken)).toBe(70);
    expect(terminal.stderr.text).toMatch(/^skewscope: internal error, .*\nskewscope: TypeError: bug\\x1b\[2J\n/);
    expect(readdirSync(folder.path).sort()).toEqual(['bad.log', 'calm.log', 'empty.log', 'so-so.log']);
  });
});

describe('usage is told in one line with where to read on', () => {
  test.each([
    [['analize', 'x'], "unknown command 'analize'; did you mean analyze? See skewscope --help"],
    [['help', 'analize'], "unknown command 'analize'; did you mean analyze? See skewscope --help"],
    [['analyze', '--formt', 'x'], "unknown option '--formt'; did you mean --format? See skewscope analyze --help"],
    [
      ['analyze'],
      "missing required argument 'paths'; give files, folders, or - for standard input; see skewscope analyze --help",
    ],
    [
      ['analyze', 'x', '--since', 'yesterday'],
      "option '--since <time>' argument 'yesterday' is invalid. Give a time as in 2026-01-05T03:04:05Z, or a time ago as in 90s, 45m, 2h, 3d. See skewscope analyze --help",
    ],
    [
      ['watch', '--server', 'cp1'],
      "option '--server <name=glob>' argument 'cp1' is invalid. Give NAME=GLOB, as in cp1='logs/cp1-*'. See skewscope watch --help",
    ],
    [['rules', 'explian', 'x'], "unknown command 'explian'; did you mean explain? See skewscope rules --help"],
    [
      ['rules', 'explain', 'peer-ca-untrustd'],
      'rules explain: no rule "peer-ca-untrustd"; did you mean "peer-ca-untrusted"?',
    ],
    [
      ['completion', 'tcsh'],
      "command-argument value 'tcsh' is invalid for argument 'shell'. Allowed choices are bash, zsh, fish. See skewscope completion --help",
    ],
  ])('%j', async (args, message) => {
    expect(await run(...args)).toBe(2);
    expect(terminal.stderr.text).toBe(`skewscope: ${message}\n`);
    expect(terminal.stdout.text).toBe('');
  });

  test('the program alone shows its help, on stderr', async () => {
    expect(await run()).toBe(2);
    expect(terminal.stderr.text).toContain('Usage: skewscope [options] [command]');
    expect(terminal.stdout.text).toBe('');
  });

  test('mistakes in the configuration have a place', async () => {
    const { path, drop } = makeFolder({ 'skew.yaml': 'failon: info\nrules: {disable: [no-such-rule]}\n' });
    expect(await run('analyze', '@calm.log', '--config', `${path}/skew.yaml`)).toBe(2);
    expect(terminal.stderr.text).toBe(`skewscope: ${path}/skew.yaml:1:1: unknown key "failon"; did you mean failOn?\n`);
    drop();
  });
});

test('rules that the configuration file names and that do not exist are told with their line', async () => {
  const { path, drop } = makeFolder({ 'skew.yaml': 'rules:\n  severity: {clock-skw: info}\n  disable: [no-such]\n' });
  expect(await run('analyze', '@calm.log', '--config', `${path}/skew.yaml`)).toBe(2);
  const [first, second] = terminal.stderr.text.split('\n');
  expect(first).toMatch(/skew\.yaml:3:13: `rules\.disable\.0` is wrong: no rule "no-such"/);
  expect(second).toMatch(
    /skew\.yaml:2:\d+: `rules\.severity\.clock-skw` is wrong: no rule "clock-skw"; did you mean "clock-skew"\?$/,
  );
  drop();
});

describe('help and version', () => {
  test('help of a command below another one is its own', async () => {
    expect(await run('help', 'rules', 'test')).toBe(0);
    expect(terminal.stdout.text).toContain('Usage: skewscope rules test [options] [files...]');
  });

  test('trace and analyze name their exit codes', async () => {
    await run('trace', '--help');
    expect(terminal.stdout.text).toContain('3 no record of this Audit-ID');
    await run('analyze', '--help');
    expect(terminal.stdout.text).toContain('the result cannot be written');
  });

  test.each([['--help'], ['analyze', '--help'], ['help', 'watch'], ['rules', '--help'], ['-h']])(
    '%s %s',
    async (...args) => {
      expect(await run(...args)).toBe(0);
      expect(terminal.stdout.text).toMatch(/^Usage: skewscope/);
      expect(terminal.stderr.text).toBe('');
    },
  );

  test('help succeeds whatever the process that runs it will end with', async () => {
    process.exitCode = 1;
    try {
      expect(await run('help', 'watch')).toBe(0);
    } finally {
      process.exitCode = 0;
    }
  });

  test('the version is that of the package', async () => {
    expect(await run('--version')).toBe(0);
    const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    expect(terminal.stdout.text).toBe(`${manifest.version}\n`);
  });

  test('as a plugin of kubectl it calls itself so', async () => {
    const plugin = { ...terminal, name: 'kubectl skewscope' };
    expect(await runCli(['analyze', '--help'], plugin, wordStages)).toBe(0);
    expect(terminal.stdout.text).toMatch(/^Usage: kubectl skewscope analyze/);
    expect(terminal.stdout.text).toContain('\n  kubectl skewscope analyze logs/');
  });
});

describe('analyze', () => {
  test('data goes to stdout, messages to stderr', async () => {
    await run('analyze', '@bad.log', '@gone.log', '--format', 'json');
    expect(JSON.parse(terminal.stdout.text)).toMatchObject({ schema: 'skewscope.analysis/v1' });
    expect(terminal.stderr.text).toBe(
      `skewscope: ${folder.path}/gone.log: no such file or folder; check the spelling, and the folder this was started in\n`,
    );
  });

  test('-o writes the whole file or none, keeps its mode and follows a link', async () => {
    const target = `${folder.path}/result.json`;
    expect(await run('analyze', '@bad.log', '--format', 'json', '-o', '@result.json')).toBe(1);
    expect(JSON.parse(readFileSync(target, 'utf8')).findings).toHaveLength(1);
    expect(terminal.stdout.text).toBe('');
    chmodSync(target, 0o600);
    symlinkSync(target, `${folder.path}/link.json`);
    expect(await run('analyze', '@calm.log', '--format', 'json', '-o', '@link.json')).toBe(0);
    expect(JSON.parse(readFileSync(target, 'utf8')).findings).toHaveLength(0);
    expect(statSync(target).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder.path).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  test('-o on a folder says so', async () => {
    mkdirSync(`${folder.path}/out`);
    expect(await run('analyze', '@calm.log', '-o', '@out')).toBe(2);
    expect(terminal.stderr.text).toContain(`cannot write ${folder.path}/out: it is a folder; name a file in it`);
    await run('analyze', '@calm.log', '-o', '@none/out');
    expect(terminal.stderr.text).toContain(
      `cannot write ${folder.path}/none/out: there is no such folder; make it first`,
    );
  });

  test('a failed analysis leaves an earlier result alone', async () => {
    const target = `${folder.path}/bad.log`;
    const broken: Stages = { ...wordStages, analyze: () => Promise.reject(new Error('bug')) };
    expect(await runCli(['analyze', `${folder.path}/calm.log`, '-o', target], terminal, broken)).toBe(70);
    expect(readFileSync(target, 'utf8')).toBe('critical');
  });

  test('a reader that goes away is no failure, and findings keep their code', async () => {
    terminal = fakeTerminal({ stdout: new BrokenStream('EPIPE') });
    expect(await run('analyze', '@bad.log')).toBe(1);
    expect(terminal.stderr.text).toBe('');
  });

  test('a full disk is a failure', async () => {
    terminal = fakeTerminal({ stdout: new BrokenStream('ENOSPC') });
    expect(await run('analyze', '@bad.log')).toBe(2);
    expect(terminal.stderr.text).toBe('skewscope: standard output: broken\n');
  });

  test('colours: on a terminal only, unless asked otherwise', async () => {
    const colored = async (args: string[], env: Record<string, string>, isTTY: boolean) => {
      terminal = fakeTerminal();
      terminal.env = env;
      terminal.stdout.isTTY = isTTY;
      await run('analyze', '@bad.log', ...args);
      return terminal.stdout.text.includes('\x1b[');
    };
    expect(await colored([], {}, false)).toBe(false);
    expect(await colored([], {}, true)).toBe(true);
    expect(await colored([], { TERM: 'dumb' }, true)).toBe(false);
    expect(await colored([], { NO_COLOR: '1' }, true)).toBe(false);
    expect(await colored([], { NO_COLOR: '' }, true)).toBe(true);
    expect(await colored([], { FORCE_COLOR: '1' }, false)).toBe(true);
    expect(await colored([], { FORCE_COLOR: '0' }, true)).toBe(false);
    expect(await colored(['--color', 'always'], { NO_COLOR: '1' }, false)).toBe(true);
    expect(await colored(['--color', 'never'], { FORCE_COLOR: '1' }, true)).toBe(false);
    expect(await colored(['--format', 'json'], { FORCE_COLOR: '1' }, true)).toBe(false);
    await run('analyze', '@bad.log', '-o', '@out.txt');
    expect(readFileSync(`${folder.path}/out.txt`, 'utf8')).not.toContain('\x1b[');
  });

  test('flags go before the configuration file', async () => {
    const { path, drop } = makeFolder({ 'skew.yaml': 'failOn: never' });
    expect(await run('analyze', '@bad.log', '--config', `${path}/skew.yaml`)).toBe(0);
    expect(await run('analyze', '@bad.log', '--config', `${path}/skew.yaml`, '--fail-on', 'info')).toBe(1);
    drop();
  });

  test('the stages get the window, the servers and the cluster', async () => {
    let seen: unknown;
    const stages: Stages = {
      ...wordStages,
      async analyze(sources, { since, until, servers }) {
        seen = { since, until, servers, inputs: sources.map(({ input }) => [input.server, input.cluster]) };
        return analysis();
      },
    };
    const args = ['analyze', `${folder.path}/calm.log`, '--since', '2h', '--until', '2026-01-05T11:00:00.000001Z'];
    await runCli([...args, '--server', 'cp1=calm*', '--cluster', 'prod'], terminal, stages);
    expect(seen).toEqual({
      since: Date.UTC(2026, 0, 5, 10) * 1000,
      until: Date.UTC(2026, 0, 5, 11) * 1000 + 1,
      servers: [{ name: 'cp1', glob: 'calm*' }],
      inputs: [['cp1', 'prod']],
    });
  });

  test('--server that names nothing is told; two servers for one input are refused', async () => {
    expect(await run('analyze', '@calm.log', '--server', 'cp9=nothing*')).toBe(0);
    expect(terminal.stderr.text).toContain('no input matches cp9=nothing*');
    expect(await run('analyze', '@calm.log', '--server', 'cp1=*.log', '--server', 'cp2=calm*')).toBe(2);
    expect(terminal.stderr.text).toContain('calm.log is given to cp1 and cp2; narrow the globs');
  });

  test('an input that breaks off while it is read is told once, and the rest is judged', async () => {
    const stages: Stages = {
      ...wordStages,
      async analyze(sources, options) {
        // What was found a moment ago is gone when it is read.
        rmSync(`${folder.path}/calm.log`);
        await wordStages.analyze(sources, options);
        return wordStages.analyze(sources, options);
      },
    };
    const paths = ['bad.log', 'calm.log'].map((name) => `${folder.path}/${name}`);
    expect(await runCli(['analyze', ...paths], terminal, stages)).toBe(3);
    expect(terminal.stderr.text.match(/calm\.log: no such file/g)).toHaveLength(1);
    expect(terminal.stdout.text).toContain('cp1 does not trust');
  });

  test('names of files cannot act on the terminal', async () => {
    expect(await run('analyze', '@\x1b[31mred.log')).toBe(3);
    expect(terminal.stderr.text).toContain('\\x1b[31mred.log');
    expect(terminal.stderr.text).not.toContain('\x1b');
  });
});

describe('watch', () => {
  const line = 'OPENED critical peer-ca-untrusted cp1 → cp2 cp1 does not trust the serving certificate of cp2\n';

  test('piped: one line for each change, then the summary', async () => {
    expect(await run('watch', '@bad.log')).toBe(1);
    expect(terminal.stdout.text.startsWith(`2026-01-05T03:04:06.000000Z ${line}`)).toBe(true);
    expect(terminal.stdout.text).not.toContain('\x1b[');
  });

  test('as NDJSON: changes first, then the records of the result', async () => {
    await run('watch', '@bad.log', '--format', 'ndjson');
    const lines = terminal.stdout.text
      .trimEnd()
      .split('\n')
      .map((text) => JSON.parse(text));
    expect(lines[0]).toMatchObject({ kind: 'change', change: 'opened', rule: 'peer-ca-untrusted' });
    expect(lines.slice(1).map(({ kind }) => kind)).toEqual(['analysis', 'finding', 'input']);
  });

  test('as JSON: one object at the end', async () => {
    await run('watch', '@bad.log', '--format', 'json');
    expect(JSON.parse(terminal.stdout.text).findings).toHaveLength(1);
  });

  test('-o takes the result, the lines stay on stdout', async () => {
    await run('watch', '@bad.log', '-o', '@result.txt');
    expect(terminal.stdout.text).toBe(`2026-01-05T03:04:06.000000Z ${line}`);
    expect(existsSync(`${folder.path}/result.txt`)).toBe(true);
  });

  test('on a terminal: a view in place that is gone before the summary', async () => {
    terminal.stdout.isTTY = true;
    expect(await run('watch', '@bad.log', '--color', 'never')).toBe(1);
    const [view = '', summary = ''] = terminal.stdout.text.split('\x1b[J').slice(-2);
    expect(view).toContain('1 input, ');
    expect(summary).toContain('cp1 does not trust');
    expect(summary).not.toContain('\x1b');
  });

  test('ends when nobody reads any more', async () => {
    terminal = fakeTerminal({ stdout: new BrokenStream('EPIPE') });
    const stages: Stages = {
      ...wordStages,
      watch: (_sources, { onUpdate, signal }) =>
        new Promise((resolve) => {
          const current = analysis({ findings: [finding()] });
          signal?.addEventListener('abort', () => resolve(current));
          onUpdate(current, [{ kind: 'opened', finding: finding() }]);
        }),
    };
    expect(await runCli(['watch', `${folder.path}/bad.log`], terminal, stages)).toBe(1);
    expect(terminal.stderr.text).toBe('');
  });
});

describe('trace', () => {
  const story = {
    auditID: 'id\x1b',
    requests: [
      {
        title: 'GET /apis/batch/v1/jobs',
        outcome: 'cp2 answered 200',
        steps: [
          {
            timeUs: Date.UTC(2026, 0, 5, 3, 4, 5) * 1000,
            server: 'cp1',
            what: 'passed on to cp2',
            evidence: { input: 'a.log', line: 3, offset: 9, quote: 'Proxying\x1b[2J' },
          },
        ],
      },
    ],
    notes: ['no process log of cp2'],
  };
  const stages: Stages = { ...wordStages, traceRequest: async () => story };

  test('tells the steps in order, harmless on a terminal', async () => {
    expect(await runCli(['trace', 'id', `${folder.path}/calm.log`], terminal, stages)).toBe(0);
    expect(terminal.stdout.text).toBe(
      [
        'Audit-ID id\\x1b',
        'GET /apis/batch/v1/jobs',
        'cp2 answered 200',
        '  2026-01-05T03:04:05.000000Z  cp1  passed on to cp2',
        '    a.log:3: Proxying\\x1b[2J',
        '',
        'no process log of cp2',
        '',
      ].join('\n'),
    );
  });

  test('as JSON', async () => {
    await runCli(['trace', 'id', `${folder.path}/calm.log`, '--format', 'json'], terminal, stages);
    const [request] = story.requests;
    const [step] = request?.steps ?? [];
    const { timeUs: _, ...rest } = step ?? { timeUs: 0 };
    const told = { time: '2026-01-05T03:04:05.000000Z', ...rest };
    const requests = [{ ...request, steps: [told] }];
    expect(JSON.parse(terminal.stdout.text)).toEqual({ schema: 'skewscope.trace/v1', ...story, requests });
  });

  test('as NDJSON, one line for each thing', async () => {
    await runCli(['trace', 'id', `${folder.path}/calm.log`, '--format', 'ndjson'], terminal, stages);
    const lines = terminal.stdout.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ kind }) => kind)).toEqual(['trace', 'request', 'step', 'note']);
    expect(lines[0]).toEqual({ kind: 'trace', schema: 'skewscope.trace/v1', auditID: 'id\x1b' });
    expect(lines[2]).toMatchObject({ request: 1, time: '2026-01-05T03:04:05.000000Z', server: 'cp1' });
  });

  test('an Audit-ID that is nowhere is a failure of the input', async () => {
    expect(await run('trace', 'abc', '@calm.log')).toBe(3);
    expect(terminal.stderr.text).toBe(
      'skewscope: no record of Audit-ID abc in 1 input; give the logs of all servers, of the time of the request\n',
    );
  });
});

describe('rules', () => {
  test('list names every rule; configuration shows', async () => {
    expect(await run('rules', 'list')).toBe(0);
    expect(terminal.stdout.text).toMatch(/^peer-ca-untrusted +critical/m);
    const { path, drop } = makeFolder({ 'skew.yaml': 'rules: {disable: [proxy-slow]}' });
    terminal = fakeTerminal();
    await run('rules', 'list', '--format', 'json', '--config', `${path}/skew.yaml`);
    const entries: { id: string; state: string }[] = JSON.parse(terminal.stdout.text);
    expect(entries.find(({ id }) => id === 'proxy-slow')?.state).toBe('off');
    drop();
  });

  test('explain passes nothing on that a terminal acts on', async () => {
    const rule = readFileSync('rules/audit-gap.yaml', 'utf8').replace('id: audit-gap', 'id: my-rule');
    const hostile = makeFolder({ 'my-rule.yaml': rule.replace(/^title: .*$/m, 'title: "red \\e[31m"') });
    expect(await run('rules', 'explain', 'my-rule', '--rules', hostile.path)).toBe(0);
    expect(terminal.stdout.text).toMatch(/^my-rule: red \\x1b\[31m\n\nfile /);
    hostile.drop();
  });

  test('explain tells what a rule means', async () => {
    expect(await run('rules', 'explain', 'peer-ca-untrusted')).toBe(0);
    expect(terminal.stdout.text).toMatch(/^peer-ca-untrusted: /);
  });

  test('test runs the tests of rules, all or those of files', async () => {
    expect(await run('rules', 'test', '--junit', '@junit.xml', '--coverage')).toBe(0);
    expect(terminal.stdout.text).toMatch(/^\d+ tests passed, 0 failed, in \d+ rules$/m);
    expect(readFileSync(`${folder.path}/junit.xml`, 'utf8')).toMatch(/^<\?xml /);
    terminal = fakeTerminal();
    expect(await run('rules', 'test', 'rules/peer-ca-untrusted.yaml')).toBe(0);
    expect(terminal.stdout.text).toMatch(/in 1 rules$/m);
  });

  test('a rule whose tests fail gives 1 and says what came instead, one that cannot be read 2', async () => {
    const shipped = readFileSync(new URL('../../rules/peer-ca-untrusted.yaml', import.meta.url), 'utf8');
    const { path, drop } = makeFolder({
      'wrong.yaml': shipped.replace('- default: critical', '- default: info'),
      'broken.yaml': 'id: [',
    });
    expect(await run('rules', 'test', `${path}/wrong.yaml`)).toBe(1);
    expect(terminal.stdout.text).toMatch(/wrong\.yaml:\d+: FAILED peer-ca-untrusted: /);
    expect(await run('rules', 'test', `${path}/broken.yaml`)).toBe(2);
    expect(terminal.stderr.text).toContain(`${path}/broken.yaml:`);
    drop();
  });
});

test('--rules and --config take part in rules list', async () => {
  expect(await run('rules', 'list', '--rules', '@none')).toBe(2);
  expect(terminal.stderr.text).toContain('none: cannot be read');
});

test.each(['bash', 'zsh', 'fish'])('completion %s names all commands and options', async (shell) => {
  expect(await run('completion', shell)).toBe(0);
  for (const word of ['analyze', 'fail-on', 'explain', 'peer-ca-untrusted', 'from-end']) {
    expect(terminal.stdout.text).toContain(word);
  }
});
