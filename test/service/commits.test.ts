import { describe, expect, it } from '@jest/globals';
import type { PartitionOffset } from '../../src/kafka/port.js';
import { readMark, writeMark } from '../../src/service/commit-mark.js';
import { Commits } from '../../src/service/commits.js';
import type { DeadLetters } from '../../src/service/dead-letters.js';
import { PartitionStream } from '../../src/service/partition-stream.js';
import { Partitions } from '../../src/service/partitions.js';
import { Windows } from '../../src/service/windows.js';
import { RULES } from '../analysis/samples.js';
import { until } from '../until.js';
import { turn } from './engine-kit.js';
import { ToldOutputs } from './told.js';

const MINUTE_US = 60_000_000;

/** Commits of one partition that begins at offset 5, and of which everything below `position` was taken. */
function setup({ committed }: { readonly committed?: PartitionOffset } = {}) {
  const outputs = new ToldOutputs();
  const commits: PartitionOffset[][] = [];
  const notes: string[] = [];
  const failures: Error[] = [];
  let broken: Error | undefined;
  let held: (() => void) | undefined;
  const state = { hold: false, dead: true };
  const deadLetters: DeadLetters = {
    put: () => {},
    isFull: false,
    settled: async () => state.dead,
    stop: async () => {},
  };
  const partitions = new Partitions({ pause: () => {}, resume: () => {} }, (one, now, context) => {
    return new PartitionStream(one.topic, one.partition, one.begin, one.high, now, context);
  });
  const context = {
    audit: { decode: () => ({ records: [], problems: [] }) } as never,
    inputs: {} as never,
    maxMessageBytes: 1,
    onDamaged: () => {},
    currentSlot: () => 0,
  };
  partitions.replace([{ topic: 'audit', partition: 0, committed, begin: 5, low: 0, high: 9 }], 0, context);
  const windows = new Windows({
    rules: RULES,
    windowUs: MINUTE_US,
    accounts: () => [],
    onRequests: () => {},
    openUs: 30 * MINUTE_US,
  });
  const subject = new Commits({
    outputs,
    deadLetters,
    consumer: {
      async commit(offsets) {
        if (state.hold) {
          await new Promise<void>((resolve) => {
            held = resolve;
          });
        }
        if (broken !== undefined) throw broken;
        commits.push([...offsets]);
      },
    },
    onNote: (text) => notes.push(text),
    onFailure: (error) => failures.push(error),
  });
  const [partition] = [...partitions.all()];
  if (partition === undefined) throw new Error('no partition');
  return {
    subject,
    partitions,
    partition,
    windows,
    outputs,
    commits,
    notes,
    failures,
    state,
    breaks: (error: Error | undefined) => {
      broken = error;
    },
    release: () => held?.(),
    take: (position: number) => (partition.stream.ledger as { advance(to: number): void }).advance(position),
  };
}

const live = () => new AbortController().signal;

describe('commits', () => {
  it('tell where a partition begins at once, whatever outputs do', async () => {
    const { subject, partition, outputs, commits, partitions, windows } = setup();
    outputs.stuck = true;
    subject.start(partitions, windows, live());
    subject.begin([partition], live());
    await until(() => commits.length > 0);
    expect(commits).toEqual([[expect.objectContaining({ topic: 'audit', partition: 0, offset: 5 })]]);
    expect(partition.committed).toBe(5);
    outputs.release();
  });

  it('try the beginning again until the broker has it, also when everything else has moved on', async () => {
    const { subject, partition, commits, breaks, take, partitions, windows, outputs } = setup();
    outputs.stuck = true;
    breaks(new Error('not the coordinator'));
    subject.begin([partition], live());
    await turn();
    take(8);
    breaks(undefined);
    subject.startNowAndThen(partitions, windows, live(), 100_000);
    await until(() => commits.length > 0);
    expect(commits[0]?.[0]).toMatchObject({ offset: 5 });
    outputs.release();
  });

  it('of a generation that is over are given up', async () => {
    const { subject, partition, commits, breaks, partitions, windows } = setup();
    const over = new AbortController();
    breaks(new Error('rebalanced'));
    subject.begin([partition], over.signal);
    await turn();
    over.abort();
    breaks(undefined);
    subject.startNowAndThen(partitions, windows, over.signal, 100_000);
    await turn(20);
    expect(commits).toEqual([]);
  });

  it('wait for outputs and dead letters, and carry where the next process goes on', async () => {
    const { subject, outputs, commits, partition, partitions, windows, take, state } = setup();
    outputs.stuck = true;
    take(7);
    partition.deadBelow = 6;
    subject.start(partitions, windows, live());
    await turn(20);
    expect(commits).toEqual([]);
    outputs.release();
    await until(() => commits.length === 1);
    expect(commits[0]?.[0]).toMatchObject({ offset: 7 });
    expect(readMark(commits[0]?.[0]?.metadata)).toEqual({ openUs: 30 * MINUTE_US, dead: 6 });
    // Dead letters that are not in their topic hold back the rest.
    state.dead = false;
    take(9);
    subject.start(partitions, windows, live());
    await turn(20);
    expect(commits).toHaveLength(1);
  });

  it('say of a partition that another member was further with that it gives all records only from there', async () => {
    const metadata = writeMark({ openUs: 40 * MINUTE_US, dead: 0 });
    const { subject, commits, partitions, windows, take } = setup({
      committed: { topic: 'audit', partition: 0, offset: 5, metadata },
    });
    take(7);
    subject.start(partitions, windows, live());
    await until(() => commits.length === 1);
    expect(readMark(commits[0]?.[0]?.metadata)?.openUs).toBe(40 * MINUTE_US);
  });

  it('that say nothing new are left out', async () => {
    const { subject, commits, partitions, windows, take } = setup();
    take(6);
    subject.start(partitions, windows, live());
    await until(() => commits.length === 1);
    subject.start(partitions, windows, live());
    await turn(20);
    expect(commits).toHaveLength(1);
  });

  it('that fail are carried by the next, and told only when it goes on', async () => {
    const { subject, commits, partitions, windows, take, breaks, notes } = setup();
    breaks(new Error('the group was rebalanced meanwhile'));
    take(6);
    for (let at = 0; at < 2; at += 1) {
      subject.start(partitions, windows, live());
      await turn(5);
    }
    expect(notes).toEqual([]);
    subject.start(partitions, windows, live());
    await until(() => notes.length === 1);
    expect(notes[0]).toMatch(/offsets cannot be committed: the group was rebalanced meanwhile/);
    breaks(undefined);
    subject.start(partitions, windows, live());
    await until(() => commits.length === 1);
    expect(commits[0]?.[0]).toMatchObject({ offset: 6 });
  });

  it('that wait are replaced by the newest', async () => {
    const { subject, commits, partitions, windows, take, state, release } = setup();
    state.hold = true;
    take(6);
    subject.start(partitions, windows, live());
    await turn(5);
    take(7);
    subject.start(partitions, windows, live());
    take(8);
    subject.start(partitions, windows, live());
    state.hold = false;
    release();
    await until(() => commits.length === 2);
    expect(commits.map(([one]) => one?.offset)).toEqual([6, 8]);
  });

  it('end the service when an output is dead for good, instead of a rejection that nobody hears', async () => {
    const { subject, outputs, failures, partitions, windows, take } = setup();
    outputs.settled = () => Promise.reject(new Error('webhook: nothing more is sent'));
    take(6);
    subject.start(partitions, windows, live());
    await until(() => failures.length === 1);
    expect(failures[0]?.message).toMatch(/nothing can be committed any more: webhook: nothing more is sent/);
  });

  it('at the end are waited for no longer than there is time, though the broker never answers', async () => {
    const { subject, commits, partitions, windows, take, state, notes } = setup();
    state.hold = true;
    take(6);
    await Promise.race([
      subject.finish(partitions, windows, AbortSignal.timeout(50)),
      turn(5_000).then(() => {
        throw new Error('it waits for the broker');
      }),
    ]);
    expect(commits).toEqual([]);
    expect(notes.join()).toMatch(/offsets are not committed, so a restart reads more again: .*gives no answer/);
  });

  it('at the end come after the one that is under way, and never reject', async () => {
    const { subject, commits, partitions, windows, take, state, release, outputs, notes } = setup();
    state.hold = true;
    take(6);
    subject.start(partitions, windows, live());
    await turn(5);
    take(8);
    const finished = subject.finish(partitions, windows, live());
    await turn(20);
    expect(commits).toEqual([]);
    state.hold = false;
    release();
    await finished;
    expect(commits.map(([one]) => one?.offset)).toEqual([6, 8]);
    outputs.settled = () => Promise.reject(new Error('gone'));
    take(9);
    await subject.finish(partitions, windows, live());
    expect(notes.join()).toMatch(/offsets are not committed, so a restart reads more again: gone/);
  });
});
