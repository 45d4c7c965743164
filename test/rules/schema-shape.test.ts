import { describe, expect, it } from '@jest/globals';
import { OBSERVATION_TYPES } from '../../src/model/observations/index.js';
import { celFieldsOf, fieldsOf, valueFieldsOf, wordsOf } from '../../src/rules/schema-shape.js';

describe('celFieldsOf', () => {
  it('gives each field its CEL type', () => {
    expect(celFieldsOf(['version-window'])).toMatchObject({
      count: 'int',
      seconds: 'double',
      open: 'bool',
      versions: 'list<string>',
      edges: 'list<map>',
      server: 'dyn',
      before: 'dyn',
      during: { requests: 'double', notFound: 'double', serverErrors: 'double' },
    });
  });

  it('leaves open what only some of several types have', () => {
    expect(celFieldsOf(['stream-gap', 'clock-skew'])).toMatchObject({ count: 'int', seconds: 'dyn', skewMs: 'dyn' });
  });

  it('knows every field of every observation type', () => {
    for (const [type, { example }] of OBSERVATION_TYPES) {
      expect([...fieldsOf([type]).keys()].sort()).toEqual(Object.keys(example as object).sort());
    }
  });
});

describe('valueFieldsOf', () => {
  it('tells whole numbers from others, also in lists and objects and where there may be null', () => {
    const fields = valueFieldsOf(['version-window', 'stream-gap']);
    expect(Object.keys(fields)).toEqual(['version-window', 'stream-gap']);
    expect(fields['version-window']).toMatchObject({ count: 'whole', seconds: 'other', minorGap: 'whole' });
    expect(fields['version-window']?.evidence).toEqual({
      items: { fields: { kind: 'other', input: 'other', line: 'whole', offset: 'whole', quote: 'other' } },
    });
    expect(fields['version-window']?.before).toHaveProperty('fields.notFound', 'other');
  });
});

describe('wordsOf', () => {
  it('lists the words of a field, also where it can be null', () => {
    const [cause] = fieldsOf(['proxy-failure']).get('cause') ?? [];
    expect(cause && wordsOf(cause)).toContain('refused');
    const [server] = fieldsOf(['proxy-failure']).get('server') ?? [];
    expect(server && wordsOf(server)).toBeUndefined();
  });
});
