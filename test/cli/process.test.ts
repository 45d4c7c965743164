/** The built program as a process: pipes, signals, exit codes. `npm run build` comes first. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { appendFileSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { makeFolder } from '../sources/folder.js';
import { PATIENCE_MS } from '../until.js';

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const WORDS = fileURLToPath(new URL('./process/word-main.mjs', import.meta.url));

let folder: ReturnType<typeof makeFolder>;
beforeAll(() => {
  folder = makeFolder({ 'calm.log': 'all is well\n', 'bad.log': 'critical\n'.repeat(3) });
});
afterAll(() => folder.drop());

interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

class Run {
  stdout = '';
  stderr = '';
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;

  constructor(script: string, args: readonly string[], env: Record<string, string> = {}) {
    this.child = spawn(process.execPath, [script, ...args], {
      cwd: folder.path,
      env: { PATH: process.env.PATH, ...env },
      stdio: 'pipe',
    });
    this.child.stdout?.on('data', (chunk) => {
      this.stdout += chunk;
    });
    this.child.stderr?.on('data', (chunk) => {
      this.stderr += chunk;
    });
    this.ended = new Promise((resolve) => {
      this.child.on('close', (code, signal) => resolve({ code, signal, stdout: this.stdout, stderr: this.stderr }));
    });
  }

  async until(text: string, stream: 'stdout' | 'stderr' = 'stdout'): Promise<void> {
    const deadline = Date.now() + PATIENCE_MS;
    while (!this[stream].includes(text)) {
      if (Date.now() > deadline) throw new Error(`no ${text} in ${this.stdout}${this.stderr}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}

function run(script: string, args: readonly string[], input?: string, env?: Record<string, string>): Promise<Ended> {
  const started = new Run(script, args, env);
  started.child.stdin?.end(input);
  return started.ended;
}

function shell(script: string): string {
  return execFileSync('bash', ['-c', script], { cwd: folder.path, encoding: 'utf8' });
}

test('a build leaves the program executable, as links to it need', () => {
  expect(statSync(MAIN).mode & 0o111).toBe(0o111);
});

describe('exit codes of the process', () => {
  test.each([
    [['analyze', 'calm.log'], 0],
    [['analyze', 'bad.log'], 1],
    [['analyze', '--nonsense'], 2],
    [['analyze', 'gone.log'], 3],
    [['--version'], 0],
  ])('%j gives %d', async (args, code) => {
    expect((await run(WORDS, args)).code).toBe(code);
  });

  test('standard input by -, a pipe and a redirected file', async () => {
    expect((await run(WORDS, ['analyze', '-'], 'critical')).code).toBe(1);
    expect((await run(WORDS, ['analyze', '-'], 'fine')).code).toBe(0);
    expect((await run(WORDS, ['analyze', '-'], '')).code).toBe(3);
    expect(shell(`"${process.execPath}" ${WORDS} analyze - < bad.log; echo "code $?"`)).toContain('code 1');
    expect(shell(`"${process.execPath}" ${WORDS} analyze <(cat bad.log); echo "code $?"`)).toContain('code 1');
    expect(shell(`"${process.execPath}" ${WORDS} watch < /dev/null 2>&1; echo "code $?"`)).toContain('code 3');
  });
});

test('metrics of a run are there while it goes on, and end with it', async () => {
  const watching = new Run(WORDS, ['watch', '--metrics-listen', '0']);
  await watching.until('/metrics', 'stderr');
  const url = /http:\S+/.exec(watching.stderr)?.[0] ?? '';
  watching.child.stdin?.write('critical warning');
  await watching.until('the word warning');
  const metrics = await (await fetch(url)).text();
  expect(metrics).toMatch(/^skewscope_records_read_total\{input="[^"]+"\} 1$/m);
  expect(metrics).toContain(
    'skewscope_findings_open{cluster="default",rule="peer-ca-untrusted",severity="critical"} 1',
  );
  watching.child.stdin?.end();
  expect((await watching.ended).code).toBe(1);
  await expect(fetch(url)).rejects.toThrow();
});

describe('standard output', () => {
  test('a reader that leaves early is quiet and keeps the code', () => {
    const script = `"${process.execPath}" ${WORDS} analyze bad.log --format ndjson | head -c 1 > /dev/null; echo "\${PIPESTATUS[0]}"`;
    expect(shell(`exec 2>&1; ${script}`)).toBe('1\n');
    const list = `"${process.execPath}" ${MAIN} rules list | head -1; echo "\${PIPESTATUS[0]}"`;
    expect(shell(`exec 2>&1; ${list}`).split('\n').slice(1)).toEqual(['0', '']);
    const help = `"${process.execPath}" ${MAIN} --help | true; echo "\${PIPESTATUS[0]}"`;
    expect(shell(`exec 2>&1; ${help}`)).toBe('0\n');
  });

  test('a full disk is told', () => {
    const script = `"${process.execPath}" ${WORDS} analyze calm.log 2>&1 > /dev/full; echo "code $?"`;
    expect(shell(script)).toMatch(/^skewscope: standard output: .*ENOSPC.*\ncode 2\n$/);
  });

  test('a large result reaches a slow reader whole', () => {
    writeFileSync(`${folder.path}/many.log`, 'critical\n'.repeat(5_000));
    const script = `"${process.execPath}" ${WORDS} analyze many.log --format json | (sleep 0.3; cat) | wc -c; "${process.execPath}" ${WORDS} analyze many.log --format json | wc -c`;
    const [slow, fast] = shell(script).trim().split('\n');
    expect(slow).toBe(fast);
    expect(Number(fast)).toBeGreaterThan(1_000_000);
  });

  test('no colours when piped, unless forced', async () => {
    expect((await run(WORDS, ['analyze', 'bad.log'])).stdout).not.toContain('\x1b');
    expect((await run(WORDS, ['analyze', 'bad.log'], '', { FORCE_COLOR: '1' })).stdout).toContain('\x1b[');
  });

  test('-o leaves standard output empty', async () => {
    const { code, stdout, stderr } = await run(WORDS, ['analyze', 'bad.log', '--format', 'json', '-o', 'result.json']);
    expect([code, stdout, stderr]).toEqual([1, '', '']);
    expect(JSON.parse(readFileSync(`${folder.path}/result.json`, 'utf8')).findings).toHaveLength(3);
  });
});

describe('signals', () => {
  test.each(['SIGINT', 'SIGTERM'] as const)('%s prints what there is and exits with 130', async (signal) => {
    const analysis = new Run(WORDS, ['analyze', '-', '--format', 'json'], { ANNOUNCE: '1' });
    analysis.child.stdin?.write('critical');
    await analysis.until('read\n', 'stderr');
    analysis.child.kill(signal);
    const { code, stdout, stderr } = await analysis.ended;
    expect(code).toBe(130);
    expect(JSON.parse(stdout).findings).toHaveLength(1);
    expect(stderr).toBe('reading\nread\nskewscope: interrupted: the result covers what was read until then\n');
  });

  test('watch tells a finding while the input goes on, and ends with the summary', async () => {
    const watch = new Run(WORDS, ['watch']);
    watch.child.stdin?.write('nothing yet\n');
    watch.child.stdin?.write('critical\n');
    await watch.until('OPENED critical peer-ca-untrusted cp1 the word critical\n');
    watch.child.kill('SIGINT');
    const { code, stdout } = await watch.ended;
    expect(code).toBe(130);
    expect(stdout.split('\n').length).toBeGreaterThan(5);
  });

  test('watch -f follows a file until it is told to stop', async () => {
    const path = `${folder.path}/live.log`;
    writeFileSync(path, 'old critical\n');
    const watch = new Run(WORDS, ['watch', '-f', 'live.log', '--format', 'ndjson']);
    await watch.until('the word critical');
    appendFileSync(path, 'warning\n');
    await watch.until('the word warning');
    watch.child.kill('SIGINT');
    expect((await watch.ended).code).toBe(130);
  });

  test('watch ends when nobody reads it any more', async () => {
    const watch = new Run(WORDS, ['watch']);
    watch.child.stdin?.on('error', () => {});
    watch.child.stdout?.destroy();
    const feed = setInterval(() => watch.child.stdin?.write('critical\n'), 20);
    const { code, stderr } = await watch.ended;
    clearInterval(feed);
    expect([code, stderr]).toEqual([1, '']);
  });

  test('waiting for a named pipe that nobody writes can be ended', async () => {
    execFileSync('mkfifo', [`${folder.path}/pipe`]);
    const analysis = new Run(WORDS, ['analyze', 'pipe'], { ANNOUNCE: '1' });
    await analysis.until('reading\n', 'stderr');
    analysis.child.kill('SIGINT');
    const again = setInterval(() => analysis.child.kill('SIGINT'), 300);
    const { code, signal } = await analysis.ended;
    clearInterval(again);
    expect(code === 130 || signal === 'SIGINT').toBe(true);
  });
});

test('called as a plugin of kubectl it says so', async () => {
  symlinkSync(MAIN, `${folder.path}/kubectl-skewscope`);
  const { stdout, code } = await run(`${folder.path}/kubectl-skewscope`, ['--help']);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^Usage: kubectl skewscope /);
});

test('the script for bash completes commands, options and values', () => {
  const complete = (...words: string[]) =>
    shell(
      `source <("${process.execPath}" ${MAIN} completion bash)
       COMP_WORDS=(skewscope ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}
       _skewscope; echo "\${COMPREPLY[*]}"`,
    ).trim();
  expect(complete('ana')).toBe('analyze');
  expect(complete('rules', '')).toBe('list explain test');
  expect(complete('rules', 'explain', 'peer-ca')).toBe('peer-ca-missing peer-ca-untrusted');
  expect(complete('analyze', '--fail')).toBe('--fail-on');
  expect(complete('analyze', 'bad.log', '--format', 'j')).toBe('json');
  expect(complete('analyze', 'ba')).toBe('bad.log');
});

describe('the whole program', () => {
  const failingCalls = Array.from({ length: 20 }, (_, at) => {
    const minute = `03:${10 + Math.floor(at / 10)}:0${at % 10}`;
    return [
      `I0105 ${minute}.100000       1 peerproxy_handler.go:264] Proxying request for /apis from  to 192.0.2.12:6443`,
      `E0105 ${minute}.103000       1 peerproxy_handler.go:279] "Error while proxying request to destination apiserver" err="error trying to reach service: tls: failed to verify certificate: x509: certificate signed by unknown authority"`,
      `E0105 ${minute}.103100       1 peer_discovery.go:149] "error querying discovery endpoint for serverID" err="discovery request failed with status: 503" path="/apis" serverID="apiserver-aaaabbbbccccddddeeeeffffgg"`,
    ].join('\n');
  }).join('\n');

  test('a process log with failing peer calls is found out, with the line that proves it', async () => {
    writeFileSync(`${folder.path}/cp1-kube-apiserver.log`, `${failingCalls}\n`);
    const { code, stdout } = await run(MAIN, ['analyze', 'cp1-kube-apiserver.log', '--format', 'json']);
    expect(code).toBe(1);
    const [found] = JSON.parse(stdout).findings.filter(({ rule }: { rule: string }) => rule === 'peer-ca-untrusted');
    expect(found.evidence[0]).toMatchObject({ input: 'cp1-kube-apiserver.log', line: 2 });
  });

  test('watch -f tells the finding within two seconds of the record that proves it', async () => {
    const path = `${folder.path}/cp2-kube-apiserver.log`;
    writeFileSync(path, '');
    const ofAnother = failingCalls.replaceAll(/(\d\.)10/g, '$120');
    writeFileSync(`${folder.path}/cp3-kube-apiserver.log`, `${ofAnother}\n`);
    const watch = new Run(MAIN, ['watch', '-f', 'cp2-kube-apiserver.log', 'cp3-kube-apiserver.log']);
    // It runs, and has read all there is.
    await watch.until('peer-ca-untrusted cp3');
    appendFileSync(path, `${failingCalls}\n`);
    const written = Date.now();
    await watch.until('peer-ca-untrusted cp2');
    // Two seconds are the promise; a busy machine gets some more.
    expect(Date.now() - written).toBeLessThan(4_000);
    watch.child.kill('SIGINT');
    const { code, stdout } = await watch.ended;
    expect(code).toBe(130);
    expect(stdout).toContain('peer-ca-untrusted');
  });

  test('text that is no record at all is unusable', async () => {
    const { code, stderr } = await run(MAIN, ['analyze', '-'], 'hello\nworld\n');
    expect(code).toBe(3);
    expect(stderr).toContain('nothing usable in the input');
  });
});

test('serve ends soon after SIGTERM, also while the disk of a spool hangs', async () => {
  mkdirSync(`${folder.path}/spool/webhook`, { recursive: true });
  // Who reads it waits until somebody writes.
  execFileSync('mkfifo', [`${folder.path}/spool/webhook/lock`]);
  const kafka = 'kafka: {brokers: ["127.0.0.1:9"], topics: [audit]}\nlisten: {admin: off}\nservice: {drain: 1s}';
  const outputs = 'outputs: {spool: {dir: spool}, webhook: [{url: "http://x.example/"}]}';
  writeFileSync(`${folder.path}/serve.yaml`, `${kafka}\n${outputs}\n`);
  const serving = new Run(MAIN, ['serve', '--config', 'serve.yaml']);
  await serving.until('reads audit', 'stderr');
  serving.child.kill('SIGTERM');
  const { signal, stderr } = await serving.ended;
  expect(stderr).toContain('what is left does not end in time, and is not waited for');
  expect(signal).toBe('SIGTERM');
});
