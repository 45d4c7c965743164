/** A real Alertmanager for one test: its own port on loopback, its own empty storage, a configuration that notifies nobody but a test. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeFolder } from '../../sources/folder.js';
import { PATIENCE_MS } from '../../until.js';
import { freePort } from '../free-ports.js';

const BINARIES = ['prometheus-alertmanager', 'alertmanager'];

/** The binary's name; undefined where it is not installed. Throws there when SKEWSCOPE_REQUIRE_SERVICES=1. */
export function findAlertmanager(): string | undefined {
  const found = BINARIES.find(canRun);
  if (found === undefined && process.env.SKEWSCOPE_REQUIRE_SERVICES === '1') {
    throw new Error(
      'no Alertmanager: install the package prometheus-alertmanager, or unset SKEWSCOPE_REQUIRE_SERVICES',
    );
  }
  return found;
}

function canRun(binary: string): boolean {
  try {
    execFileSync(binary, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

export interface GettableAlert {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly startsAt: string;
  readonly endsAt: string;
  readonly generatorURL?: string;
}

export class Alertmanager {
  private constructor(
    readonly url: string,
    readonly child: ChildProcess,
    readonly drop: () => void,
  ) {}

  /** `webhook`: who is notified, grouped as many configurations do, without waiting. */
  static async start(binary: string, webhook: string): Promise<Alertmanager> {
    const config = `
route: {receiver: test, group_by: [alertname, cluster], group_wait: 1s, group_interval: 1s, repeat_interval: 1h}
receivers: [{name: test, webhook_configs: [{url: "${webhook}", send_resolved: true}]}]
`;
    const folder = makeFolder({ 'am.yml': config });
    const port = await freePort();
    const args = ['--config.file=am.yml', '--storage.path=data', `--web.listen-address=127.0.0.1:${port}`];
    const child = spawn(binary, [...args, '--cluster.listen-address='], { cwd: folder.path, stdio: 'ignore' });
    const manager = new Alertmanager(`http://127.0.0.1:${port}`, child, folder.drop);
    await manager.#ready();
    return manager;
  }

  async alerts(): Promise<GettableAlert[]> {
    const response = await fetch(`${this.url}/api/v2/alerts`);
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    return (await response.json()) as GettableAlert[];
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.child.once('close', resolve));
    this.child.kill('SIGTERM');
    await ended;
    this.drop();
  }

  async #ready(): Promise<void> {
    const deadline = Date.now() + PATIENCE_MS;
    while (this.child.exitCode === null && Date.now() < deadline) {
      const ready = await fetch(`${this.url}/-/ready`).catch(() => undefined);
      if (ready?.ok === true) return;
      await sleep(50);
    }
    throw new Error('the Alertmanager does not become ready');
  }
}
