/** What an engine meets in months: clocks that are wrong, silence, brokers and outputs that are away, ends at bad moments. */
import { afterEach, describe, expect, it } from '@jest/globals';
import type { Clock } from '../../src/outputs/delivery/clock.js';
import { RULES } from '../analysis/samples.js';
import { until } from '../until.js';
import { linesOf, messageOf } from './audit-lines.js';
import { EAGER_CLOCK, feedAll, type RunningEngine, startEngine, turn } from './engine-kit.js';
import { MemoryKafka } from './memory-kafka.js';

const HOUR_MS = 3_600_000;
const LINES = linesOf('wrong-peer-ca');
const ENDS_MS = Math.max(...LINES.map(({ text }) => Date.parse(/"stageTimestamp":"([^"]+)"/.exec(text)?.[1] ?? '')));

/** A clock that is set; waiting is short. */
class SetClock implements Clock {
  readonly #begunAtMs = Date.now();
  ms = ENDS_MS + 60_000;
  readonly random = () => 0.5;
  readonly sleep = EAGER_CLOCK.sleep;
  readonly now = () => this.ms + Date.now() - this.#begunAtMs;
}

function topic(lines = LINES): MemoryKafka {
  const kafka = new MemoryKafka();
  kafka.create('audit', 3);
  for (const [index, line] of lines.entries()) kafka.produce('audit', index % 3, messageOf(line));
  return kafka;
}

const runs: RunningEngine[] = [];
afterEach(async () => {
  for (const { engine } of runs.splice(0)) {
    engine.onRevoked();
    await engine.stop(AbortSignal.abort());
  }
});

function begun(kafka: MemoryKafka, options: Parameters<typeof startEngine>[1]): RunningEngine {
  const run = startEngine(kafka, options);
  runs.push(run);
  return run;
}

async function started(kafka: MemoryKafka, options: Parameters<typeof startEngine>[1] = {}): Promise<RunningEngine> {
  const run = begun(kafka, { clock: new SetClock(), ...options });
  await run.consumer.start(run.engine);
  return run;
}

const rules = ({ engine }: RunningEngine) =>
  engine.analysis?.findings.map(({ rule, server }) => `${rule} ${server}`) ?? [];

describe('an engine', () => {
  it('leaves out what a clock far ahead has dated, counts it, and says so; the rest is as without', async () => {
    const plain = await started(topic());
    await feedAll(plain);
    await until(() => plain.engine.records === LINES.length);
    await plain.engine.stop(AbortSignal.timeout(5_000));

    const month = 30 * 24 * HOUR_MS;
    const ahead = (text: string) =>
      text.replace(/"(requestReceivedTimestamp|stageTimestamp)":"([^"]+)"/g, (_, name, time) => {
        return `"${name}":"${new Date(Date.parse(time) + month).toISOString().replace('Z', '000Z')}"`;
      });
    const strange = { text: ahead(LINES[0]?.text ?? ''), server: 2 };
    const run = await started(topic([...LINES.slice(0, 30), strange, ...LINES.slice(30)]));
    await feedAll(run);
    await until(() => run.engine.records === LINES.length);
    await run.engine.stop(AbortSignal.timeout(5_000));
    // That its log is damaged is a finding, and all that is new.
    expect(rules(run).filter((rule) => !rules(plain).includes(rule))).toEqual(['audit-damaged cp3']);
    expect(rules(plain).filter((rule) => !rules(run).includes(rule))).toEqual([]);
    // And nothing else was too late by its measure.
    const problems = run.engine.analysis?.inputs.flatMap((input) => Object.entries(input.problems));
    expect(problems).toEqual([['bad-timestamp', 1]]);
    expect(run.notes.join('\n')).toMatch(/audit\/0, offset 10: a record of 20\d\d-\d\d-\d\d.* more than an hour ahead/);
  });

  it('takes what is dated an hour ahead at most', async () => {
    const clock = new SetClock();
    clock.ms = ENDS_MS - 0.9 * HOUR_MS;
    const run = await started(topic(), { clock });
    await feedAll(run);
    await until(() => run.engine.records === LINES.length);
    expect(run.notes).toEqual([]);
    await run.engine.stop(AbortSignal.timeout(5_000));
  });

  it('keeps findings and windows while nothing is written for hours', async () => {
    const clock = new SetClock();
    const run = await started(topic(), { clock, windowUs: 600_000_000 });
    await feedAll(run);
    await until(() => run.engine.records === LINES.length);
    run.engine.use(RULES, false);
    await until(() => run.engine.analysis?.findings.length === run.outputs.open.length && run.outputs.open.length > 1);
    await turn(600);
    const { open } = run.outputs;
    const span = run.engine.windows.span;
    for (let hour = 0; hour < 48; hour += 1) {
      clock.ms += HOUR_MS;
      run.consumer.fetch(100);
      await turn(2);
    }
    expect(run.outputs.open).toEqual(open);
    expect(run.engine.windows.span).toEqual(span);
    expect(run.engine.isLive).toBe(true);
    await run.engine.stop(AbortSignal.timeout(5_000));
  });

  it('goes on while offsets cannot be committed, says so, and commits when they can', async () => {
    const clock = new SetClock();
    const kafka = topic();
    kafka.commitFails = true;
    const run = await started(kafka, { clock });
    await feedAll(run);
    for (let at = 0; at < 20 && run.notes.length === 0; at += 1) {
      clock.ms += 11_000;
      await turn(10);
    }
    expect(run.notes.join()).toMatch(/offsets cannot be committed: the coordinator is not available/);
    expect(run.engine.failure).toBeUndefined();
    kafka.commitFails = false;
    await run.engine.stop(AbortSignal.timeout(5_000));
    expect(kafka.committed.size).toBe(3);
  });

  it('that was told `latest` and dies before a window closes goes on where it began', async () => {
    const kafka = topic(LINES.slice(0, 90));
    const run = begun(kafka, { clock: new SetClock() });
    await run.consumer.start(run.engine);
    await run.consumer.assign(kafka.assigned('latest'));
    await until(() => kafka.committed.size === 3);
    for (let at = 0; at < 5; at += 1)
      kafka.produce('audit', at % 3, { value: Buffer.from(LINES[90 + at]?.text ?? '') });
    run.consumer.fetch(10);
    await until(() => run.engine.records >= 5);
    run.engine.onRevoked();
    await run.engine.stop(AbortSignal.abort());

    const next = begun(kafka, { clock: new SetClock() });
    await next.consumer.assign(kafka.assigned('latest'));
    await next.consumer.start(next.engine);
    await feedAll(next);
    expect(next.engine.records).toBe(95);
    await next.engine.stop(AbortSignal.timeout(5_000));
  });

  it('that is given the same partitions again before it could commit where they begin commits that then, whatever outputs do', async () => {
    const kafka = topic(LINES.slice(0, 90));
    kafka.commitFails = true;
    const run = begun(kafka, { clock: new SetClock() });
    run.outputs.stuck = true;
    await run.consumer.start(run.engine);
    for (let at = 0; at < 6; at += 1) run.consumer.fetch(15);
    await until(() => run.engine.records === 90);
    await run.consumer.assign(kafka.assigned('latest'));
    kafka.commitFails = false;
    await run.consumer.assign(kafka.assigned('latest'));
    await until(() => kafka.committed.size === 3);
    expect([...kafka.committed.values()].map(({ offset }) => offset)).toEqual([0, 0, 0]);
    run.outputs.release();
  });

  it('that keeps one of its partitions before it could commit where that begins loses nothing of it', async () => {
    const kafka = topic(LINES.slice(0, 90));
    kafka.commitFails = true;
    const run = begun(kafka, { clock: new SetClock() });
    await run.consumer.start(run.engine);
    run.consumer.fetch(40);
    await until(() => run.engine.records === 90);
    kafka.commitFails = false;
    await run.consumer.assign(kafka.assigned('latest', ({ partition }) => partition === 0));
    await feedAll(run);
    expect(run.engine.records).toBe(120);
    await until(() => kafka.committed.size === 1);
    expect(kafka.committed.get('audit/0')?.offset).toBe(0);
  });

  it('that loses all partitions reminds nobody of what it told, and resolves nothing', async () => {
    const run = await started(topic());
    await feedAll(run);
    await until(() => run.outputs.open.length > 0);
    const { open } = run.outputs;
    expect(run.outputs.batches.at(-1)?.findings.length).toBeGreaterThan(0);
    await run.consumer.assign([]);
    expect(run.outputs.batches.at(-1)).toMatchObject({ changes: [], findings: [] });
    expect(run.outputs.open).toEqual(open);
    expect(run.engine.analysis).toBeUndefined();
  });

  it('takes no partitions while it ends, and commits nothing for them', async () => {
    const kafka = topic();
    const run = await started(kafka);
    await feedAll(run);
    run.outputs.stuck = true;
    const ending = run.engine.stop(AbortSignal.timeout(300));
    const before = kafka.commits.length;
    run.engine.onRevoked();
    expect(await run.engine.onAssigned(kafka.assigned())).toEqual([]);
    expect(run.engine.isAssigned).toBe(false);
    run.outputs.release();
    await ending;
    expect(kafka.commits).toHaveLength(before);
  });

  it('ends with a reason when an output is dead for good', async () => {
    const failures: Error[] = [];
    const run = begun(topic(), {
      clock: new SetClock(),
      windowUs: 20_000_000,
      onFailure: (error) => failures.push(error),
    });
    run.outputs.settled = () => Promise.reject(new Error('webhook example: nothing more is sent'));
    await run.consumer.start(run.engine);
    await until(() => {
      run.consumer.fetch(200);
      return failures.length > 0;
    });
    expect(failures.map(({ message }) => message).join()).toMatch(/nothing more is sent/);
    expect(failures).toHaveLength(1);
    await run.engine.stop(AbortSignal.timeout(5_000));
  });

  it('says which window it cannot judge, and ends', async () => {
    const failures: Error[] = [];
    const run = begun(topic(), { clock: new SetClock(), onFailure: (error) => failures.push(error) });
    await run.consumer.start(run.engine);
    await feedAll(run);
    run.engine.windows.analysis = () => {
      throw new TypeError('x is not a function');
    };
    judgeAgain(run);
    await until(() => failures.length > 0);
    expect(failures[0]?.message).toMatch(
      /^judging 20\d\d-.* to 20\d\d-.*: x is not a function; a restart meets it again/,
    );
    expect(run.engine.failure).toBe(failures[0]);
    await run.engine.stop(AbortSignal.timeout(5_000));
  });

  it('says what it reads', async () => {
    const news: string[] = [];
    const run = await started(topic(), { onNews: (text) => news.push(text) });
    await feedAll(run);
    expect(news).toEqual(['reads audit/0 to 2', 'everything that was there is read: what comes is told as it comes']);
    run.engine.onRevoked();
    await run.engine.onAssigned([]);
    expect(news.at(-1)).toMatch(/has no partitions: the group has more members/);
    await run.engine.stop(AbortSignal.timeout(5_000));
  });
});

function judgeAgain({ engine }: RunningEngine): void {
  engine.use(RULES, false);
}
