import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readBody } from '../../../src/formats/klog/fields.js';

const fieldsOf = (body: string) => Object.fromEntries(readBody(body).fields ?? []);

describe('readBody', () => {
  it('reads the kinds of values that klog writes', () => {
    const body =
      '"HTTP" verb="GET" resp=200 err=<nil> list=["a b","c]"] obj={"k":"v w"} go={Name:x Other:y z} e="a \\"b\\" \\u00fc\\n"';
    expect(readBody(body).message).toBe('HTTP');
    expect(fieldsOf(body)).toEqual({
      verb: 'GET',
      resp: '200',
      err: '<nil>',
      list: '["a b","c]"]',
      obj: '{"k":"v w"}',
      go: '{Name:x Other:y z}',
      e: 'a "b" ü\n',
    });
  });

  it('reads multi-line values without their indentation', () => {
    expect(fieldsOf('"m" err=<\n\tone\n\t\ttwo\n > gvr="batch/v1" e2=<\n\tthree\n >')).toEqual({
      err: 'one\n\ttwo',
      gvr: 'batch/v1',
      e2: 'three',
    });
  });

  it('reads a multi-line value whose end is missing', () => {
    expect(fieldsOf('"m" err=<\n\tone\n\ttwo')).toEqual({ err: 'one\ntwo' });
  });

  it('knows a structured line without pairs', () => {
    expect(readBody('"m"')).toEqual({ message: 'm', fields: new Map() });
  });

  it.each(['plain text', '"quoted" is bad', '"not closed', '', 'Proxying request for x to y'])(
    'gives %j back whole',
    (body) => {
      expect(readBody(body)).toEqual({ message: body, fields: undefined });
    },
  );

  it('keeps the pairs before text that was appended', () => {
    expect(fieldsOf('"m" a="1"\ngoroutine 1 [running]:')).toEqual({ a: '1' });
  });

  it('never throws and stays bounded', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(readBody(`"m" ${text}`).message.length).toBeLessThanOrEqual(text.length + 4);
      }),
    );
    expect(readBody(`"m"${' k=v'.repeat(1000)}`).fields?.size).toBe(1);
    const many = Array.from({ length: 500 }, (_, index) => ` k${index}=v`).join('');
    expect(readBody(`"m"${many}`).fields?.size).toBe(64);
  });
});
