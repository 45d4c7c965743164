import { describe, expect, it } from '@jest/globals';
import { Progress } from '../../src/service/progress.js';

const SEC = 1_000_000;

function having(...seconds: number[]): Progress {
  const progress = new Progress();
  for (const second of seconds) progress.note(second * SEC);
  return progress;
}

describe('the progress of a stream', () => {
  it('is the time of its next record, also in small disorder', () => {
    expect(having().rank(5 * SEC)).toBe(5 * SEC);
    expect(having(1, 100).rank(100 * SEC)).toBe(100 * SEC);
    expect(having(1, 100, 95).rank(92 * SEC)).toBe(92 * SEC);
  });

  it('is a little more than where it was when it goes back, and stays that until it comes further', () => {
    const progress = having(1, 100);
    expect(progress.goesBack(2 * SEC)).toBe(true);
    expect(progress.rank(2 * SEC)).toBe(110 * SEC);
    progress.note(2 * SEC);
    expect(progress.goesBack(3 * SEC)).toBe(false);
    expect([3, 99, 110, 111].map((second) => progress.rank(second * SEC))).toEqual(
      [110, 110, 110, 111].map((second) => second * SEC),
    );
  });

  it('counts each pass over the same time, up to a minute', () => {
    const progress = having(100, 0, 90, 0);
    expect(progress.rank(5 * SEC)).toBe(120 * SEC);
    for (let pass = 0; pass < 20; pass += 1) for (const second of [90, 0]) progress.note(second * SEC);
    expect(progress.rank(5 * SEC)).toBe(160 * SEC);
  });

  it('lets no record be given together with one of a later pass', () => {
    expect(having(1, 100).fromUs(100 * SEC)).toBe(90 * SEC);
    expect(having(1, 100).fromUs(2 * SEC)).toBe(-8 * SEC);
  });
});
