/** Runs the collector of the tests on a free loopback port and reads back what it took. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PATIENCE_MS } from '../../until.js';
import { freePort } from '../free-ports.js';
import { buildCollector } from './build.js';
import { type Received, readReceived } from './received.js';

const STOP_MS = 10_000;

export interface Certs {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

export interface Collector {
  /** Base URL for OTLP over HTTP. */
  readonly endpoint: string;
  /** What clients need where the receiver asks for certificates. */
  readonly certs: Certs | undefined;
}

/**
 * Runs a collector while `use` sends to it, and gives what it took. `tls`: the receiver has a certificate of its own CA
 * and takes no client without one.
 */
export async function collect(
  use: (collector: Collector) => Promise<void>,
  { tls = false }: { readonly tls?: boolean } = {},
): Promise<Received> {
  const binary = await buildCollector();
  const folder = mkdtempSync(join(tmpdir(), 'skewscope-collector-'));
  const file = (name: string) => join(folder, name);
  try {
    if (tls) execFileSync(binary, ['certs', folder]);
    const port = await freePort();
    writeFileSync(file('config.yaml'), config(folder, port, tls));
    const child = spawn(binary, ['--config', `file:${file('config.yaml')}`], { stdio: ['ignore', 'ignore', 'pipe'] });
    try {
      await untilReady(child);
      const certs = tls ? { ca: file('ca.pem'), cert: file('client.pem'), key: file('client-key.pem') } : undefined;
      await use({ endpoint: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`, certs });
    } finally {
      // It writes what it holds when it ends.
      await end(child);
    }
    return readReceived(['traces', 'logs', 'metrics'].flatMap((name) => linesOf(file(`${name}.ndjson`))));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function config(folder: string, port: number, tls: boolean): string {
  const certs = `
        tls:
          cert_file: ${folder}/server.pem
          key_file: ${folder}/server-key.pem
          client_ca_file: ${folder}/ca.pem`;
  const signals = ['traces', 'logs', 'metrics'];
  return `receivers:
  otlp:
    protocols:
      http:
        endpoint: 127.0.0.1:${port}${tls ? certs : ''}
exporters:
${signals.map((name) => `  file/${name}:\n    path: ${folder}/${name}.ndjson\n`).join('')}service:
  telemetry:
    metrics:
      level: none
  pipelines:
${signals.map((name) => `    ${name}:\n      receivers: [otlp]\n      exporters: [file/${name}]\n`).join('')}`;
}

async function untilReady(child: ChildProcess): Promise<void> {
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-20_000);
  });
  const deadline = Date.now() + PATIENCE_MS;
  while (!said.includes('Everything is ready')) {
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(`the collector did not start:\n${said}`);
    await sleep(50);
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const late = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  await exited;
  clearTimeout(late);
}

function linesOf(path: string): string[] {
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
}
