import { describe, expect, it } from '@jest/globals';
import type { InputRef } from '../../src/model/origin.js';
import type { Lease, LogLine } from '../../src/model/record.js';
import { EARLY } from '../../src/service/slots.js';
import { Windows } from '../../src/service/windows.js';
import { RULES } from '../analysis/samples.js';

const MINUTE_US = 60_000_000;
const WINDOW_US = 20 * MINUTE_US;
const SLOT_US = WINDOW_US / 2;
/** A quarter of a slot. */
const GRACE_US = SLOT_US / 4;
const INPUT: InputRef = { id: 0, name: 'audit/0', kind: 'kafka' };

/** A line of a process log. */
const at = (timeUs: number): LogLine => ({
  type: 'log',
  timeUs,
  line: 1,
  offset: 0,
  severity: 'I',
  file: 'server.go',
  message: 'hello',
  fields: undefined,
  text: 'hello',
});
const undated: Lease = {
  type: 'lease',
  line: 1,
  offset: 0,
  name: 'apiserver-1',
  hostname: 'cp1',
  holder: '',
  peerAddress: '',
  createdUs: 0,
  renewedUs: 0,
};

function windows(openUs?: number) {
  const asked: number[] = [];
  const subject = new Windows({
    rules: RULES,
    windowUs: WINDOW_US,
    accounts: (first) => {
      asked.push(first);
      return [];
    },
    onRequests: () => {},
    openUs,
  });
  return { subject, asked, take: (timeUs: number) => subject.take(at(timeUs), INPUT) };
}

describe('windows', () => {
  it('lie at fixed times: the first begins a little before the first record, which may not be the oldest', () => {
    const { subject, take } = windows();
    expect(subject.span).toBeUndefined();
    expect(take(10 * SLOT_US + 1)).toBe(10);
    expect(subject.floor).toBe(9);
    expect(take(10 * SLOT_US - GRACE_US / 2)).toBe(9);
    expect(subject.span).toEqual({ fromUs: 9 * SLOT_US, toUs: 11 * SLOT_US });
  });

  it('begin at the next of their fixed times when nothing can have come before', () => {
    const { subject, take } = windows();
    take(10 * SLOT_US + GRACE_US);
    expect(subject.floor).toBe(10);
  });

  it('get nothing of a partition whose former owner had closed them: of its records they would see a part', () => {
    const { subject } = windows(10 * SLOT_US);
    const takeOf = (timeUs: number, openUs?: number) => subject.take(at(timeUs), INPUT, openUs);
    expect(takeOf(14 * SLOT_US, 14 * SLOT_US)).toBe(14);
    expect(subject.span?.fromUs).toBe(14 * SLOT_US);
    expect(takeOf(14 * SLOT_US - 1, 14 * SLOT_US)).toBeUndefined();
    expect(takeOf(11 * SLOT_US)).toBe(11);
    expect(subject.span?.fromUs).toBe(10 * SLOT_US);
  });

  it('go on where an earlier process was, and take nothing that it was done with', () => {
    const { subject, take } = windows(12 * SLOT_US);
    expect(subject.floor).toBe(12);
    expect(take(12 * SLOT_US - 1)).toBeUndefined();
    expect(take(12 * SLOT_US)).toBe(12);
  });

  it('are over when the time has come that they wait for what is late', () => {
    const { subject, take, asked } = windows(10 * SLOT_US);
    take(10 * SLOT_US);
    take(12 * SLOT_US + GRACE_US - 1);
    expect(subject.isDue).toBe(false);
    expect(take(11 * SLOT_US + 5)).toBe(11);
    take(12 * SLOT_US + GRACE_US);
    expect(subject.isDue).toBe(true);
    expect(subject.close()).toBeDefined();
    expect(asked).toEqual([10]);
    expect(subject.floor).toBe(11);
    expect(subject.isDue).toBe(false);
    // Half of what is late still counts: for the next window.
    expect(take(11 * SLOT_US + 7)).toBe(11);
    expect(take(11 * SLOT_US - 1)).toBeUndefined();
  });

  it('skip the time in which nothing was written', () => {
    const { subject, take } = windows(10 * SLOT_US);
    take(10 * SLOT_US);
    take(500 * SLOT_US);
    let closed = 0;
    while (subject.isDue) {
      expect(subject.close()).toBeDefined();
      closed += 1;
    }
    expect(closed).toBe(1);
    expect(subject.floor).toBe(499);
    expect(subject.span).toEqual({ fromUs: 499 * SLOT_US, toUs: 501 * SLOT_US });
  });

  it('have nothing to close, and nothing to show, before the first record', () => {
    const { subject } = windows();
    expect(subject.isDue).toBe(false);
    expect(subject.close()).toBeUndefined();
    expect(subject.analysis()).toBeUndefined();
  });

  it('keep what has no time for the first record that has one: so many of them, and no more', () => {
    const { subject, take } = windows();
    expect(subject.take(undated, INPUT)).toBe(EARLY);
    for (let i = 0; i < 999; i += 1) subject.take(undated, INPUT);
    expect(subject.take(undated, INPUT)).toBeUndefined();
    take(10 * SLOT_US + GRACE_US);
    expect(subject.take(undated, INPUT)).toBe(10);
  });
});
