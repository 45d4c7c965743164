/** The rules of the house, for which no linter has a word: size and purpose of files, names, what ships, what must not leak. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const NOT_OURS = new Set(['node_modules', 'dist', 'coverage', '.git', '.cache', 'bench/data']);
const FILES = walk(ROOT);
const SOURCES = FILES.filter((path) => /^(src|bench)\/.*\.(ts|js)$/.test(path));

/** Released ids never change; a new rule is added here. */
const RULE_IDS = [
  ['peer-ca-missing', 'peer-ca-untrusted', 'serving-cert-name', 'serving-cert-expired', 'serving-cert-invalid'],
  ['proxy-identity-rejected', 'proxy-identity-replaced', 'advertise-unreachable', 'advertise-refused'],
  ['advertise-loopback', 'advertise-shared', 'advertise-ignored', 'advertise-half-set', 'advertise-invalid'],
  [
    'peer-via-proxy',
    'discovery-edge-missing',
    'discovery-forbidden',
    'discovery-given-up',
    'discovery-stale',
    'wrong-not-found',
  ],
  ['proxy-unavailable', 'proxy-slow', 'gc-after-wrong-not-found', 'namespace-orphans', 'apiservice-flapping'],
  ['legacy-discovery-client', 'mixed-version-window', 'upgrade-stalled', 'version-skew-unsupported'],
  ['feature-inactive', 'gate-off', 'startup-refused', 'audit-gap', 'audit-damaged', 'audit-duplicated'],
  ['audit-id-reused', 'clock-skew', 'server-log-missing', 'audit-policy-blind', 'clusters-mixed'],
].flat();

describe('source files', () => {
  test('there are some', () => {
    expect(SOURCES.length).toBeGreaterThan(50);
  });

  test('have at most 300 lines', () => {
    const long = SOURCES.map((path) => [path, text(path).split('\n').length] as const).filter(([, n]) => n > 301);
    expect(long).toEqual([]);
  });

  test('begin with a sentence of purpose', () => {
    const silent = SOURCES.filter((path) => !/^(#!.*\n)?\/\*\*\s/.test(text(path)));
    expect(silent).toEqual([]);
  });

  test('have no default export', () => {
    expect(SOURCES.filter((path) => /^export default\b/m.test(text(path)))).toEqual([]);
  });

  test('have names that say something', () => {
    const vague = FILES.filter((path) => /(^|\/)(utils?|helpers?|misc|common)(\/|\.[a-z]+$)/.test(path));
    expect(vague).toEqual([]);
  });
});

describe('what is written down', () => {
  test('holds no path of the machine it was written on', () => {
    const roots = ['work', 'home/[a-z]+', 'Users/[A-Za-z]+'].map((folder) => `/${folder}/`);
    const path = new RegExp(`(?<![\\w.:-])(${roots.join('|')})`);
    expect(FILES.filter((file) => isText(file) && path.test(text(file)))).toEqual([]);
  });

  test('names no package registry but the public one', () => {
    const locks = FILES.filter((path) => path.endsWith('package-lock.json'));
    const hosts = locks.flatMap((path) =>
      [...text(path).matchAll(/"resolved": "https?:\/\/([^/"]+)/g)].map((m) => m[1]),
    );
    expect(hosts.filter((host) => host !== 'registry.npmjs.org')).toEqual([]);
    const settings = FILES.filter((path) => path.endsWith('.npmrc') && /registry\s*=|_auth/.test(text(path)));
    expect(settings).toEqual([]);
  });
});

describe('the shipped rules', () => {
  test('are exactly the known ones, one a file', () => {
    const shipped = FILES.flatMap((path) => /^rules\/(?:.*\/)?([a-z-]+)\.ya?ml$/.exec(path)?.[1] ?? []);
    expect(shipped.sort()).toEqual([...RULE_IDS].sort());
  });
});

describe('package.json', () => {
  const manifest = JSON.parse(text('package.json'));

  test('ships everything that the package reads or names', () => {
    const needed = [
      ...Object.values<string>(manifest.bin),
      manifest.types,
      ...Object.values<string>(manifest.exports['.']),
      'rules/wrong-not-found.yaml',
      'schema/config.json',
      'schema/skewscope.analysis.v1.schema.json',
      'schema/skewscope.trace.v1.schema.json',
      'README.md',
      'LICENSE',
      'CHANGELOG.md',
    ].map((path) => path.replace(/^\.\//, ''));
    const ships = (path: string) =>
      manifest.files.some((entry: string) => path === entry || path.startsWith(`${entry}/`));
    expect(needed.filter((path) => !ships(path))).toEqual([]);
  });

  test('ships neither tests nor recordings', () => {
    expect(manifest.files).not.toEqual(expect.arrayContaining([expect.stringMatching(/^(test|bench|samples|\.)/)]));
  });

  test('pins every dependency to one version', () => {
    const versions = { ...manifest.dependencies, ...manifest.devDependencies };
    expect(Object.entries(versions).filter(([, version]) => !/^\d+\.\d+\.\d+/.test(String(version)))).toEqual([]);
  });
});

/** Paths of all files of the project, relative, with forward slashes. */
function walk(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    const name = relative(ROOT, path).replaceAll('\\', '/');
    if (NOT_OURS.has(name) || NOT_OURS.has(entry.name)) return [];
    if (entry.isDirectory()) return walk(path);
    return entry.isFile() ? [name] : [];
  });
}

function isText(path: string): boolean {
  return !/\.(gz|png|woff2?)$/.test(path);
}

function text(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}
