/** Runs the client of the tests with a kubeconfig as --audit-webhook-config-file takes it. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../../sources/folder.js';
import { buildWebhookClient } from './build.js';

export interface Target {
  /** With the path that names the server. */
  readonly url: string;
  /** PEM texts. */
  readonly ca?: string;
  readonly client?: { readonly cert: string; readonly key: string };
  readonly token?: string;
}

/** Flags of the client: see main.go. */
export type ClientFlags = Readonly<Record<string, string | number>>;

export interface Ended {
  readonly code: number;
  /** What an apiserver would have in its log: batches that were given up, with their events. */
  readonly log: string;
}

/** Resolves when the client has ended: every event was sent or given up. */
export async function postAudit(target: Target, flags: ClientFlags, timeoutMs = 60_000): Promise<Ended> {
  const binary = await buildWebhookClient();
  const folder = makeFolder();
  try {
    const kubeconfig = join(folder.path, 'kubeconfig.json');
    // A kubeconfig is YAML, and JSON is that too.
    writeFileSync(kubeconfig, JSON.stringify(kubeconfigOf(target)), { mode: 0o600 });
    const args = Object.entries({ kubeconfig, ...flags }).map(([name, value]) => `-${name}=${value}`);
    return await new Promise((resolve, reject) => {
      execFile(binary, args, { timeout: timeoutMs, maxBuffer: 64 * 2 ** 20 }, (error, _stdout, log) => {
        if (error !== null && typeof error.code !== 'number') reject(error);
        else resolve({ code: Number(error?.code ?? 0), log });
      });
    });
  } finally {
    folder.drop();
  }
}

function kubeconfigOf({ url, ca, client, token }: Target): object {
  const data = (pem: string) => Buffer.from(pem).toString('base64');
  const cluster = { server: url, ...(ca === undefined ? {} : { 'certificate-authority-data': data(ca) }) };
  const user = {
    ...(client === undefined
      ? {}
      : { 'client-certificate-data': data(client.cert), 'client-key-data': data(client.key) }),
    ...(token === undefined ? {} : { token }),
  };
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'receiver', cluster }],
    users: [{ name: 'apiserver', user }],
    contexts: [{ name: 'webhook', context: { cluster: 'receiver', user: 'apiserver' } }],
    'current-context': 'webhook',
  };
}
