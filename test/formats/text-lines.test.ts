import { describe, expect, it } from '@jest/globals';
import { ProblemLog } from '../../src/formats/problem-log.js';
import { TextLines } from '../../src/formats/text-lines.js';
import type { Rec } from '../../src/model/record.js';
import { HINT_US, inputNamed } from './sample-records.js';

function reader(yearHintUs: number | undefined = HINT_US) {
  const records: Rec[] = [];
  const { yearHintUs: _, ...unhinted } = inputNamed('x');
  const input = yearHintUs === 0 ? unhinted : { ...unhinted, yearHintUs };
  const problems = new ProblemLog(input, undefined);
  const text = new TextLines(input, (record) => records.push(record), problems);
  let line = 0;
  const take = (content: string) => {
    const bytes = Buffer.from(content);
    text.take(bytes, 0, bytes.length, ++line, line * 100);
  };
  return { text, take, records, problems };
}

const header = 'I0501 10:00:00.000001       1 a.go:1] ';

describe('TextLines', () => {
  it('holds a log line until the next one begins', () => {
    const { text, take, records } = reader();
    take(`${header}one`);
    expect(records).toEqual([]);
    expect(text.hasOpen).toBe(true);
    take(`${header}two`);
    expect(records).toMatchObject([{ message: 'one', line: 1, offset: 100 }]);
    text.finish();
    expect(records).toMatchObject([{ message: 'one' }, { message: 'two', line: 2 }]);
  });

  it('learns the year from other records where the input has no date', () => {
    const { text, take, records } = reader(0);
    text.sawAudit(Date.UTC(2031, 4, 2) * 1000);
    take(`${header}m`);
    text.finish();
    expect(records).toMatchObject([{ timeUs: Date.UTC(2031, 4, 1, 10) * 1000 + 1 }]);
  });

  it('attaches the events that an audit plugin lost to the line that says so', () => {
    const { text, take, records, problems } = reader();
    take(`${header}Error in audit plugin 'buffered' affecting 1 audit events: queue`);
    take('Impacted events:');
    take('2026-05-01T10:00:00Z AUDIT: id="x" stage="ResponseComplete"');
    text.finish();
    expect(records).toMatchObject([
      { text: expect.stringMatching(/Impacted events:\n2026-05-01T10:00:00Z AUDIT: id="x"/) },
    ]);
    expect(problems.counts.size).toBe(0);
  });

  it('knows the torn end of an audit event inside a process log', () => {
    const { take, records, problems } = reader();
    take(`${header}m`);
    take('"stageTimestamp":"2026-05-01T10:00:00Z"}');
    expect(records).toMatchObject([{ text: `${header}m` }]);
    expect([...problems.counts]).toEqual([['cut-line', 1]]);
  });

  it('is not put off by text between lines of a process log', () => {
    const { text, take, problems } = reader();
    take(`${header}m`);
    text.flush();
    take('Usage:');
    take('2026/05/01 03:04:05 http: TLS handshake error');
    text.finish();
    expect(problems.counts.size).toBe(0);
  });
});
