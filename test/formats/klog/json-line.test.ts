import { describe, expect, it } from '@jest/globals';
import { readJsonLine } from '../../../src/formats/klog/json-line.js';

const read = (value: Record<string, unknown>) => readJsonLine(value, JSON.stringify(value), 3, 40);

describe('readJsonLine', () => {
  it('reads time, place, message and pairs', () => {
    const line = read({
      ts: 1767582245120.0037,
      caller: 'httplog/httplog.go:132',
      msg: 'HTTP',
      v: 3,
      verb: 'GET',
      resp: 200,
      pod: { name: 'x' },
    });
    expect(line).toMatchObject({
      line: 3,
      offset: 40,
      timeUs: 1767582245120004,
      severity: 'I',
      file: 'httplog.go',
      message: 'HTTP',
    });
    expect([...(line?.fields ?? [])]).toEqual([
      ['verb', 'GET'],
      ['resp', '200'],
      ['pod', '{"name":"x"}'],
    ]);
  });

  it('tells errors by err or by the missing v', () => {
    expect(read({ ts: 1, msg: 'm', err: 'boom', v: 0 })?.severity).toBe('E');
    expect(read({ ts: 1, msg: 'm' })?.severity).toBe('E');
    expect(read({ ts: 1, msg: 'm', v: 0 })).toMatchObject({ severity: 'I', fields: undefined, file: '' });
  });

  it('reads the lines of the etcd client', () => {
    const line = {
      level: 'warn',
      ts: '2026-01-05T03:04:05.738001Z',
      logger: 'etcd-client',
      caller: 'v3@v3.6.8/a.go:65',
      msg: 'failed',
    };
    expect(read(line)).toMatchObject({
      severity: 'W',
      file: 'a.go',
      message: 'failed',
      timeUs: Date.UTC(2026, 0, 5, 3, 4, 5) * 1000 + 738001,
    });
  });

  it('refuses other objects', () => {
    for (const value of [
      {},
      { ts: '1', msg: 'm' },
      { ts: 1 },
      { ts: 1, msg: 2 },
      { ts: '2026-01-05T03:04:05Z', msg: 'm', level: 'loud' },
    ])
      expect(read(value)).toBeUndefined();
  });

  it('bounds messages, values and text', () => {
    const line = read({ ts: 1, msg: 'x'.repeat(100_000), k: 'y'.repeat(100_000) });
    expect([line?.message.length, line?.fields?.get('k')?.length, line?.text.length]).toEqual([8192, 8192, 2000]);
  });
});
