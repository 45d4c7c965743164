import { describe, expect, it } from '@jest/globals';
import { Notes } from '../../src/service/notes.js';
import { Status } from '../../src/service/status.js';
import type { SinkStatus } from '../../src/service/view.js';
import { batch, request } from '../outputs/otlp/examples.js';

interface Stream {
  topic: string;
  partition: number;
  ledger: { position: number };
  end: number;
  lastUs: number | undefined;
  paused: boolean;
  damaged: number;
  unnamed: number;
  heardAtMs: number;
}

const stream = (partition: number, more: Partial<Stream> = {}): Stream => ({
  topic: 'audit',
  partition,
  ledger: { position: 10 },
  end: 10,
  lastUs: 900_000_000,
  paused: false,
  damaged: 0,
  unnamed: 0,
  heardAtMs: Number.MAX_SAFE_INTEGER,
  ...more,
});

function status(streams: Stream[] = [stream(0)]) {
  const state = {
    now: 1_000_000,
    sinks: [] as SinkStatus[],
    assigned: true,
    live: true,
    failure: undefined as Error | undefined,
  };
  const engine = {
    windows: { span: undefined },
    records: 0,
    analysis: undefined,
    partitions: { all: () => streams.map((one) => ({ stream: one, committed: 3, deadBelow: 0 })) },
    get isAssigned() {
      return state.assigned;
    },
    get isLive() {
      return state.live;
    },
    get failure() {
      return state.failure;
    },
  };
  const subject = new Status({
    version: '1',
    readyLagUs: 60_000_000,
    engine: engine as never,
    outputs: { status: () => state.sinks } as never,
    notes: new Notes(),
    now: () => state.now,
  });
  return { subject, state };
}

describe('the service is ready', () => {
  it('when it has joined, and not while it ends', () => {
    const { subject, state } = status();
    expect(subject.unreadyReasons()).toEqual([]);
    state.assigned = false;
    expect(subject.unreadyReasons()).toEqual(['the consumer group has given no partitions yet']);
    expect(subject.status().phase).toBe('starting');
    subject.stopping = true;
    expect(subject.unreadyReasons()).toEqual(['the service is stopping']);
    expect(subject.status().phase).toBe('stopping');
  });

  it('when what it has not read is recent; all that is read is never behind', () => {
    const behind = { end: 25, lastUs: 939_000_000 };
    expect(status([stream(0), stream(1, behind)]).subject.unreadyReasons()).toEqual(['audit/1 is 15 messages behind']);
    expect(status([stream(0, { end: 25, lastUs: 941_000_000 })]).subject.unreadyReasons()).toEqual([]);
    expect(status([stream(0, { end: 25, lastUs: undefined })]).subject.unreadyReasons()).toHaveLength(1);
    expect(status([stream(0, { lastUs: undefined })]).subject.unreadyReasons()).toEqual([]);
  });

  it('unless an output is not reached', () => {
    const { subject, state } = status();
    const fine = { name: 'webhook a', delivered: 0, waiting: 2, refused: 0, failure: 'not sent yet', isFailing: false };
    state.sinks = [fine];
    expect(subject.unreadyReasons()).toEqual([]);
    state.sinks = [{ ...fine, failure: 'HTTP 503', isFailing: true }];
    expect(subject.unreadyReasons()).toEqual(['webhook a takes nothing, 2 messages waiting: HTTP 503']);
    state.sinks = [fine];
    expect(subject.unreadyReasons()).toEqual([]);
  });

  it('unless others read what would have to meet here', () => {
    const { subject } = status();
    subject.split = true;
    expect(subject.unreadyReasons()).toHaveLength(1);
  });
});

describe('the status', () => {
  it('is dead with the reason only', () => {
    const { subject, state } = status();
    expect(subject.deadReasons()).toEqual([]);
    state.failure = new Error('judging failed');
    expect(subject.deadReasons()).toEqual(['judging failed']);
  });

  it('lists partitions in order, and whether all is live', () => {
    const { subject, state } = status([stream(10), stream(2), stream(0, { topic: 'a' })]);
    const { partitions, phase } = subject.status();
    expect(partitions.map(({ topic, partition }) => `${topic}/${partition}`)).toEqual(['a/0', 'audit/2', 'audit/10']);
    expect(partitions[0]).toMatchObject({ position: 10, committed: 3, end: 10, eventTimeUs: 900_000_000 });
    expect(phase).toBe('live');
    state.live = false;
    expect(subject.status().phase).toBe('catching-up');
  });

  it('keeps the latest requests, newest first', () => {
    const { subject } = status();
    for (let at = 0; at < 300; at += 1) subject.take(batch({ requests: [request({ name: `job-${at}` })] }));
    subject.take(batch({ requests: [] }));
    const names = subject.recentRequests().map(({ name }) => name);
    expect(names).toHaveLength(200);
    expect(names[0]).toBe('job-299');
  });
});

it('is not ready when nothing is heard of a partition, unless it is paused', () => {
  const { subject, state } = status([
    stream(0),
    stream(1, { heardAtMs: 960_000 }),
    stream(2, { heardAtMs: 0, paused: true }),
  ]);
  expect(subject.unreadyReasons()).toEqual(['nothing was heard of audit/1 for 40 s']);
  state.now = 985_000;
  expect(subject.unreadyReasons()).toEqual([]);
});
