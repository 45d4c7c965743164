import { describe, expect, it } from '@jest/globals';
import { Progress } from '../../src/service/progress.js';
import type { RecordStream } from '../../src/service/record-stream.js';
import { nextTurn, oldestOf } from '../../src/service/time-order.js';

const stream = (topic: string, next: number | undefined, more: Partial<RecordStream> = {}) =>
  ({
    topic,
    nextUs: () => next,
    progress: new Progress(),
    isAtEnd: true,
    heardAtMs: 0,
    ...more,
  }) as RecordStream;
const stalled = (one: RecordStream) => {
  throw new Error(`${one.topic} is waited for no longer`);
};

describe('whose turn it is', () => {
  it('is the oldest, up to where the next oldest begins', () => {
    const [a, b, c] = [stream('a', 30), stream('b', 10), stream('c', 20)];
    expect(nextTurn([a, b, c], 0, stalled)).toMatchObject({ stream: b, us: 10, untilUs: 20 });
    expect(nextTurn([b], 0, stalled)).toMatchObject({ stream: b, untilUs: Number.POSITIVE_INFINITY });
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

  const SEC = 1_000_000;
  const reached = (seconds: number) => {
    const progress = new Progress();
    progress.note(seconds * SEC);
    return { progress };
  };

  it('is not that of one that has gone back, before the others have come as far as it was', () => {
    const back = stream('back', 1 * SEC, reached(100));
    const late = stream('late', 99 * SEC, reached(98));
    const turn = nextTurn([back, late], 0, stalled);
    expect(turn).toMatchObject({ stream: late, fromUs: 88 * SEC });
    expect(turn?.untilUs).toBeGreaterThanOrEqual(100 * SEC);
  });

  it('goes by time among those that have gone back', () => {
    const [a, b] = [stream('a', 3 * SEC, reached(100)), stream('b', 2 * SEC, reached(99))];
    expect(nextTurn([a, b], 0, stalled)).toMatchObject({
      stream: b,
      fromUs: -8 * SEC,
      untilUs: 3 * SEC,
    });
  });

  it('leaves small disorder as it is', () => {
    const [a, b] = [stream('a', 95 * SEC, reached(100)), stream('b', 96 * SEC)];
    expect(nextTurn([a, b], 0, stalled)).toMatchObject({ stream: a, untilUs: 96 * SEC });
  });

  it('gives each record once and in its order, and all of one pass before the next, whatever the partitions', () => {
    // Three files of the same stretch of time, one behind the other, dealt out over three partitions.
    const files = [0, 1, 2].map((file) => Array.from({ length: 90 }, (_, at) => ({ file, us: at * SEC })));
    const partitions = [0, 1, 2].map((turn) => files.flat().filter((_, at) => at % 3 === turn));
    const given: { file: number; us: number }[] = [];
    const streams = partitions.map((records) => ({
      progress: new Progress(),
      nextUs: () => records[0]?.us,
      take() {
        const record = records.shift();
        if (record === undefined) return;
        given.push(record);
        this.progress.note(record.us);
      },
    }));
    for (let turn = oldestOf(streams); turn !== undefined; turn = oldestOf(streams)) {
      const { stream: one, fromUs, untilUs } = turn;
      for (let us = one.nextUs(); us !== undefined && us >= fromUs && us <= untilUs; us = one.nextUs()) one.take();
    }
    expect(given).toEqual(files.flat());
  });
});
