import { describe, expect, it } from '@jest/globals';
import { createFastDecoder } from '../../../src/formats/audit/index.js';
import { NOBODY } from '../../../src/formats/envelopes/sender.js';
import { Streams } from '../../../src/formats/envelopes/streams.js';
import type { Emit } from '../../../src/formats/outbox.js';
import { ProblemLog } from '../../../src/formats/problem-log.js';
import type { AuditEvent } from '../../../src/model/record.js';
import { inputNamed } from '../sample-records.js';

function open() {
  const out: (string | undefined)[] = [];
  const emit: Emit = (record, sender) => out.push(`${sender?.writer} ${record.type}`);
  const input = inputNamed('memory');
  const objects = { takeObject: () => false, giveEvent: (event: AuditEvent, give: Emit) => give(event) };
  return { out, streams: new Streams(input, createFastDecoder(), emit, new ProblemLog(input, undefined), objects) };
}
const KLOG = Buffer.from('I0501 10:00:00.000001       1 a.go:1] x');
const DAY = 86_400_000_000;
/** The year of klog text comes from a time near it. */
const SPRING = 20_600 * DAY;

describe('Streams', () => {
  it('has one reader for each writer and stream, and names the writer of what it gives', () => {
    const { out, streams } = open();
    const a = streams.of({ ...NOBODY, writer: 'a' });
    expect(streams.of({ ...NOBODY, writer: 'a' })).toBe(a);
    expect(streams.of({ ...NOBODY, writer: 'a', stream: 'stderr' })).not.toBe(a);
    a.text.take(KLOG, 0, KLOG.length, 1, 0);
    expect(out).toEqual([]);
    streams.flush();
    expect(out).toEqual(['a log']);
  });

  it('begins anew when much time has passed, and hands out what waited', () => {
    const { out, streams } = open();
    const first = streams.of({ ...NOBODY, timeUs: SPRING });
    first.text.take(KLOG, 0, KLOG.length, 1, 0);
    expect(streams.of({ ...NOBODY, timeUs: SPRING + DAY / 4 })).toBe(first);
    expect(streams.of(NOBODY)).toBe(first);
    expect(streams.of({ ...NOBODY, timeUs: SPRING + 2 * DAY })).not.toBe(first);
    expect(out).toEqual([' log']);
  });

  it('keeps a bounded number, and loses nothing of those that give way', () => {
    const { out, streams } = open();
    for (let at = 0; at < 300; at++) {
      const { text } = streams.of({ ...NOBODY, writer: `w${at}` });
      text.take(KLOG, 0, KLOG.length, at, 0);
    }
    expect(out.length).toBe(300 - 128);
    streams.finish();
    expect(out.length).toBe(300);
  });
});
