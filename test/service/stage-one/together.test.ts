import { afterEach, describe, expect, it } from '@jest/globals';
import type { PartitionOffset } from '../../../src/kafka/port.js';
import { type Progress, writeProgress } from '../../../src/service/stage-one/progress.js';
import { Together } from '../../../src/service/stage-one/together.js';
import { until } from '../../until.js';

const running: Together[] = [];
afterEach(async () => {
  for (const one of running.splice(0)) await one.stop();
});

/** A clock that stands, and goes on when it is told; sleeping takes a turn. */
function open(first: Record<string, Progress | undefined>) {
  const state = { nowMs: 1_000_000, polls: 0, table: first, offset: 0, fails: false };
  const notes: string[] = [];
  const read = async (): Promise<PartitionOffset[]> => {
    state.polls += 1;
    if (state.fails) throw new Error('the coordinator is away');
    return Object.entries(state.table).map(([name, progress]) => {
      const [topic = '', partition = ''] = name.split('/');
      const metadata = progress === undefined ? {} : { metadata: writeProgress(progress) };
      return { topic, partition: Number(partition), offset: state.offset, ...metadata };
    });
  };
  const clock = {
    now: () => state.nowMs,
    random: () => 0.5,
    sleep: () => new Promise<void>((resolve) => setTimeout(resolve, 1)),
  };
  const together = new Together({ read, clock, onNote: (text) => notes.push(text), settleMs: 1_000, stallMs: 60_000 });
  together.start();
  running.push(together);
  const polled = async () => {
    const before = state.polls;
    await until(() => state.polls > before + 1);
  };
  return { state, notes, together, polled };
}

const own = (name: string) => name === 'audit/0';

describe('replicas keep together', () => {
  it('takes nothing before all partitions are known, then up to a span ahead of the slowest', async () => {
    const { state, together, polled } = open({
      'audit/0': { us: 100, end: false },
      'audit/1': { us: 5_000, end: false },
      'audit/2': { us: 7_000, end: false },
      'audit/3': { us: 1, end: true },
      'other/0': undefined,
    });
    await polled();
    expect(together.limitUs(own, 1_000)).toBe(Number.NEGATIVE_INFINITY);
    state.nowMs += 1_001;
    await polled();
    // Neither its own, nor what is at its end.
    expect(together.limitUs(own, 1_000)).toBe(6_000);
    state.table = { ...state.table, 'audit/1': { us: 5_000, end: true } };
    await polled();
    expect(together.limitUs(own, 1_000)).toBe(8_000);
  });

  it('waits for a partition of which nothing is known yet', async () => {
    const { state, together, polled } = open({ 'audit/0': { us: 1, end: false }, 'audit/1': { us: null, end: false } });
    await polled();
    state.nowMs += 1_001;
    expect(together.limitUs(own, 1_000)).toBe(Number.NEGATIVE_INFINITY);
  });

  it('does not wait for one that stays where it is for a minute, says so once, and waits again when it goes on', async () => {
    const { state, notes, together, polled } = open({ 'audit/1': { us: 5_000, end: false } });
    await polled();
    state.nowMs += 60_001;
    expect(together.limitUs(own, 1_000)).toBe(Number.POSITIVE_INFINITY);
    expect(together.limitUs(own, 1_000)).toBe(Number.POSITIVE_INFINITY);
    expect(notes).toEqual([expect.stringMatching(/no replica got on with audit\/1 for 60 s/)]);
    state.table = { 'audit/1': { us: 6_000, end: false } };
    await polled();
    expect(together.limitUs(own, 1_000)).toBe(7_000);
  });

  it('knows when everything is in the topic, and when that was seen', async () => {
    const { state, together, polled } = open({ 'audit/0': { us: 1, end: true }, 'audit/1': { us: 1, end: false } });
    await polled();
    state.nowMs += 1_001;
    expect(together.completeAtMs(0)).toBeUndefined();
    state.table = { 'audit/0': { us: 1, end: true }, 'audit/1': { us: state.nowMs * 1_000 - 5, end: false } };
    await polled();
    expect(together.completeAtMs(10)).toBe(state.nowMs);
    expect(together.completeAtMs(4)).toBeUndefined();
    // A partition that appears is not known to be complete until others had the time to appear as well.
    state.table = { ...state.table, 'audit/2': { us: 1, end: true } };
    await polled();
    expect(together.completeAtMs(10)).toBeUndefined();
  });

  it('is not complete before anything is known', async () => {
    const { state, together, polled } = open({});
    await polled();
    state.nowMs += 5_000;
    expect(together.completeAtMs(Number.POSITIVE_INFINITY)).toBeUndefined();
  });

  it('says when the others cannot be seen', async () => {
    const { state, notes, polled } = open({ 'audit/1': { us: 1, end: false } });
    state.fails = true;
    await polled();
    await until(() => notes.length > 0);
    await polled();
    expect(notes).toEqual(['it is not known how far the other replicas are: the coordinator is away']);
  });
});
