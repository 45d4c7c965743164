/** deploy/systemd: systemd takes the unit, finds it hardened, and it fits the configuration beside it. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { EXIT } from '../../src/cli/exit-codes.js';
import { parseConfig } from '../../src/config/index.js';
import { makeFolder } from '../sources/folder.js';

const read = (name: string) => readFileSync(new URL(`../../deploy/systemd/${name}`, import.meta.url), 'utf8');
const UNIT = read('skewscope.service');
const CONFIG = read('skewscope.yaml');
const valuesOf = (key: string) => [...UNIT.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value = '']) => value);

const missing = whyNoSystemd();
if (missing !== undefined) console.warn(`deploy/systemd is not checked by systemd: ${missing}`);

(missing === undefined ? describe : describe.skip)('systemd', () => {
  /** The program itself need not be installed. */
  function analyze(unit: string, ...args: string[]) {
    const { path, drop } = makeFolder({ 'skewscope.service': unit.replace('ExecStart=skewscope ', 'ExecStart=cat ') });
    const { status, stderr, stdout } = spawnSync('systemd-analyze', [...args, `${path}/skewscope.service`], {
      encoding: 'utf8',
    });
    drop();
    return { status, stderr, stdout };
  }

  test('takes the unit without a word', () => {
    const { status, stderr } = analyze(UNIT, 'verify', '--man=no');
    expect(stderr).toBe('');
    expect(status).toBe(0);
  });

  test('would name a key that it does not know', () => {
    expect(analyze(UNIT.replace('ProtectHome', 'ProtectHom'), 'verify', '--man=no').stderr).toContain("'ProtectHom'");
  });

  test('finds little that the service is exposed to', () => {
    const { status, stdout } = analyze(UNIT, 'security', '--offline=true', '--no-pager', '--threshold=20');
    expect(stdout).toContain('Overall exposure level');
    expect(status).toBe(0);
    expect(analyze('[Service]\nExecStart=cat\n', 'security', '--offline=true', '--threshold=20').status).not.toBe(0);
  });
});

describe('the unit and the configuration', () => {
  const config = parseConfig(CONFIG, '/etc/skewscope/skewscope.yaml');

  test('the secrets that the configuration names are the credentials that the unit loads', () => {
    const named = [...CONFIG.matchAll(/fromFile:\/run\/credentials\/skewscope\.service\/(\S+)/g)].map(
      ([, name]) => name,
    );
    const loaded = valuesOf('LoadCredential').map((value) => value.split(':')[0]);
    expect(loaded.sort()).toEqual(named.sort());
    expect(CONFIG).not.toMatch(/fromFile:(?!\/run\/credentials\/)/);
  });

  test('it stops in time, and a wrong configuration is no reason to start again', () => {
    expect(Number(valuesOf('TimeoutStopSec')[0])).toBeGreaterThan(config.service.drainMs / 1_000 + 5);
    expect(valuesOf('RestartPreventExitStatus')).toEqual([String(EXIT.usage)]);
    expect(valuesOf('ExecStart')).toEqual(['skewscope serve --config /etc/skewscope/skewscope.yaml']);
  });

  test('it may write where the spool is', () => {
    expect(config.outputs?.spool?.dir).toBe(`/var/lib/${valuesOf('StateDirectory')[0]}`);
  });
});

function whyNoSystemd(): string | undefined {
  if (process.env.SKEWSCOPE_REQUIRE_SERVICES === '1') return undefined;
  return spawnSync('systemd-analyze', ['--version']).status === 0 ? undefined : 'systemd-analyze is not installed';
}
