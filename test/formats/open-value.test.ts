import { describe, expect, it } from '@jest/globals';
import { createFastDecoder } from '../../src/formats/audit/index.js';
import { JsonValues } from '../../src/formats/json/json-values.js';
import { ListNesting } from '../../src/formats/list-nesting.js';
import { OpenValue } from '../../src/formats/open-value.js';
import { Place } from '../../src/formats/place.js';
import { ProblemLog } from '../../src/formats/problem-log.js';
import { TextLines } from '../../src/formats/text-lines.js';
import type { Problem, Rec } from '../../src/model/record.js';
import { auditLine, inputNamed } from './sample-records.js';

function open(maxBytes = 10_000) {
  const input = inputNamed('audit.log');
  const records: Rec[] = [];
  const told: Problem[] = [];
  const problems = new ProblemLog(input, (problem) => told.push(problem));
  const text = new TextLines(input, (record) => records.push(record), problems);
  const values = new JsonValues(input, createFastDecoder(), text, (record) => records.push(record), problems);
  const place = new Place();
  const list = new ListNesting();
  const value = new OpenValue(place, list, text, values, maxBytes, problems);
  const feed = (bytes: string) => place.use(Buffer.from(bytes), place.base + place.bytes.length);
  const reasons = () => told.map(({ reason }) => reason);
  return { value, place, list, feed, records, reasons };
}

describe('OpenValue', () => {
  it('puts together a value that comes in pieces, and stops behind it', () => {
    const { value, place, feed, records } = open();
    const line = auditLine('a-1', { userAgent: 'client' });
    feed(line.slice(0, 50));
    expect(value.resume(value.begin(0))).toBe(50);
    expect([records.length, place.mode]).toEqual([0, 'value']);
    feed(`${line.slice(50)} {`);
    expect(value.resume(0)).toBe(line.length - 50);
    expect([place.mode, place.midLine]).toEqual(['line', true]);
    expect(records).toMatchObject([{ auditID: 'a-1', offset: 0 }]);
  });

  it('stops where the items of an event list begin, and passes over what follows them', () => {
    const { value, place, list, feed, records, reasons } = open();
    const head = '{"kind":"EventList","apiVersion":"audit.k8s.io/v1","items":[';
    feed(`${head}],"metadata":{}}\n`);
    expect(value.resume(value.begin(0))).toBe(head.length);
    expect([list.kind, place.mode]).toEqual(['items', 'line']);
    expect(value.resume(value.beginTail(head.length + 1))).toBe(place.bytes.length - 1);
    expect([list.kind, records, reasons()]).toEqual(['none', [], []]);
  });

  it('does not keep a value above the limit', () => {
    const { value, feed, records, reasons } = open(100);
    feed(auditLine('a-1'));
    expect(value.resume(value.begin(0))).toBe(Buffer.byteLength(auditLine('a-1')));
    expect([records, reasons()]).toEqual([[], ['line-too-long']]);
  });

  it('counts what breaks off, and lets reading go on behind damage on the same line', () => {
    const { value, place, list, feed, reasons } = open();
    list.enterArray();
    feed('{"a":1 "b"}');
    expect(value.resume(value.begin(0))).toBe(1);
    expect([place.mode, list.isHurt, reasons()]).toEqual(['seek', true, ['not-json']]);
    feed('{"a":');
    value.resume(value.begin(0));
    expect([value.breakOff(), reasons()]).toEqual([true, ['not-json', 'cut-line']]);
  });

  it('goes on with the line that tore it', () => {
    const { value, place, feed, reasons } = open();
    feed('{"a":\n{"b":1}\n');
    expect(value.resume(value.begin(0))).toBe(6);
    expect([place.mode, place.line, place.lineOffset, reasons()]).toEqual(['line', 2, 6, ['cut-line']]);
  });
});
