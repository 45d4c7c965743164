import { describe, expect, it } from '@jest/globals';
import type { RecordStream } from '../../src/service/record-stream.js';
import { nextTurn } from '../../src/service/time-order.js';

const stream = (topic: string, next: number | undefined, more: Partial<RecordStream> = {}) =>
  ({ topic, nextUs: () => next, isAtEnd: true, heardAtMs: 0, ...more }) as RecordStream;
const stalled = (one: RecordStream) => {
  throw new Error(`${one.topic} is waited for no longer`);
};

describe('whose turn it is', () => {
  it('is the oldest, up to where the next oldest begins', () => {
    const [a, b, c] = [stream('a', 30), stream('b', 10), stream('c', 20)];
    expect(nextTurn([a, b, c], 0, stalled)).toEqual({ stream: b, untilUs: 20 });
    expect(nextTurn([b], 0, stalled)).toEqual({ stream: b, untilUs: Number.POSITIVE_INFINITY });
    expect(nextTurn([], 0, stalled)).toBeUndefined();
  });

  it('is nobody while a partition that should have more gives nothing, unless it has ended', () => {
    const waits = stream('slow', undefined, { isAtEnd: false });
    expect(nextTurn([stream('a', 1), waits], 29_999, stalled)).toBeUndefined();
    const ended = stream('done', undefined);
    expect(nextTurn([stream('a', 1), ended], 29_999, stalled)?.stream.topic).toBe('a');
  });

  it('goes on without a partition that gives nothing for half a minute, and says which', () => {
    const lost: string[] = [];
    const waits = stream('slow', undefined, { isAtEnd: false });
    const turn = nextTurn([waits, stream('a', 1)], 30_000, ({ topic }) => lost.push(topic));
    expect(turn?.stream.topic).toBe('a');
    expect(lost).toEqual(['slow']);
  });
});
