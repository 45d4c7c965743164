/** A receiver that takes the message and never answers, of each kind: what waits is seen while the first attempt goes on. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createAlertmanager } from '../../../src/outputs/alerts/alertmanager/index.js';
import { createKafka } from '../../../src/outputs/alerts/kafka/index.js';
import { createPagerDuty } from '../../../src/outputs/alerts/pagerduty/index.js';
import { createSlack } from '../../../src/outputs/alerts/slack/index.js';
import { createWebhook } from '../../../src/outputs/alerts/webhook/index.js';
import { type Clock, systemClock } from '../../../src/outputs/delivery/clock.js';
import { Lanes } from '../../../src/outputs/delivery/lanes.js';
import type { DeliveryOptions } from '../../../src/outputs/delivery/reliable-output.js';
import { createReliableOutput } from '../../../src/outputs/delivery/reliable-output.js';
import { createOtlpOutput, otlpSettings } from '../../../src/outputs/otlp/index.js';
import type { Output } from '../../../src/outputs/output.js';
import { until } from '../../until.js';
import { batch, DELIVERED, FAILED, FakeSink, fastClock, findings } from './examples.js';
import { answer, HANG, Receiver } from './receiver.js';

let receiver: Receiver;
beforeEach(async () => {
  receiver = await Receiver.start(HANG);
});
afterEach(() => receiver.stop());

const TIMEOUT_MS = 400;
const HANGS = 'the receiver has not answered yet';
const FAILS = /^no answer within 0\.4 s/;

const KINDS: readonly [string, (target: { url: string }, delivery: Partial<DeliveryOptions>) => Output][] = [
  ['alertmanager', (target, delivery) => createAlertmanager({ targets: [target], delivery })],
  ['webhook', (target, delivery) => createWebhook({ target, delivery })],
  ['slack', (target, delivery) => createSlack({ target, delivery })],
  ['pagerduty', (target, delivery) => createPagerDuty({ target, routingKey: 'key', delivery })],
  [
    'kafka',
    (_, delivery) => {
      const connection = { produce: () => new Promise<never>(() => {}), close: async () => {} };
      return createKafka({ topic: 'findings', connection, delivery });
    },
  ],
  ['otlp', ({ url }) => createOtlpOutput(otlpSettings({ endpoint: url, timeoutMs: TIMEOUT_MS }, {}))],
];

describe.each(KINDS)('%s', (_, make) => {
  test('counts what is on its way, and fails when there was no answer in time', async () => {
    const output = make({ url: receiver.url }, { timeoutMs: TIMEOUT_MS, clock: systemClock });
    await output.open?.();
    const lanes = new Lanes([output], { clock: systemClock, onMessage: () => {}, gatherMs: 0 });
    const now = () => lanes.status()[0];
    expect(now()).toMatchObject({ waiting: 0, failure: '', isFailing: false });
    lanes.push(batch('opened', findings(4)));
    await until(() => (now()?.waiting ?? 0) > 0 && now()?.failure === HANGS);
    expect(now()?.isFailing).toBe(false);
    await until(() => now()?.isFailing === true);
    expect(now()?.failure).toMatch(FAILS);
    await lanes.finish(0);
  });
});

test('one of two replicas that hangs does not make the other wait for it', async () => {
  const well = await Receiver.start(answer(200));
  const targets = [{ url: receiver.url }, { url: well.url }];
  const clock: Clock = { ...systemClock, sleep: (ms, signal) => systemClock.sleep(ms / 20, signal) };
  const output = createAlertmanager({ targets, delivery: { clock } });
  try {
    const report = await output.deliver(batch('opened', findings(1)), AbortSignal.timeout(5_000));
    expect(report).toMatchObject({ delivered: 1, waiting: [] });
    expect(report.answer).toMatch(/: no answer, and another replica has it; .*HTTP 200/);
  } finally {
    await output.close();
    await well.stop();
  }
});

test('a receiver that is away when open findings are sent again is one that is not reached', async () => {
  const sink = new FakeSink(() => DELIVERED, 1, 60_000);
  const output = createReliableOutput(sink, { continuous: true, clock: fastClock() });
  expect(await output.deliver(batch('opened', findings(2)))).toMatchObject({ delivered: 2 });
  sink.answer = () => FAILED;
  const reason = 'open findings cannot be sent again: not now';
  await until(() => (output.waiting?.() ?? []).some((entry) => entry.failed === true && entry.reason === reason));
  sink.answer = () => DELIVERED;
  await until(() => (output.waiting?.() ?? []).every(({ failed }) => failed === undefined));
  await output.close();
});
