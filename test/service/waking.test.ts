import { expect, it } from '@jest/globals';
import { systemClock } from '../../src/outputs/delivery/clock.js';
import { Waking } from '../../src/service/waking.js';

const NEVER = new AbortController().signal;

it('ends when it is woken, when its time is over, or with the signal', async () => {
  const waking = new Waking();
  const woken = waking.sleep(60_000, systemClock, NEVER);
  waking.wake();
  await woken;
  await waking.sleep(1, systemClock, NEVER);
  await waking.sleep(60_000, systemClock, AbortSignal.abort());
  const ending = new AbortController();
  const ended = waking.sleep(60_000, systemClock, ending.signal);
  ending.abort();
  await ended;
});

it('is not woken for a sleep that begins later', async () => {
  const waking = new Waking();
  waking.wake();
  let over = false;
  const sleeping = waking.sleep(60_000, systemClock, NEVER).then(() => {
    over = true;
  });
  await new Promise((done) => setTimeout(done, 10));
  expect(over).toBe(false);
  waking.wake();
  await sleeping;
});
