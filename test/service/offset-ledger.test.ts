import { describe, expect, it } from '@jest/globals';
import { OffsetLedger } from '../../src/service/offset-ledger.js';

describe('an offset ledger', () => {
  it('settles everything that was taken where nothing is open', () => {
    const ledger = new OffsetLedger(10);
    expect([ledger.position, ledger.settled]).toEqual([10, 10]);
    ledger.advance(15);
    expect([ledger.position, ledger.settled]).toEqual([15, 15]);
    ledger.advance(12);
    expect(ledger.position).toBe(15);
  });

  it('holds back at the lowest offset of an open slot, whatever the order of times', () => {
    const ledger = new OffsetLedger(0);
    ledger.note(5, 3);
    ledger.note(4, 4);
    ledger.note(5, 6);
    ledger.note(4, 7);
    ledger.advance(8);
    expect(ledger.settled).toBe(3);
    // What was in slot 4 is over; slot 5 began earlier in the partition.
    ledger.closeBelow(5);
    expect(ledger.settled).toBe(3);
    ledger.closeBelow(6);
    expect(ledger.settled).toBe(8);
  });

  it('notes a slot anew that was closed and comes again', () => {
    const ledger = new OffsetLedger(0);
    ledger.note(5, 1);
    ledger.closeBelow(6);
    ledger.note(6, 2);
    ledger.note(5, 3);
    ledger.advance(9);
    expect(ledger.settled).toBe(2);
    ledger.closeBelow(7);
    expect(ledger.settled).toBe(9);
  });
});
