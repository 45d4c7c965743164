import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loadRules, testRules } from '../../src/rules/index.js';
import { PACKED_FILE, packRules, readPackedRules, SHIPPED_DIR } from '../../src/rules/shipped-rules.js';

const BUILT = fileURLToPath(new URL('../../dist/rules/packed-rules.json', import.meta.url));
const ruleSet = await loadRules({ recheck: true });

let dir: string;
let packed: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'packed-'));
  packed = join(dir, 'packed-rules.json');
  await cp(SHIPPED_DIR, join(dir, 'rules'), { recursive: true });
  await writeFile(packed, JSON.stringify(packRules(ruleSet.rules, SHIPPED_DIR)));
});
afterAll(() => rm(dir, { recursive: true }));

describe('the packed rules of the build', () => {
  it('are those of the files in rules/ (npm run build)', async () => {
    expect(JSON.parse(await readFile(BUILT, 'utf8'))).toEqual(
      JSON.parse(JSON.stringify(packRules(ruleSet.rules, SHIPPED_DIR))),
    );
  });

  it('pass all tests of the rules', () => {
    const rules = readPackedRules(BUILT, SHIPPED_DIR) ?? [];
    const report = testRules({ ...ruleSet, rules });
    expect(report.rules.length).toBe(ruleSet.rules.length);
    expect(report).toEqual(testRules(ruleSet));
  });
});

describe('readPackedRules', () => {
  it('takes the packed rules wherever the package lies', () => {
    expect(readPackedRules(packed, join(dir, 'rules'))?.map(({ id }) => id)).toEqual(ruleSet.rules.map(({ id }) => id));
  });

  it('has nothing where nothing was built, as for the sources', () => {
    expect(readPackedRules(join(dir, 'none.json'), SHIPPED_DIR)).toBeUndefined();
    expect(readPackedRules(PACKED_FILE, SHIPPED_DIR)).toBeUndefined();
  });

  it('leaves them once a rule file has changed, come or gone', async () => {
    const file = join(dir, 'rules', 'audit-gap.yaml');
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.replace('a', 'b'));
    expect(readPackedRules(packed, join(dir, 'rules'))).toBeUndefined();
    await writeFile(file, text);
    expect(readPackedRules(packed, join(dir, 'rules'))).toBeDefined();
    await writeFile(join(dir, 'rules', 'own.yaml'), text);
    expect(readPackedRules(packed, join(dir, 'rules'))).toBeUndefined();
    await rm(join(dir, 'rules', 'own.yaml'));
    await rm(file);
    expect(readPackedRules(packed, join(dir, 'rules'))).toBeUndefined();
  });
});
