import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { configSchema } from '../../src/config/config-schema.js';
import { isIn, salvage } from '../../src/config/salvage.js';

const KAFKA = { brokers: ['k:1'], topics: ['audit'] };

describe('what is left of a configuration with mistakes in its shape', () => {
  test('is all that has none; what has to be there is stood in for, and said to be wrong', () => {
    const value = {
      cluster: 5,
      kafka: { brokers: 'k:1', topics: ['audit', 7], group: 'g', sasl: { mechanism: 'none', username: 'u' } },
      listen: { token: 'fromEnv:T', admn: 'off' },
    };
    const before = structuredClone(value);
    const { section, wrong } = salvage(value, configSchema);
    expect(section).toMatchObject({ kafka: { group: 'g' }, listen: { token: 'fromEnv:T' } });
    expect(section?.cluster).toBeUndefined();
    expect(section?.kafka?.topics[0]).toBe('audit');
    for (const path of [
      ['cluster'],
      ['kafka', 'brokers'],
      ['kafka', 'topics', 1],
      ['kafka', 'sasl', 'mechanism'],
      ['listen', 'admin'],
    ])
      expect(isIn(path, wrong)).toBe(true);
    for (const path of [
      ['kafka', 'topics', 0],
      ['kafka', 'group'],
      ['listen', 'token'],
    ])
      expect(isIn(path, wrong)).toBe(false);
    expect(value).toEqual(before);
  });

  test('is everything where nothing is wrong, and nothing where there is no mapping or no end of mistakes', () => {
    expect(salvage({ kafka: KAFKA }, configSchema)).toMatchObject({
      section: { kafka: { topics: ['audit'] } },
      wrong: [],
    });
    expect(salvage('x', configSchema).section).toBeUndefined();
    const topics = Array.from({ length: 5_000 }, (_, at) => at);
    expect(salvage({ kafka: { ...KAFKA, topics } }, configSchema).section).toBeUndefined();
  });

  test('leaves what all mappings have from their prototype alone', () => {
    const value: unknown = JSON.parse(
      '{"servers": {"__proto__": 5}, "__proto__": {"kafka": 1}, "outputs": {"constructor": 1}}',
    );
    salvage(value, configSchema);
    expect(Object.hasOwn(Object.prototype, 'kafka')).toBe(false);
    expect(typeof Object.prototype.constructor).toBe('function');
  });

  test('is a configuration, whatever stands in the file', () => {
    const known = [
      'kafka',
      'listen',
      'outputs',
      'service',
      'rules',
      'topics',
      'brokers',
      'webhook',
      'tls',
      'sasl',
      'url',
    ];
    const key = fc.oneof(fc.constantFrom(...known), fc.string());
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom(null, 1, true, 'x', 'k:1', 'fromEnv:X', '5m'),
        fc.dictionary(key, tie('tree'), { maxKeys: 5 }),
        fc.array(tie('tree'), { maxLength: 3 }),
      ),
    }));
    fc.assert(
      fc.property(tree, (value) => {
        const { success, data } = configSchema.safeParse(value);
        const { section, wrong } = salvage(value, configSchema);
        const isMapping = typeof value === 'object' && value !== null && !Array.isArray(value);
        expect(section !== undefined).toBe(isMapping);
        if (success) expect({ section, wrong }).toEqual({ section: data, wrong: [] });
      }),
    );
  });
});
