/** Batches, a sink that does what it is told, and time that does not pass by itself. */
import type { FindingChange } from '../../../src/findings/index.js';
import type { Finding } from '../../../src/model/finding.js';
import type { Clock } from '../../../src/outputs/delivery/clock.js';
import type { Notice } from '../../../src/outputs/delivery/notice.js';
import type { SendResult, Sink } from '../../../src/outputs/delivery/sink.js';
import type { OutputBatch } from '../../../src/outputs/output.js';
import { analysis } from '../../cli/fakes.js';
import { finding } from '../../findings/examples.js';

export { finding };

/** One finding for each number, with fingerprints that differ. */
export function findings(count: number, over: (at: number) => Partial<Finding> = () => ({})): Finding[] {
  return Array.from({ length: count }, (_, at) =>
    finding({ fingerprint: String(at).padStart(16, '0'), server: `cp${at}`, ...over(at) }),
  );
}

export function batch(kind: FindingChange['kind'], changed: readonly Finding[], open = changed): OutputBatch {
  const findings = kind === 'resolved' && open === changed ? [] : open;
  return {
    changes: changed.map((finding) => ({ kind, finding })),
    findings,
    requests: [],
    analysis: analysis({ findings }),
  };
}

export const DELIVERED: SendResult = { outcome: 'delivered', answer: 'ok' };
export const FAILED: SendResult = { outcome: 'retry', reason: 'not now', answered: false };

export class FakeSink implements Sink {
  readonly name = 'fake';
  /** What was sent, in order, also what was not taken. */
  readonly sent: Notice[][] = [];
  readonly taken: Notice[] = [];
  closed = false;

  declare readonly remindMs?: number;

  constructor(
    public answer: (notices: readonly Notice[], attempt: number) => SendResult | Promise<SendResult> = () => DELIVERED,
    readonly batch = 1,
    remindMs?: number,
  ) {
    if (remindMs !== undefined) Object.assign(this, { remindMs });
  }

  payload(notice: Notice): string {
    return `payload of ${notice.key}`;
  }

  async send(notices: readonly Notice[]): Promise<SendResult> {
    this.sent.push([...notices]);
    const result = await this.answer(notices, this.sent.length);
    if (result.outcome === 'delivered') this.taken.push(...notices);
    return result;
  }

  async close(): Promise<void> {
    this.closed = true;
  }
}

/** Sleeps take no time but move the clock; a sleep of a second or more lets others go first. */
export function fastClock(startMs = Date.UTC(2026, 0, 5, 12)): Clock & { nowMs: number; slept: number[] } {
  return {
    nowMs: startMs,
    slept: [],
    now() {
      return this.nowMs;
    },
    random: () => 0.5,
    sleep(ms, signal) {
      return new Promise((resolve) => {
        if (signal?.aborted === true) return resolve();
        const end = () => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', end);
          resolve();
        };
        const timer = setTimeout(
          () => {
            this.nowMs += ms;
            this.slept.push(ms);
            end();
          },
          Math.min(20, ms / 100),
        );
        signal?.addEventListener('abort', end, { once: true });
      });
    },
  };
}

/** Aborted after so many milliseconds of real time. */
export function within(ms: number): AbortSignal {
  return AbortSignal.timeout(ms);
}
