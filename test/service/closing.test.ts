import { describe, expect, it } from '@jest/globals';
import { abandonParts, stopParts } from '../../src/service/closing.js';
import type { Parts } from '../../src/service/parts.js';
import { EAGER_CLOCK } from './engine-kit.js';

const ALL = ['receiver', 'scaleOut', 'engine', 'consumer', 'deadLetters', 'sinks', 'kafka', 'admin'] as const;

/** Parts that note when they end, of which some never do. */
function partsOf(names: readonly (typeof ALL)[number][], hanging: readonly string[] = []) {
  const ended: string[] = [];
  const given: Record<string, unknown> = {};
  const all = Object.fromEntries(
    names.map((name) => {
      const end = async (within: unknown) => {
        ended.push(name);
        given[name] = within;
        if (hanging.includes(name)) await new Promise(() => {});
      };
      return [name, { stop: end, close: end, finish: end }];
    }),
  );
  const parts = { ...all, endWatch: () => void ended.push('watch') } as unknown as Parts;
  const messages: string[] = [];
  return { parts, ended, given, messages, warn: (text: string) => void messages.push(text) };
}

describe('a service that stops', () => {
  it('takes nothing more, commits before it leaves the group, and shows itself to the last', async () => {
    const { parts, ended, given, messages, warn } = partsOf(ALL);
    await stopParts(parts, 10_000, EAGER_CLOCK, warn);
    expect(ended).toEqual(['watch', ...ALL]);
    expect(given).toMatchObject({ receiver: 5_000, engine: expect.objectContaining({ aborted: false }) });
    expect(Number(given.sinks)).toBeGreaterThan(9_000);
    expect(messages).toEqual([]);
  });

  it('waits for no Kafka that does not answer, and still tells outputs', async () => {
    const { parts, ended, messages, warn } = partsOf(ALL, ['consumer']);
    await stopParts(parts, 10, EAGER_CLOCK, warn);
    expect(ended).toEqual(['watch', ...ALL]);
    expect(messages).toEqual([expect.stringContaining('is not answered yet, and is not waited for')]);
  });
});

describe('a service that did not open', () => {
  it('ends what is open, at once', async () => {
    const { parts, ended, given, warn } = partsOf(['sinks', 'kafka', 'engine', 'admin']);
    await abandonParts(parts, warn);
    expect(ended).toEqual(['watch', 'admin', 'engine', 'kafka', 'sinks']);
    expect(given).toMatchObject({ engine: expect.objectContaining({ aborted: true }), sinks: 0 });
  });

  it('has nothing to end when nothing is open', async () => {
    const { warn, messages } = partsOf([]);
    await abandonParts({}, warn);
    await stopParts({}, 10, EAGER_CLOCK, warn);
    expect(messages).toEqual([]);
  });
});
