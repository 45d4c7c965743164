/** What docs/service.md shows is what the program takes, and its defaults are the program's. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { parseConfig } from '../../src/config/index.js';
import { configJsonSchema } from '../../src/config/json-schema.js';
import { BUILD_TIMEOUT_MS } from '../services/go-program.js';
import { manifests, whyNoManifests } from '../services/manifests/manifests.js';
import { makeFolder } from '../sources/folder.js';

const PAGE = readFileSync(new URL('../../docs/service.md', import.meta.url), 'utf8');
const OUTPUTS_PAGE = readFileSync(new URL('../../docs/outputs.md', import.meta.url), 'utf8');
const [minimal = '', whole = ''] = yamlOf(PAGE);
const configs = [minimal, whole, ...yamlOf(OUTPUTS_PAGE)];

test('the smallest configuration is one', () => {
  expect(parseConfig(minimal, 'skew.yaml').kafka?.topics).toEqual(['audit']);
});

test('the whole configuration is taken, and shows every key of the service', () => {
  const config = parseConfig(whole, 'skew.yaml');
  expect(config.cluster).toBe('prod-1');
  const { properties } = configJsonSchema() as { properties: Record<string, Schema> };
  for (const section of ['kafka', 'service', 'listen']) {
    const missing = keysOf(properties[section] ?? {}).filter((key) => !new RegExp(`\\b${key}:`).test(whole));
    // Other forms of SASL, and what is for the admin port as for the webhook.
    expect(missing.filter((key) => !['tokenFile', 'serverName'].includes(key))).toEqual([]);
  }
});

test('where the page shows a value that the program would use anyway, it is that value', () => {
  const written = parseConfig(whole, 'skew.yaml');
  const assumed = parseConfig(`${minimal}  scaleOut: {}\nlisten: {webhook: {address: 8443}}`, 'skew.yaml');
  expect(written.service).toEqual(assumed.service);
  expect(written.listen.admin).toEqual(assumed.listen.admin);
  const { topic: _, ...sender } = written.kafka?.sender ?? {};
  expect(assumed.kafka?.sender).toMatchObject(sender);
  for (const key of ['group', 'from', 'committedOnly', 'deadLetters', 'scaleOut'] as const) {
    expect(written.kafka?.[key]).toEqual(assumed.kafka?.[key]);
  }
  for (const key of ['topic', 'maxInFlightBytes', 'maxBodyBytes'] as const) {
    expect(written.listen.webhook?.[key]).toEqual(assumed.listen.webhook?.[key]);
  }
});

const missing = whyNoManifests();
if (missing !== undefined) console.warn(`configurations in docs/ are not checked by their JSON Schema: ${missing}`);
(missing === undefined ? describe : describe.skip)('by the JSON Schema', () => {
  test(
    'the configurations in docs/ are right, and a wrong one is not',
    async () => {
      const { validate } = await manifests();
      const names = configs.map((_, at) => `${at}.yaml`);
      const wrong = whole.replace('window: 12h', 'window: 12');
      const { path, drop } = makeFolder({
        ...Object.fromEntries(configs.map((text, at) => [`${at}.yaml`, text])),
        'wrong.yaml': wrong,
      });
      const schema = new URL('../../schema/config.json', import.meta.url).pathname;
      expect(names.length).toBeGreaterThanOrEqual(3);
      expect(
        validate(
          schema,
          names.map((name) => `${path}/${name}`),
        ),
      ).toBe('');
      expect(validate(schema, [`${path}/wrong.yaml`])).toContain("at '/service/window'");
      drop();
    },
    BUILD_TIMEOUT_MS,
  );
});

type Schema = Readonly<Record<string, unknown>>;

function yamlOf(page: string): string[] {
  return [...page.matchAll(/```yaml\n([\s\S]+?)```/g)].map(([, text = '']) => text);
}

function keysOf({ properties = {}, oneOf = [] }: Schema): string[] {
  const inner = Object.entries(properties as Record<string, Schema>);
  return [...inner.flatMap(([key, value]) => [key, ...keysOf(value)]), ...(oneOf as Schema[]).flatMap(keysOf)];
}
