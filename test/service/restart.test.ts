/** The service dies at any point and comes back: what it tells in the end is what it would have told undisturbed. */
import { describe, expect, it } from '@jest/globals';
import { MINUTE } from '../../src/model/time.js';
import { readMark } from '../../src/service/commit-mark.js';
import { linesOf, messageOf } from './audit-lines.js';
import { EAGER_CLOCK, feedAll, readAll, startEngine, turn } from './engine-kit.js';
import { MemoryKafka } from './memory-kafka.js';
import { chance, type Story, storyOf } from './story.js';
import type { ToldOutputs } from './told.js';

const RUN = 'upgrade-with-failure';
/** Several windows open and close during the run. */
const WINDOW = MINUTE;
const LINES = linesOf(RUN);

function topic(lines = LINES): MemoryKafka {
  const kafka = new MemoryKafka();
  kafka.create('audit', 3);
  for (const [index, line] of lines.entries()) kafka.produce('audit', (index * 31) % 3, messageOf(line));
  return kafka;
}

async function undisturbed(): Promise<{ story: Story; kafka: MemoryKafka; outputs: ToldOutputs }> {
  const kafka = topic();
  const { outputs } = await readAll(kafka, { windowUs: WINDOW });
  return { story: storyOf([outputs], outputs), kafka, outputs };
}

/** Every test compares with the same run. */
const UNDISTURBED = await undisturbed();

describe('a service that dies', () => {
  it('has windows that close, and commits only behind them', () => {
    const { outputs, kafka, story } = UNDISTURBED;
    expect(story.requests.length).toBeGreaterThan(200);
    expect(story.opened.length).toBeGreaterThan(0);
    expect(new Set(outputs.requests).size).toBe(outputs.requests.length);
    const ends = kafka.topics.get('audit')?.map((messages) => messages.length) ?? [];
    const last = [...kafka.committed.values()].map(({ offset }) => offset);
    // The open window is still needed, and what is older is not.
    for (const [at, offset] of last.entries()) {
      expect(offset).toBeGreaterThan(0);
      expect(offset).toBeLessThan(ends[at] ?? 0);
    }
  });

  it.each(Array.from({ length: 4 }, (_, seed) => [seed + 1]))('tells the same in the end, seed %d', async (seed) => {
    const { story } = UNDISTURBED;
    const kafka = topic();
    const next = chance(seed);
    const all: ToldOutputs[] = [];
    for (let kills = 0; kills < 4; kills += 1) {
      const run = startEngine(kafka, { windowUs: WINDOW });
      all.push(run.outputs);
      await run.consumer.start(run.engine);
      const steps = next(40);
      for (let step = 0; step < steps && run.consumer.fetch(200); step += 1) await turn();
      // From here on nobody hears of it: without partitions it neither judges nor commits when it ends.
      await run.consumer.stop();
      run.engine.onRevoked();
      await run.engine.stop(AbortSignal.abort());
    }
    const last = startEngine(kafka, { windowUs: WINDOW });
    await last.consumer.start(last.engine);
    await feedAll(last, 300);
    await last.engine.stop(AbortSignal.timeout(5_000));
    expect(storyOf([...all, last.outputs], last.outputs)).toEqual(story);
  });

  it('tells the same requests when it is judged all the time, also before a window shows whose they are', async () => {
    const kafka = topic();
    let now = 0;
    // Each look at the clock finds it later: it is always time to judge.
    const clock = {
      ...EAGER_CLOCK,
      now() {
        now += 400;
        return Date.parse('2027-01-01') + now;
      },
    };
    const run = startEngine(kafka, { windowUs: WINDOW, readyLagUs: Number.MAX_SAFE_INTEGER, clock });
    await run.consumer.start(run.engine);
    await feedAll(run, 25);
    await run.engine.stop(AbortSignal.timeout(5_000));
    expect(run.outputs.batches.length).toBeGreaterThan(50);
    expect([...new Set(run.outputs.requests)].sort()).toEqual(UNDISTURBED.story.requests);
    expect(new Set(run.outputs.requests).size).toBe(run.outputs.requests.length);
  });

  it('resolves nothing that is still to be read again while it catches up', async () => {
    // What is open at its end begins after its first windows.
    const kafka = topic(linesOf('gc-harm'));
    kafka.commitFails = true;
    const first = startEngine(kafka, { windowUs: WINDOW });
    await first.consumer.start(first.engine);
    await feedAll(first);
    await first.engine.stop(AbortSignal.timeout(5_000));
    const told = first.outputs.open;
    expect(told.length).toBeGreaterThan(0);
    // The receiver is the same, and holds them as open.
    const next = startEngine(kafka, { windowUs: WINDOW, outputs: first.outputs });
    const lost = new Set<string>();
    const push = first.outputs.push.bind(first.outputs);
    first.outputs.push = (batch) => {
      push(batch);
      const { open } = first.outputs;
      const ended = new Set(batch.changes.map(({ kind, finding }) => (kind === 'resolved' ? finding.fingerprint : '')));
      for (const one of told) if (!open.includes(one) && !ended.has(one)) lost.add(one);
    };
    await next.consumer.start(next.engine);
    await feedAll(next, 25);
    await next.engine.stop(AbortSignal.timeout(5_000));
    expect([...lost]).toEqual([]);
    expect(first.outputs.open).toEqual(told);
  });

  it.each([
    ['reads what is old', 300_000_000],
    ['is live', Number.MAX_SAFE_INTEGER],
  ])(
    'needs nothing behind what it has committed to tell the end of what it told while it %s',
    async (_, readyLagUs) => {
      const kafka = topic();
      const run = startEngine(kafka, { windowUs: WINDOW, readyLagUs });
      const commit = run.consumer.commit.bind(run.consumer);
      const ends: number[] = [];
      run.consumer.commit = async (offsets) => {
        const openUs = readMark(offsets[0]?.metadata)?.openUs ?? 0;
        const { findings = [] } = run.outputs.batches.at(-1) ?? {};
        for (const { to } of findings) ends.push(to - openUs);
        await commit(offsets);
      };
      await run.consumer.start(run.engine);
      await feedAll(run, 25);
      await run.engine.stop(AbortSignal.timeout(5_000));
      expect(ends.length).toBeGreaterThan(0);
      expect(ends.filter((afterUs) => afterUs < 0)).toEqual([]);
    },
  );

  it('commits nothing while an output has not taken what it was told', async () => {
    const kafka = topic();
    const run = startEngine(kafka, { windowUs: WINDOW });
    run.outputs.stuck = true;
    await run.consumer.start(run.engine);
    await feedAll(run);
    expect(kafka.commits.every((commit) => commit.every(({ offset }) => offset === 0))).toBe(true);
    run.outputs.release();
    await run.engine.stop(AbortSignal.timeout(5_000));
    expect([...kafka.committed.values()].every(({ offset }) => offset > 0)).toBe(true);
  });
});
