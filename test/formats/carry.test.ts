import { describe, expect, it } from '@jest/globals';
import { Carry } from '../../src/formats/carry.js';

describe('Carry', () => {
  it('joins what was added and remembers where it began', () => {
    const carry = new Carry();
    carry.add(Buffer.from('ab'), 7);
    carry.add(Buffer.from('c'), 9);
    expect([carry.length, carry.offset]).toEqual([3, 7]);
    expect(carry.joined(Buffer.from('d')).toString()).toBe('abcd');
    carry.isText = true;
    expect(carry.take(Buffer.from('e')).toString()).toBe('abce');
    expect([carry.length, carry.isText]).toEqual([0, false]);
    carry.add(Buffer.from('x'), 20);
    expect([carry.offset, carry.joined(Buffer.alloc(0)).toString()]).toEqual([20, 'x']);
  });
});
