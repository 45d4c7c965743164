/** Places of events against a plain list that remembers everything. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { RecentEvents } from '../../../src/correlate/requests/recent-events.js';
import type { AuditEvent } from '../../../src/model/record.js';
import { events, server, T0 } from '../kit.js';

const [MODEL] = events(server('cp1').request(T0).audit);
const CHUNK = 3 * 1024 * 1024;
/** As many of these chunks as are kept at once. */
const KEPT = 2;

function eventIn(bytes: Buffer, offset: number, text = ''): AuditEvent {
  if (MODEL === undefined) throw new Error('no event');
  return { ...MODEL, bytes, start: offset, end: offset + text.length, offset, line: offset + 1 };
}

function all(recent: RecentEvents, hash: number): number[] {
  const found: number[] = [];
  for (let entry = recent.find(hash); entry >= 0; entry = recent.find(hash, entry)) found.push(entry);
  return found;
}

describe('RecentEvents', () => {
  test('finds what a plain list finds, as long as the chunk is kept', () => {
    const step = fc.record({ hash: fc.constantFrom(1, 2, 1 + 65_536, 2 + 65_536), chunk: fc.nat({ max: 9 }) });
    const buffers = Array.from({ length: 10 }, () => Buffer.allocUnsafe(CHUNK));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const recent = new RecentEvents();
        const list: { hash: number; at: number; alive: boolean; chunk: number }[] = [];
        let kept: number[] = [];
        for (const [at, { hash, chunk }] of steps.entries()) {
          if (!kept.includes(chunk)) {
            kept.push(chunk);
            for (const gone of kept.slice(0, -KEPT))
              for (const entry of list) if (entry.chunk === gone) entry.alive = false;
            kept = kept.slice(-KEPT);
          }
          recent.put(hash, eventIn(buffers[chunk] as Buffer, at), at, 7);
          list.push({ hash, at, alive: true, chunk });
        }
        for (const hash of [1, 2, 1 + 65_536, 2 + 65_536, 3]) {
          const expected = list
            .filter((entry) => entry.alive && entry.hash === hash)
            .map(({ at }) => at)
            .reverse();
          expect(all(recent, hash).map((entry) => recent.lifeOf(entry))).toEqual(expected);
          expect(all(recent, hash).map((entry) => recent.place(entry)?.offset)).toEqual(expected);
        }
      }),
      { numRuns: 60 },
    );
  });

  test('forgets the oldest when the circle is full, and only those', () => {
    const recent = new RecentEvents();
    const bytes = Buffer.from('chunk');
    const entries = 70_000;
    for (let at = 0; at < entries; at += 1) recent.put(at, eventIn(bytes, at), at, 1);
    expect(recent.find(0)).toBe(-1);
    expect(recent.find(entries - 65_000)).toBe(entries - 65_000);
    expect(recent.lifeOf(recent.find(entries - 1))).toBe(entries - 1);
  });

  test('tells events apart by their bytes', () => {
    const recent = new RecentEvents();
    const [a, b] = [Buffer.from('..event one'), Buffer.from('event one|event two')];
    recent.put(5, eventIn(a, 2, 'event one'), 0, 1);
    const entry = recent.find(5);
    expect(recent.sameBytes(entry, eventIn(b, 0, 'event one'))).toBe(true);
    expect(recent.sameBytes(entry, eventIn(b, 10, 'event two'))).toBe(false);
    expect(recent.sameBytes(entry, eventIn(b, 0, 'event'))).toBe(false);
  });

  test('keeps one chunk even where it alone is over the limit', () => {
    const recent = new RecentEvents();
    const huge = Buffer.allocUnsafe(20 * 1024 * 1024);
    recent.put(1, eventIn(huge, 0), 0, 1);
    expect(recent.place(recent.find(1))?.bytes).toBe(huge);
  });
});
