import { describe, expect, it } from '@jest/globals';
import { findRecord } from '../../src/formats/resync.js';

const event = '{"kind":"Event","apiVersion":"audit.k8s.io/v1"';
const item = '{"level":"Metadata"';

describe('findRecord', () => {
  it.each([0, 10, 4080, 4096, 4100, 20_000])('finds what comes first, %d bytes on', (distance) => {
    const gap = 'x'.repeat(distance);
    const find = (text: string, inList: boolean) => findRecord(Buffer.from(text), 2, inList);
    expect(find(`..${gap}${event}\n`, false)).toEqual({ found: 'record', at: 2 + distance });
    expect(find(`..${gap}\n${event}`, true)).toEqual({ found: 'line-end', at: 2 + distance });
    expect(find(`..${gap}${item}${event}`, true)).toEqual({ found: 'record', at: 2 + distance });
    expect(find(`..${gap}${item}\n`, false)).toEqual({ found: 'line-end', at: 2 + distance + item.length });
    expect(find(`..${gap}`, true)).toEqual({ found: 'nothing', at: 2 + distance });
  });
});
