/** Memory that goes round: never used again while somebody holds it. */
import { describe, expect, test } from '@jest/globals';
import { Memories } from '../../../src/analysis/decode/memories.js';

const FULL = 1 << 20;

describe('Memories', () => {
  test('give memory again that was released, and no other', () => {
    const memories = new Memories();
    const first = memories.take();
    const second = memories.take();
    expect(second).not.toBe(first);
    memories.release(first);
    expect(memories.take()).toBe(first);
    expect(first.uses).toBe(2);
  });

  test('what is kept is not given again before it is let go', () => {
    const memories = new Memories();
    const memory = memories.take();
    memory.filled = FULL;
    const bytes = Buffer.from(memory.bytes, 10, 20);
    expect(memories.keep(bytes)).toBe(bytes);
    memories.release(memory);
    expect(memories.take()).not.toBe(memory);
    memories.letGo(bytes);
    expect(memories.take()).toBe(memory);
  });

  test('of memory with little in it a copy is kept', () => {
    const memories = new Memories();
    const memory = memories.take();
    memory.filled = 100;
    const bytes = Buffer.from(memory.bytes, 0, 3);
    bytes.write('abc');
    const kept = memories.keep(bytes);
    bytes.write('xyz');
    expect(kept.toString()).toBe('abc');
    memories.release(memory);
    memories.letGo(kept);
    expect(memories.take()).toBe(memory);
  });

  test('bytes of another origin are kept as they are', () => {
    const bytes = Buffer.from('elsewhere');
    const memories = new Memories();
    expect(memories.keep(bytes)).toBe(bytes);
    memories.letGo(bytes);
  });

  test('the more readers there are, the less each may fill ahead, but never nothing', () => {
    const memories = new Memories();
    const shares = [1, 3, 24, 500].map((readers) => {
      memories.readers = readers;
      return memories.share();
    });
    expect(shares).toEqual([24, 8, 1, 1]);
  });
});
