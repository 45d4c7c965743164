import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { EvidenceSet, mergeEvidence, quoteEvent, SpreadEvidence } from '../../src/correlate/evidence.js';
import { events, refOf, SEC, server, T0, UNKNOWN_TYPE } from './kit.js';

const facts = fc.array(fc.record({ at: fc.integer({ min: 0, max: 30 }), quote: fc.constantFrom('a', 'b', 'c') }));

function filled(list: readonly { at: number; quote: string }[]): EvidenceSet {
  const set = new EvidenceSet(4);
  for (const { at, quote } of list) set.add(at, refOf('x.log'), at, at, quote);
  return set;
}

describe('EvidenceSet', () => {
  test('keeps the earliest few, whatever the order and the partition', () => {
    fc.assert(
      fc.property(facts, fc.nat({ max: 20 }), (list, cut) => {
        const lines = (set: EvidenceSet) => set.list().map(({ line }) => line);
        const kept = lines(filled(list));
        expect(kept).toEqual([...kept].sort((a, b) => a - b));
        expect(lines(filled([...list].reverse()))).toEqual(kept);
        const merged = filled(list.slice(0, cut));
        merged.merge(filled(list.slice(cut)));
        expect(lines(merged)).toEqual(kept);
      }),
    );
  });

  test('the same fact twice is one', () => {
    const set = new EvidenceSet();
    for (const line of [1, 7]) set.add(T0, refOf('x.log'), line, 0, 'the same');
    expect(set.list()).toHaveLength(1);
  });

  test('quotes are cut', () => {
    const set = new EvidenceSet();
    set.add(T0, refOf('x.log'), 1, 0, 'x'.repeat(10_000));
    expect(set.list()[0]?.quote).toHaveLength(600);
    expect(mergeEvidence([set, set])).toHaveLength(1);
  });
});

test('SpreadEvidence keeps some of every stretch of time, whatever the order', () => {
  const all = Array.from({ length: 200 }, (_, at) => at).flatMap((at) =>
    events(server('cp1').request(T0 + at * SEC).audit),
  );
  const quotes = (list: typeof all, from: number) => {
    const spread = new SpreadEvidence();
    for (const event of list) spread.addEvent(event, refOf('x.log'), event.receivedUs);
    return spread.where((timeUs) => timeUs >= from).list();
  };
  for (const from of [T0, T0 + 90 * SEC, T0 + 190 * SEC]) {
    const kept = quotes(all, from);
    expect(kept.length).toBeGreaterThan(0);
    expect(quotes([...all].reverse(), from)).toEqual(kept);
  }
});

describe('quoteEvent', () => {
  test('says who did what and how it ended, without bodies', () => {
    const cp1 = server('cp1').request(T0, { status: UNKNOWN_TYPE, stages: 'C', requestObject: { secret: 'hidden' } });
    const [event] = events(cp1.audit);
    if (event === undefined) throw new Error('no event');
    const quote = quoteEvent(event);
    expect(quote).toContain('ResponseComplete 404 NotFound list /apis/batch/v1/namespaces/shop/jobs');
    expect(quote).toContain('by alice from 192.0.2.50');
    expect(quote).not.toContain('hidden');
  });

  test('stays short whatever the client sent', () => {
    const cp1 = server('cp1').request(T0, { uri: `/api/v1/pods?${'x'.repeat(9000)}`, userAgent: 'y'.repeat(9000) });
    for (const event of events(cp1.audit)) expect(quoteEvent(event).length).toBeLessThan(600);
  });
});
