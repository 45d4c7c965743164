/** A process that dies at any moment of sending: the next one, with what lay on the disk, completes the work. */
import { cpSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { FindingChange } from '../../../src/findings/index.js';
import type { Finding } from '../../../src/model/finding.js';
import type { Notice } from '../../../src/outputs/delivery/notice.js';
import { createReliableOutput } from '../../../src/outputs/delivery/reliable-output.js';
import type { OutputBatch } from '../../../src/outputs/output.js';
import { makeFolder } from '../../sources/folder.js';
import { batch, DELIVERED, FAILED, FakeSink, fastClock, findings, within } from './examples.js';

const SEVERITIES = ['info', 'warning', 'critical'] as const;

interface Step {
  readonly finding: number;
  readonly kind: FindingChange['kind'];
  readonly severity: number;
}

const steps = fc.array(
  fc.record({
    finding: fc.nat(4),
    kind: fc.constantFrom<FindingChange['kind'][]>('opened', 'updated', 'resolved'),
    severity: fc.nat(2),
  }),
  { minLength: 1, maxLength: 12 },
);

/** Changes as a tracker gives them, each in a batch of its own, with later evidence each time. */
function batchesOf(all: readonly Step[]): OutputBatch[] {
  const open = new Map<number, Finding>();
  return all.flatMap(({ finding: number, kind, severity }, at) => {
    const [base] = findings(1, () => ({
      fingerprint: `f${number}`,
      severity: SEVERITIES[severity] ?? 'info',
      to: at + 1,
    }));
    const before = open.get(number);
    if (base === undefined || (kind === 'resolved' && before === undefined)) return [];
    if (kind === 'resolved') {
      open.delete(number);
      return [batch('resolved', [before ?? base], [...open.values()])];
    }
    open.set(number, base);
    return [batch(before === undefined ? 'opened' : 'updated', [base], [...open.values()])];
  });
}

const options = { fsync: 'never', storm: { limit: 1_000, windowMs: 1 } } as const;

const identity = ({ key, counter, kind }: Notice) => `${key}-${counter}-${kind}`;

test('all is told, in order for each finding, at most one message twice and then with the same identity', async () => {
  await fc.assert(
    fc.asyncProperty(steps, fc.array(fc.boolean(), { maxLength: 20 }), fc.nat(15), async (all, failures, diesAt) => {
      const batches = batchesOf(all);
      fc.pre(batches.length > 0);
      const folder = makeFolder();
      const told = await untilDeath(folder.path, batches, failures, diesAt);
      const rest = await afterwards(folder.path, batches);
      const sent = [...told, ...rest];
      expect(sent.length - new Set(sent.map(identity)).size).toBeLessThanOrEqual(1);

      const undisturbed = await afterwards(folder.path, batches, 'other');
      folder.drop();
      expect([...new Set(sent.map(identity))]).toEqual(undisturbed.map(identity));

      const changes = batches.flatMap((given) => given.changes);
      for (const key of new Set(changes.map(({ finding }) => finding.fingerprint))) {
        const states = sent.filter((notice) => notice.key === key);
        const last = changes.filter(({ finding }) => finding.fingerprint === key).at(-1);
        expect(states.at(-1)?.kind === 'resolved').toBe(last?.kind === 'resolved');
        const counters = states.map(({ counter }) => counter);
        expect(counters).toEqual([...counters].sort((a, b) => a - b));
        expect(Math.max(...counters)).toBe(new Set(counters).size);
      }
    }),
    { numRuns: 60 },
  );
});

/** What the receiver got from a process that dies with its answer number `diesAt`: `dead` is the disk at that moment. */
async function untilDeath(path: string, batches: readonly OutputBatch[], failures: readonly boolean[], diesAt: number) {
  const death = new AbortController();
  const sink = new FakeSink((_notices, attempt) => {
    if (death.signal.aborted) return FAILED;
    if (attempt === diesAt) {
      // The receiver has it, and nothing of that has been noted yet.
      cpSync(`${path}/living`, `${path}/dead`, { recursive: true });
      death.abort();
    }
    return failures[attempt] === true ? FAILED : DELIVERED;
  });
  const output = createReliableOutput(sink, { ...options, clock: fastClock(), folder: `${path}/living` });
  for (const given of batches) if (!death.signal.aborted) await output.deliver(given, death.signal);
  if (!death.signal.aborted) cpSync(`${path}/living`, `${path}/dead`, { recursive: true });
  await output.close();
  return sink.taken;
}

/** The next process reads everything from the beginning. */
async function afterwards(path: string, batches: readonly OutputBatch[], name = 'dead'): Promise<readonly Notice[]> {
  const sink = new FakeSink();
  const output = createReliableOutput(sink, { ...options, clock: fastClock(), folder: `${path}/${name}` });
  for (const given of batches) expect(await output.deliver(given, within(5_000))).toMatchObject({ waiting: [] });
  await output.close();
  return sink.taken;
}
