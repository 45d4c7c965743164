import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { configJsonSchema } from '../../src/config/json-schema.js';

type Schema = Readonly<Record<string, unknown>>;

describe('the JSON Schema of the configuration', () => {
  test('in schema/ is the one that the code makes (skewscope config schema > schema/config.json)', () => {
    const file = new URL('../../schema/config.json', import.meta.url);
    expect(readFileSync(file, 'utf8')).toBe(`${JSON.stringify(configJsonSchema(), null, 2)}\n`);
  });

  test('is of draft 2020-12', () => {
    expect(configJsonSchema().$schema).toBe('https://json-schema.org/draft/2020-12/schema');
  });

  test('describes every key', () => {
    const keys = keysOf(configJsonSchema(), '');
    expect(keys.length).toBeGreaterThan(100);
    expect(
      keys.filter(([, { description, const: fixed }]) => description === undefined && fixed === undefined),
    ).toEqual([]);
  });

  test('tells defaults as they would be written', () => {
    const defaults = Object.fromEntries(
      keysOf(configJsonSchema(), '').flatMap(([path, { default: value }]) =>
        value === undefined ? [] : [[path, value]],
      ),
    );
    expect(defaults).toMatchObject({
      'service.window': '12h',
      'kafka.group': 'skewscope',
      'kafka.scaleOut.partitions': 12,
      'listen.admin': '127.0.0.1:8080',
      'listen.webhook.maxBody': '32Mi',
    });
  });

  test('names what is needed and nothing else', () => {
    const { required, properties } = configJsonSchema() as { required?: string[]; properties: Record<string, Schema> };
    expect(required).toBeUndefined();
    expect(properties.kafka?.required).toEqual(['brokers', 'topics']);
    expect(properties.listen).toMatchObject({ properties: { webhook: { required: ['address'] } } });
  });
});

/** Every key with its schema, those in lists and alternatives too. */
function keysOf(schema: Schema, path: string): [string, Schema][] {
  const inner = [schema.items, ...[schema.anyOf, schema.oneOf].flat()].filter(
    (part): part is Schema => typeof part === 'object' && part !== null,
  );
  const own = Object.entries((schema.properties ?? {}) as Record<string, Schema>);
  return [
    ...inner.flatMap((part) => keysOf(part, path)),
    ...own.flatMap(([key, value]): [string, Schema][] => {
      const name = path === '' ? key : `${path}.${key}`;
      return [[name, value], ...keysOf(value, name)];
    }),
  ];
}
