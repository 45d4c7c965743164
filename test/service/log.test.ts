import { Writable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { createLog } from '../../src/service/log.js';

function logged(level: 'info' | 'warn' = 'info') {
  const lines: Record<string, unknown>[] = [];
  const clock = { ms: Date.UTC(2026, 0, 5) };
  const stream = new Writable({
    write(chunk, _, done) {
      for (const line of String(chunk).trim().split('\n')) lines.push(JSON.parse(line));
      done();
    },
  });
  return { lines, clock, log: createLog({ level, stream, now: () => clock.ms }) };
}

describe('the log', () => {
  it('is one JSON object a line, with the time of its clock and the level in words', () => {
    const { lines, log } = logged();
    log.say('warn', 'a "quoted"\nline \u001b[2J', { topic: 'audit' });
    expect(lines).toEqual([
      {
        level: 'warn',
        time: '2026-01-05T00:00:00.000Z',
        name: 'skewscope',
        topic: 'audit',
        msg: 'a "quoted"\nline \u001b[2J',
      },
    ]);
  });

  it('writes every answer to somebody who asked', () => {
    const { lines, log } = logged();
    for (let time = 0; time < 3; time += 1) log.answer('info', 'loaded anew');
    expect(lines.map(({ msg }) => msg)).toEqual(['loaded anew', 'loaded anew', 'loaded anew']);
  });

  it('leaves out what is below its level', () => {
    const { lines, log } = logged('warn');
    log.say('info', 'quiet');
    log.say('debug', 'quieter');
    expect(lines).toEqual([]);
  });

  it('tells what differs in numbers only once in a while, and how often it was left out', () => {
    const { lines, log, clock } = logged();
    for (let at = 0; at < 50; at += 1) log.say('warn', `audit/0, offset ${at}: cannot be read`);
    log.say('info', 'audit/0, offset 7: cannot be read');
    log.say('warn', 'something else');
    expect(lines.map(({ level, msg }) => `${level} ${msg}`)).toEqual([
      'warn audit/0, offset 0: cannot be read',
      'info audit/0, offset 7: cannot be read',
      'warn something else',
    ]);
    clock.ms += 10_000;
    log.say('warn', 'audit/0, offset 51: cannot be read');
    log.say('warn', 'audit/0, offset 52: cannot be read');
    expect(lines.slice(3)).toEqual([expect.objectContaining({ leftOut: 49, msg: expect.stringContaining('51') })]);
  });

  it('is bounded, also against messages that never repeat', () => {
    const { lines, log } = logged();
    const word = (at: number) => `w${[...String(at)].map((digit) => 'abcdefghij'[Number(digit)]).join('')}`;
    for (let at = 0; at < 2_000; at += 1) log.say('info', word(at));
    log.say('info', 'y'.repeat(100_000));
    expect(lines).toHaveLength(2_001);
    expect(String(lines.at(-1)?.msg)).toHaveLength(2_000);
    // The oldest kind was forgotten.
    log.say('info', word(0));
    expect(lines).toHaveLength(2_002);
  });
});
