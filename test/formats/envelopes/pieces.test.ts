import { describe, expect, it } from '@jest/globals';
import { Pieces } from '../../../src/formats/envelopes/pieces.js';
import { ProblemLog } from '../../../src/formats/problem-log.js';
import { inputNamed } from '../sample-records.js';

function pieces(maxBytes = 100) {
  const problems = new ProblemLog(inputNamed('memory'), undefined);
  return { pieces: new Pieces<string>(maxBytes, problems), counts: problems.counts };
}
const bytes = (text: string) => Buffer.from(text);

describe('Pieces', () => {
  it('joins each stream for itself, at the place and with the sender of its first piece', () => {
    const { pieces: open } = pieces();
    open.add('a', bytes('1'), 1, 10, 'first');
    open.add('b', bytes('x'), 2, 20, 'other');
    open.add('a', bytes('2'), 3, 30, 'later');
    expect([open.has('a'), open.has('c')]).toEqual([true, false]);
    expect(open.end('a', bytes('3'), 4, 40, 'last')).toEqual({ bytes: bytes('123'), line: 1, offset: 10, of: 'first' });
    expect(open.has('a')).toBe(false);
    expect(open.rest()).toEqual([{ bytes: bytes('x'), line: 2, offset: 20, of: 'other' }]);
    expect(open.rest()).toEqual([]);
  });

  it('keeps copies: chunks may be overwritten', () => {
    const { pieces: open } = pieces();
    const chunk = bytes('abc');
    open.add('a', chunk, 1, 0, '');
    chunk.fill(0);
    expect(open.end('a', bytes('d'), 1, 0, '')?.bytes.toString()).toBe('abcd');
  });

  it('gives up a record that is too long, once, and goes on behind it', () => {
    const { pieces: open, counts } = pieces(5);
    for (let at = 0; at < 10; at++) open.add('a', bytes('123'), 1, 0, '');
    expect(open.end('a', bytes('4'), 1, 0, '')).toBeUndefined();
    open.add('a', bytes('12'), 2, 0, '');
    expect(open.end('a', bytes('3'), 2, 0, '')?.bytes.toString()).toBe('123');
    expect([...counts]).toEqual([['line-too-long', 1]]);
  });

  it('bounds what all streams hold together, and how many there are', () => {
    const { pieces: open, counts } = pieces(10);
    for (let at = 0; at < 70; at++) open.add(`s${at}`, bytes('123456'), 1, 0, '');
    const held = open.rest().reduce((sum, each) => sum + each.bytes.length, 0);
    expect(held).toBeLessThanOrEqual(20);
    expect((counts.get('line-too-long') ?? 0) + (counts.get('cut-line') ?? 0)).toBeGreaterThanOrEqual(66);
  });
});
