import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { explainRule } from '../../src/rules/explain-rule.js';
import { listRules } from '../../src/rules/list-rules.js';
import { loadRules } from '../../src/rules/load.js';
import { RuleErrors } from '../../src/rules/rule-error.js';
import { ruleText } from './rule-text.js';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'rules-'));
});
afterEach(() => rm(dir, { recursive: true }));

const write = (name: string, text: string) => writeFile(join(dir, name), text);

async function mistakes(options: Parameters<typeof loadRules>[0]): Promise<string> {
  return loadRules(options).then(
    () => 'none',
    (error: unknown) => {
      if (error instanceof RuleErrors) return error.message;
      throw error;
    },
  );
}

describe('loadRules', () => {
  it('adds the rules of a folder to the shipped ones', async () => {
    await write('own.yaml', ruleText({ id: 'own' }));
    await write('notes.txt', 'no rule');
    const ruleSet = await loadRules({ dirs: [dir] });
    expect(ruleSet.rules.map(({ id }) => id)).toEqual(expect.arrayContaining(['own', 'peer-ca-untrusted']));
    expect(listRules(ruleSet).find(({ id }) => id === 'own')).toMatchObject({
      origin: 'user',
      state: 'on',
      severity: 'warning',
      notes: [],
    });
  });

  it('reads a single file, and no shipped rule when told so', async () => {
    await write('own.yml', ruleText({ id: 'own' }));
    const ruleSet = await loadRules({ shipped: false, dirs: [join(dir, 'own.yml')] });
    expect(ruleSet.rules.map(({ id }) => id)).toEqual(['own']);
  });

  it('lets a rule replace a shipped one, and says it aloud', async () => {
    await write('mine.yaml', ruleText({ id: 'audit-gap' }));
    const ruleSet = await loadRules({ dirs: [dir] });
    const file = join(dir, 'mine.yaml');
    expect(ruleSet.rules.filter(({ id }) => id === 'audit-gap').map((rule) => rule.file)).toEqual([file]);
    expect(listRules(ruleSet).find(({ id }) => id === 'audit-gap')).toMatchObject({
      origin: 'user',
      notes: ['replaces rules/audit-gap.yaml'],
    });
    expect(explainRule(ruleSet, 'audit-gap')).toContain('replaces rules/audit-gap.yaml');
  });

  it('switches rules off and fixes severities', async () => {
    const ruleSet = await loadRules({ disable: ['clock-skew'], severity: { 'wrong-not-found': 'warning' } });
    expect(ruleSet.rules.some(({ id }) => id === 'clock-skew')).toBe(false);
    const entries = listRules(ruleSet);
    expect(entries.find(({ id }) => id === 'clock-skew')).toMatchObject({ state: 'off' });
    expect(entries.find(({ id }) => id === 'wrong-not-found')).toMatchObject({
      severity: 'warning',
      notes: ['severity set by configuration'],
    });
  });

  it('tells the mistakes of all files together', async () => {
    await write('a.yaml', ruleText({ severity: 'bad' }));
    await write('b.yaml', ruleText({ when: 'o.nonsense' }));
    const message = await mistakes({ shipped: false, dirs: [dir] });
    expect(message.split('\n')).toEqual([
      expect.stringContaining(`${join(dir, 'a.yaml')}:3:`),
      expect.stringContaining(`${join(dir, 'b.yaml')}:5:`),
    ]);
  });

  it('refuses two rules of one id in one folder', async () => {
    await write('a.yaml', ruleText());
    await write('b.yaml', ruleText());
    expect(await mistakes({ shipped: false, dirs: [dir] })).toBe(
      `${join(dir, 'b.yaml')}: has the id "some-rule" of ${join(dir, 'a.yaml')}`,
    );
  });

  it('refuses ids and severities that do not exist', async () => {
    expect(await mistakes({ disable: ['clock-skw'] })).toBe(
      'configuration: disable: no rule "clock-skw"; did you mean "clock-skew"?',
    );
    expect(await mistakes({ severity: { 'clock-skew': 'warn' as 'warning' } })).toContain('unknown severity "warn"');
  });

  it('says what to do about a folder that is not there', async () => {
    const missing = join(dir, 'missing');
    expect(await mistakes({ dirs: [missing] })).toMatch(
      /missing: cannot be read: .*ENOENT.*name a folder of rule files/,
    );
  });
});
