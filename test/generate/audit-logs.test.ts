/** The generator of synthetic audit logs: what benchmarks and memory tests stand on must itself be as real logs are. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

const GENERATE = fileURLToPath(new URL('../../bench/generate.js', import.meta.url));
const SERVER_IPS: Record<string, string> = { cp1: '10.20.0.11', cp2: '10.20.0.12', cp3: '10.20.0.13' };

interface Event {
  readonly auditID: string;
  readonly stage: string;
  readonly verb: string;
  readonly requestURI: string;
  readonly sourceIPs: readonly string[];
  readonly responseStatus?: { readonly code: number; readonly reason?: string };
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
}

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'skewscope-generate-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('bench/generate.js', () => {
  test('gives the same bytes for the same seed, and others for another', () => {
    const digests = ['7', '7', '8'].map((seed) => digest(generate('--bytes', '1m', '--seed', seed)));
    expect(digests[1]).toBe(digests[0]);
    expect(digests[2]).not.toBe(digests[0]);
  });

  test('writes the size that was asked for, give or take one event', () => {
    const size = generate('--bytes', '3m').length;
    expect(size).toBeGreaterThanOrEqual(3_000_000);
    expect(size).toBeLessThan(3_000_000 + 64 * 1024);
  });

  test('writes events of realistic size in the field order of kube-apiserver', () => {
    const lines = generate('--bytes', '3m').toString().trimEnd().split('\n');
    const mean = 3_000_000 / lines.length;
    expect(mean).toBeGreaterThan(900);
    expect(mean).toBeLessThan(1500);
    expect(Math.max(...lines.map((line) => line.length))).toBeGreaterThan(15_000);
    for (const line of lines) {
      expect(line).toMatch(
        /^\{"kind":"Event","apiVersion":"audit.k8s.io\/v1","level":"[A-Za-z]+","auditID":"[0-9a-f-]{36}",/,
      );
      expect(line).not.toMatch(/@@@@|\^\^\^\^|\$\$\$\$|####|~~~~|[&<>]/);
    }
  });

  test('keeps each log in order of stage time, with requests received before they end', () => {
    for (const events of Object.values(generateFiles('3m'))) {
      const times = events.map((event) => event.stageTimestamp);
      expect(times).toEqual([...times].sort());
      for (const event of events) expect(event.requestReceivedTimestamp <= event.stageTimestamp).toBe(true);
    }
  });

  test('passes requests of the old server on to others as the peer proxy does', () => {
    const { cp1 = [], cp2 = [], cp3 = [] } = generateFiles('20m');
    const sources = new Map(cp1.map((event) => [`${event.auditID} ${event.stage}`, event]));
    const passedOn = [...cp2, ...cp3].flatMap((destination) => {
      const source = sources.get(`${destination.auditID} ${destination.stage}`);
      return source ? [{ source, destination }] : [];
    });
    expect(passedOn.length).toBeGreaterThan(20);
    for (const { source, destination } of passedOn) {
      expect(destination.sourceIPs).toEqual([...source.sourceIPs, SERVER_IPS.cp1]);
      expect([destination.verb, destination.requestURI]).toEqual([source.verb, source.requestURI]);
      expect(destination.requestReceivedTimestamp > source.requestReceivedTimestamp).toBe(true);
      expect(source.responseStatus?.reason).toBeUndefined();
      expect(source.responseStatus?.code).toBe(destination.responseStatus?.code);
      if (source.stage === 'ResponseComplete') expect(source.stageTimestamp > destination.stageTimestamp).toBe(true);
    }
  });

  test('lets every server fetch discovery from every other', () => {
    for (const [name, events] of Object.entries(generateFiles('10m'))) {
      const peers = events.filter((e) => e.requestURI === '/apis' && e.stage === 'ResponseComplete');
      const others = Object.keys(SERVER_IPS).filter((server) => server !== name);
      expect(peers.map((e) => e.sourceIPs.join())).toEqual(others.map((server) => SERVER_IPS[server]));
    }
  });

  test('refuses an option it cannot read', () => {
    const { status, stderr } = spawnSync(process.execPath, [GENERATE, '--bytes', 'much'], { encoding: 'utf8' });
    expect(status).not.toBe(0);
    expect(stderr).toContain('"much" is not a size');
  });
});

function generate(...args: string[]): Buffer {
  const { status, stdout, stderr } = spawnSync(process.execPath, [GENERATE, ...args], { maxBuffer: 2 ** 28 });
  if (status !== 0) throw new Error(stderr.toString());
  return stdout;
}

function generateFiles(bytes: string): Record<string, Event[]> {
  generate('--bytes', bytes, '--servers', '3', '--out', folder);
  const logs = readdirSync(folder).map((file) => {
    const lines = readFileSync(join(folder, file), 'utf8').trimEnd().split('\n');
    return [file.replace('-audit.log', ''), lines.map((line): Event => JSON.parse(line))] as const;
  });
  return Object.fromEntries(logs);
}

function digest(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
