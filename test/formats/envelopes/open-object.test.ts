import { describe, expect, it } from '@jest/globals';
import { openObject } from '../../../src/formats/envelopes/open-object.js';
import { NOBODY } from '../../../src/formats/envelopes/sender.js';

const open = (value: Record<string, unknown>) =>
  openObject(value, NOBODY)?.map((each) => each && [each.bytes.toString(), each.sender.writer, each.extent]);

describe('openObject', () => {
  it('gives all records of nested lists, each with its own sender', () => {
    const stream = (host: string, ...lines: string[]) => ({
      stream: { host },
      values: lines.map((line) => ['1', line]),
    });
    expect(open({ streams: [stream('a', 'x', 'y'), stream('b', 'z')] })).toEqual([
      ['x', 'a', 'whole'],
      ['y', 'a', 'whole'],
      ['z', 'b', 'whole'],
    ]);
  });

  it('gives nothing of an envelope that is known to hold no records', () => {
    expect(open({ messageType: 'CONTROL_MESSAGE', logEvents: [{ message: 'x' }], logStream: '' })).toEqual([]);
    expect(open({ hits: { hits: [] } })).toEqual([]);
  });

  it('tells what is missing in its place', () => {
    expect(open({ __REALTIME_TIMESTAMP: '1', MESSAGE: null })).toEqual([undefined]);
    expect(open({ streams: [{ stream: {}, values: [['1', 'x']] }, 7] })).toEqual([['x', '', 'whole'], undefined]);
  });

  it('prefers the member that holds a record', () => {
    const gelf = { version: '1.1', host: 'h' };
    expect(open({ ...gelf, short_message: '{"a":1}', full_message: 'text' })).toEqual([['{"a":1}', 'h', 'whole']]);
    expect(open({ ...gelf, short_message: '{"a', full_message: '{"a":1}' })).toEqual([['{"a":1}', 'h', 'whole']]);
  });

  it('takes anything out of an envelope that it knows, and only records out of others', () => {
    expect(open({ message: 'text', '@version': '1' })).toEqual([['text', '', 'whole']]);
    expect(open({ message: 'text', other: '1' })).toBeUndefined();
    expect(open({ message: ' {"a":1}', other: '1' })).toEqual([[' {"a":1}', '', 'whole']]);
    expect(open({ message: '{"a":1}', kind: 'Event' })).toBeUndefined();
    expect(open({ a: 1 })).toBeUndefined();
  });

  it('tells pieces', () => {
    const long = 'x'.repeat(16_384);
    expect(open({ log: long, stream: 'stdout', time: 't' })?.[0]?.[2]).toBe('maybe-piece');
    expect(open({ log: `${long}\n`, stream: 'stdout', time: 't' })?.[0]?.[2]).toBe('whole');
    expect(open({ log: 'x', _p: 'P' })?.[0]?.[2]).toBe('piece');
    expect(open({ log: 'x', logtag: 'F' })?.[0]?.[2]).toBe('whole');
  });

  it('ends at a few levels of lists in lists', () => {
    let value: Record<string, unknown> = { streams: [{ stream: {} }] };
    for (let level = 0; level < 1000; level++) value = { records: [{ category: '', ...value }] };
    expect(open(value)).toEqual([undefined]);
  });
});
