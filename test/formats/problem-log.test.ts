import { describe, expect, it } from '@jest/globals';
import { MAX_REPORTED, ProblemLog } from '../../src/formats/problem-log.js';
import { inputNamed } from './sample-records.js';

describe('ProblemLog', () => {
  it('counts all and reports the first of each reason with its place', () => {
    const seen: string[] = [];
    const log = new ProblemLog(inputNamed('a.log'), ({ reason, origin, detail }) =>
      seen.push(`${origin.input.name}:${origin.line}:${origin.offset} ${reason} ${detail}`),
    );
    for (let line = 1; line <= 100; line++) log.add('cut-line', line, line * 10, 'torn');
    log.add('not-json', 5, 50, 'damaged');
    log.addUnplaced('unknown-line', 7);
    log.addUnplaced('late', 0);
    expect([...log.counts]).toEqual([
      ['cut-line', 100],
      ['not-json', 1],
      ['unknown-line', 7],
    ]);
    expect(seen.length).toBe(MAX_REPORTED + 1);
    expect(seen[0]).toBe('a.log:1:10 cut-line torn');
    expect(seen.at(-1)).toBe('a.log:5:50 not-json damaged');
  });
});
