/** deploy/Containerfile: what it says fits the project, and its steps, done here, make a program that runs. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { makeFolder } from '../sources/folder.js';
import { copiesOf, parseContainerfile, type Stage } from './containerfile.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const STAGES = parseContainerfile(readFileSync(join(ROOT, 'deploy/Containerfile'), 'utf8'));
const IMAGE = STAGES.at(-1) ?? { image: '', name: '', instructions: [] };
const MANIFEST = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
/** Others may want the processor too. */
const BUILD_MS = 10 * 60_000;

const wordOf = (stage: Stage, name: string) =>
  stage.instructions.filter((entry) => entry.name === name).map(({ rest }) => rest);

describe('the Containerfile', () => {
  test('has a stage that builds and one that runs, on one pinned Node.js', () => {
    expect(STAGES.map(({ name }) => name)).toEqual(['build', '']);
    expect(new Set(STAGES.map(({ image }) => image)).size).toBe(1);
    const [, version = ''] = /^docker\.io\/library\/node:(\d+\.\d+\.\d+)-\w+-slim$/.exec(IMAGE.image) ?? [];
    const [, major, minor] = /^>=(\d+)\.(\d+)$/.exec(MANIFEST.engines.node) ?? [];
    expect(version.split('.')[0]).toBe(major);
    expect(Number(version.split('.')[1])).toBeGreaterThanOrEqual(Number(minor));
  });

  test('runs as a user without a name or rights', () => {
    const [user = ''] = wordOf(IMAGE, 'USER');
    const [uid, gid] = user.split(':').map(Number);
    expect(uid).toBeGreaterThan(10_000);
    expect(gid).toBeGreaterThan(10_000);
  });

  test('starts the program of the package, which is told to stop by SIGTERM', () => {
    expect(JSON.parse(wordOf(IMAGE, 'ENTRYPOINT')[0] ?? '')).toEqual(['node', `/app/${MANIFEST.bin.skewscope}`]);
    expect(JSON.parse(wordOf(IMAGE, 'CMD')[0] ?? '')).toEqual(['serve', '--config', '/etc/skewscope/skewscope.yaml']);
    expect(wordOf(IMAGE, 'STOPSIGNAL')).toEqual(['SIGTERM']);
    expect(wordOf(IMAGE, 'HEALTHCHECK')).toEqual(['NONE']);
    expect(wordOf(IMAGE, 'RUN')).toEqual([]);
  });

  test('copies what there is, and what the ignore file lets through', () => {
    const sources = STAGES.flatMap(copiesOf).flatMap(({ from, sources }) => (from === '' ? sources : []));
    expect(sources.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
    const ignore = readFileSync(join(ROOT, 'deploy/Containerfile.dockerignore'), 'utf8').trim().split('\n');
    expect(ignore[0]).toBe('*');
    expect(ignore.slice(1).sort()).toEqual([...new Set(sources)].map((path) => `!${path}`).sort());
  });

  test('holds all that the package ships', () => {
    const copied = copiesOf(IMAGE).flatMap(({ sources }) => sources.map((path) => basename(path)));
    expect(MANIFEST.files.filter((path: string) => !copied.includes(path))).toEqual([]);
    expect(copied).toEqual(expect.arrayContaining(['package.json', 'node_modules']));
  });
});

const missing = process.env.SKEWSCOPE_REQUIRE_SERVICES === '1' ? undefined : 'it downloads packages';
if (missing !== undefined) {
  console.warn(`the steps of deploy/Containerfile are not done: ${missing}; SKEWSCOPE_REQUIRE_SERVICES=1 does them`);
}

(missing === undefined ? describe : describe.skip)('its steps', () => {
  test(
    'make a program that runs',
    () => {
      const { path, drop } = makeFolder();
      const roots = new Map(STAGES.map((stage, at) => [stage.name, join(path, String(at))]));
      for (const stage of STAGES) perform(stage, roots);
      const [command = '', main = '', ...rest] = JSON.parse(wordOf(IMAGE, 'ENTRYPOINT')[0] ?? '');
      const run = (...args: string[]) =>
        execFileSync(command, [join(roots.get('') ?? '', main), ...rest, ...args], { cwd: '/', encoding: 'utf8' });
      expect(run('--version').trim()).toBe(MANIFEST.version);
      expect(run('rules', 'list')).toContain('wrong-not-found');
      expect(JSON.parse(run('config', 'schema')).title).toBe('Configuration of skewscope');
      expect(existsSync(join(roots.get('') ?? '', 'app/node_modules/typescript'))).toBe(false);
      drop();
    },
    BUILD_MS,
  );
});

/** Does the steps of a stage in its folder in place of a file system of its own. */
function perform({ name, instructions }: Stage, roots: ReadonlyMap<string, string>): void {
  const root = roots.get(name) ?? '';
  let folder = root;
  for (const instruction of instructions) {
    if (instruction.name === 'WORKDIR') {
      folder = join(root, instruction.rest);
      mkdirSync(folder, { recursive: true });
    }
    if (instruction.name === 'RUN') execFileSync('sh', ['-ec', instruction.rest], { cwd: folder, stdio: 'pipe' });
    if (instruction.name !== 'COPY') continue;
    for (const { from, sources, target } of copiesOf({ image: '', name, instructions: [instruction] })) {
      for (const source of sources) {
        const into = target.endsWith('/') ? join(folder, target, basename(source)) : join(folder, target);
        cpSync(join(from === '' ? ROOT : (roots.get(from) ?? ''), source), into, { recursive: true });
      }
    }
  }
}
