import { describe, expect, it } from '@jest/globals';
import type { KafkaProducer, OutgoingMessage } from '../../src/kafka/port.js';
import { type DeadLetterOptions, DeadLetterTopic } from '../../src/service/dead-letters.js';
import type { DamagedMessage } from '../../src/service/message-reader.js';
import { until } from '../until.js';
import { EAGER_CLOCK, turn } from './engine-kit.js';

function damaged(offset: number, value = Buffer.from(`bad ${offset}`)): DamagedMessage {
  const origin = { input: { id: 0, name: 'audit/2', kind: 'kafka' as const }, line: 3, offset };
  const problem = (reason: 'not-json' | 'cut-line') => ({ reason, origin, detail: 'what is wrong '.repeat(50) });
  const problems = [problem('not-json'), problem('cut-line'), problem('not-json')];
  return { topic: 'audit', partition: 2, offset, value, problems, sender: { server: '', cluster: '' } };
}

function letters(more: Partial<DeadLetterOptions> = {}) {
  const sent: OutgoingMessage[] = [];
  const batches: number[] = [];
  const messages: string[] = [];
  const state = { broken: undefined as Error | undefined, closed: 0 };
  const producer: KafkaProducer = {
    async send(_, list) {
      if (state.broken !== undefined) throw state.broken;
      batches.push(list.length);
      sent.push(...list);
    },
    sendAtomically: async () => {},
    close: async () => {
      state.closed += 1;
    },
  };
  const clock = EAGER_CLOCK;
  const topic = new DeadLetterTopic({
    topic: 'dead',
    producer,
    clock,
    onMessage: (text) => messages.push(text),
    ...more,
  });
  return { topic, sent, batches, messages, state };
}

const live = () => new AbortController().signal;

describe('dead letters', () => {
  it('say why and where from in headers, and carry the message', async () => {
    const { topic, sent } = letters();
    topic.put(damaged(17));
    expect(await topic.settled(live())).toBe(true);
    expect(sent).toHaveLength(1);
    expect(String(sent[0]?.value)).toBe('bad 17');
    expect(sent[0]?.headers).toMatchObject({
      'skewscope-reason': 'not-json,cut-line',
      'skewscope-line': '3',
      'skewscope-topic': 'audit',
      'skewscope-partition': '2',
      'skewscope-offset': '17',
    });
    expect(String(sent[0]?.headers['skewscope-detail']).length).toBeLessThanOrEqual(300);
    await topic.stop();
  });

  it('hold a copy of the beginning of a large one, and not the memory of its batch', async () => {
    const { topic, sent } = letters();
    const batch = Buffer.alloc(4 * 2 ** 20, 'x');
    topic.put(damaged(1, batch.subarray(10)));
    batch.fill('y');
    await topic.settled(live());
    expect(sent[0]?.value).toHaveLength(512 * 1024);
    expect(String(sent[0]?.value.subarray(0, 3))).toBe('xxx');
    await topic.stop();
  });

  it('wait while the topic takes nothing, say so once, and make the topic when it is missing', async () => {
    let made = 0;
    const on = letters({
      ensure: async () => {
        made += 1;
        if (made > 2) on.state.broken = undefined;
      },
    });
    on.state.broken = new Error('unknown topic');
    for (let offset = 0; offset < 100; offset += 1) on.topic.put(damaged(offset));
    const settled = on.topic.settled(live());
    expect(await Promise.race([settled, turn(1).then(() => 'waits')])).toBe('waits');
    expect(await settled).toBe(true);
    expect(made).toBeGreaterThan(2);
    expect(on.messages).toHaveLength(1);
    expect(on.messages[0]).toMatch(/cannot be written to dead and wait: unknown topic/);
    expect(on.sent.map(({ headers }) => headers['skewscope-offset'])).toEqual(
      Array.from({ length: 100 }, (_, at) => String(at)),
    );
    expect(Math.max(...on.batches)).toBeLessThanOrEqual(64);
    await on.topic.stop();
  });

  it('are full when many bytes wait, and have room again when they are sent', async () => {
    const { topic, state } = letters();
    state.broken = new Error('away');
    for (let at = 0; at < 32; at += 1) topic.put(damaged(at, Buffer.alloc(600_000)));
    expect(topic.isFull).toBe(true);
    state.broken = undefined;
    await topic.settled(live());
    expect(topic.isFull).toBe(false);
    await topic.stop();
  });

  it('that are not sent at the end are not settled', async () => {
    const { topic, state } = letters();
    state.broken = new Error('away');
    topic.put(damaged(1));
    const waiting = topic.settled(live());
    const aborted = new AbortController();
    const given = topic.settled(aborted.signal);
    aborted.abort();
    expect(await given).toBe(false);
    await topic.stop();
    expect(await waiting).toBe(false);
    await until(() => state.closed === 1);
  });
});
