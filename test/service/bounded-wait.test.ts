import { describe, expect, it } from '@jest/globals';
import { endedWithin, unlessAborted } from '../../src/service/bounded-wait.js';

const never = new Promise<void>(() => {});

describe('what ends with the service', () => {
  it('is waited for as long as there is time, and told when there is none left', async () => {
    const messages: string[] = [];
    const say = (text: string) => messages.push(text);
    await endedWithin(10_000, Promise.resolve(), say);
    await endedWithin(10_000, undefined, say);
    expect(messages).toEqual([]);
    await endedWithin(5, never, say);
    expect(messages).toEqual([expect.stringMatching(/not answered yet, and is not waited for: .* the group waits/)]);
    await endedWithin(10_000, Promise.reject(new Error('socket closed')), say);
    expect(messages[1]).toBe('Kafka: ending: socket closed');
  });
});

describe('what is opened', () => {
  it('is waited for until the signal is aborted', async () => {
    const abort = new AbortController();
    const opening = unlessAborted(never, abort.signal);
    abort.abort(new Error('told to end'));
    await expect(opening).rejects.toThrow('told to end');
    await expect(unlessAborted(never, abort.signal)).rejects.toThrow('told to end');
    await unlessAborted(Promise.resolve(), new AbortController().signal);
    await unlessAborted(Promise.resolve(), undefined);
    await expect(unlessAborted(Promise.reject(new Error('no')), new AbortController().signal)).rejects.toThrow('no');
  });
});
