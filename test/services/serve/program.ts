/** The built service as a process: its log, its HTTP interface, its end. `npm run build` comes first. */
import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { makeFolder } from '../../sources/folder.js';
import { PATIENCE_MS } from '../../until.js';

/** Another build than that of the checkout, for whoever works on it. */
const DIST = process.env.SKEWSCOPE_DIST ?? fileURLToPath(new URL('../../../dist', import.meta.url));
const SHORT = fileURLToPath(new URL('short-times.mjs', import.meta.url));

export interface LogLine {
  readonly level: string;
  readonly msg: string;
}

export interface ProgramOptions {
  /** Windows of so many milliseconds, and a group that notices soon who is gone. */
  readonly short?: { readonly windowMs?: number };
  readonly env?: Readonly<Record<string, string>>;
}

/** The folder of one service: configuration, spool, files that it writes. */
export class ServiceFolder {
  readonly #folder = makeFolder({});
  readonly path = this.#folder.path;
  readonly #running = new Set<Program>();

  /** `config`: YAML. */
  configure(config: string): void {
    writeFileSync(join(this.path, 'skewscope.yaml'), config);
  }

  start(options: ProgramOptions = {}): Program {
    const program = new Program(this.path, options);
    this.#running.add(program);
    return program;
  }

  async drop(): Promise<void> {
    for (const program of this.#running) await program.kill();
    this.#folder.drop();
  }
}

export class Program {
  readonly child: ChildProcess;
  /** Exit code; null after a signal. */
  readonly ended: Promise<number | null>;
  readonly #startedAt = Date.now();
  #text = '';
  #hasEnded = false;

  constructor(folder: string, { short, env = {} }: ProgramOptions) {
    const config = join(folder, 'skewscope.yaml');
    const args = short === undefined ? [join(DIST, 'cli/main.js'), 'serve', '--config', config] : [SHORT, DIST, config];
    const window = short?.windowMs === undefined ? {} : { WINDOW_MS: String(short.windowMs) };
    this.child = spawn(process.execPath, args, {
      cwd: folder,
      env: { PATH: process.env.PATH, ...window, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    // A test run that is ended leaves no service behind.
    const orphan = () => this.child.kill('SIGKILL');
    process.once('exit', orphan);
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#text += text;
      });
    }
    this.ended = new Promise((resolve) => {
      this.child.once('close', (code) => {
        process.removeListener('exit', orphan);
        this.#hasEnded = true;
        resolve(code);
      });
    });
  }

  get log(): LogLine[] {
    return this.#text
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as LogLine);
  }

  /** All that it wrote, for messages of tests. */
  get text(): string {
    return this.#text;
  }

  /** Messages at warning or above. */
  get warnings(): string[] {
    return this.log.filter(({ level }) => level === 'warn' || level === 'error').map(({ msg }) => msg);
  }

  /** Resolves with the first message that fits. */
  async said(what: RegExp, withinMs = PATIENCE_MS): Promise<string> {
    return this.until(`said ${what}`, () => this.log.find(({ msg }) => what.test(msg))?.msg, withinMs);
  }

  /** Resolves with what the question gives once that is not undefined, null or false. */
  async until<T>(what: string, ask: () => T | Promise<T>, withinMs = PATIENCE_MS): Promise<NonNullable<T>> {
    const deadline = Date.now() + withinMs;
    for (;;) {
      const answer = await ask();
      if (answer !== undefined && answer !== null && answer !== false) return answer;
      if (Date.now() > deadline) throw new Error(`not within ${withinMs} ms: ${what}\n${this.#text.slice(-6_000)}`);
      if (this.#hasEnded) throw new Error(`it ended before: ${what}\n${this.#text.slice(-6_000)}`);
      await sleep(25);
    }
  }

  async consumes(): Promise<void> {
    await this.said(/^the service consumes$/);
  }

  async url(): Promise<string> {
    const message = await this.said(/^page and interface at /);
    return /https?:\/\/[^/]+/.exec(message)?.[0] ?? '';
  }

  /** Status and body of a path; status 0 while nobody answers. */
  async get(path: string): Promise<{ readonly status: number; readonly body: string }> {
    const url = await this.url();
    try {
      const response = await fetch(url + path);
      return { status: response.status, body: await response.text() };
    } catch {
      return { status: 0, body: '' };
    }
  }

  // biome-ignore lint/suspicious/noExplicitAny: JSON of the interface, of which tests read parts
  async json(path: string): Promise<any> {
    const { status, body } = await this.get(path);
    if (status !== 200) throw new Error(`HTTP ${status}: ${body}\n${this.#text.slice(-3_000)}`);
    return JSON.parse(body);
  }

  /** Resolves when everything that the topics hold was read and judged. */
  async live(records: number, withinMs = PATIENCE_MS): Promise<void> {
    await this.until(
      `${records} records, all judged`,
      async () => {
        const status = await this.json('/api/v1/status');
        return status.phase === 'live' && status.records >= records && status.lag.messages === 0 && status.judged;
      },
      withinMs,
    );
  }

  /** Ends it as a crash does. */
  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.ended;
  }

  /** Asks it to end, and gives the exit code. */
  async stop(): Promise<number | null> {
    this.child.kill('SIGTERM');
    return this.ended;
  }

  get ranMs(): number {
    return Date.now() - this.#startedAt;
  }
}
