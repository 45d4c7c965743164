import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { pagerDutyBody } from '../../../src/outputs/alerts/pagerduty/body.js';
import { createPagerDuty } from '../../../src/outputs/alerts/pagerduty/index.js';
import { makeFolder } from '../../sources/folder.js';
import { batch, finding, findings, within } from '../delivery/examples.js';
import { answer, Receiver } from '../delivery/receiver.js';
import { notice } from './examples.js';

const KEY = 'R0UT1NGK3Y0000000000000000000000';
let receiver: Receiver;
beforeEach(async () => {
  receiver = await Receiver.start(answer(202, '{"status":"success"}'));
});
afterEach(() => receiver.stop());

test('a trigger holds what the API asks for', () => {
  expect(JSON.parse(pagerDutyBody(notice(), KEY))).toMatchObject({
    routing_key: KEY,
    event_action: 'trigger',
    dedup_key: 'skewscope-0123456789abcdef',
    payload: {
      summary: 'cp1 does not trust the serving certificate of cp2',
      source: 'cp1',
      severity: 'critical',
      timestamp: '2026-01-05T03:04:05.000000Z',
      component: 'kube-apiserver',
      group: 'default',
      class: 'peer-ca-untrusted',
    },
  });
});

test('an end holds the key alone', () => {
  expect(JSON.parse(pagerDutyBody(notice({ kind: 'resolved' }), KEY))).toEqual({
    routing_key: KEY,
    event_action: 'resolve',
    dedup_key: 'skewscope-0123456789abcdef',
  });
});

test('stays within the limits of the API', () => {
  const long = '"\\\u0000ü'.repeat(100_000);
  const huge = findings(200, () => ({
    summary: long,
    meaning: long,
    cause: long,
    fix: long,
    verify: long,
    server: long,
  }));
  const body = pagerDutyBody(notice({ scope: 'cause' }, huge), KEY);
  expect(Buffer.byteLength(body)).toBeLessThan(512 * 1024);
  const { dedup_key: key, payload } = JSON.parse(body);
  expect(key.length).toBeLessThanOrEqual(255);
  expect(payload.summary.length).toBeLessThanOrEqual(1024);
});

test('one incident for each cause: every update and the end have its key', async () => {
  const output = createPagerDuty({ routingKey: KEY, target: { url: receiver.url } });
  const all = findings(20);
  await output.deliver(batch('opened', all.slice(0, 12)), within(5_000));
  await output.deliver(batch('opened', all.slice(12), all), within(5_000));
  await output.deliver(batch('resolved', all), within(5_000));
  await output.close();
  const events = receiver.requests.map(({ body }) => JSON.parse(body));
  expect(events.map(({ event_action: action }) => action)).toEqual(['trigger', 'trigger', 'resolve']);
  expect(new Set(events.map(({ dedup_key: key }) => key)).size).toBe(1);
});

test('the routing key is in no name, reason or file', async () => {
  const folder = makeFolder();
  receiver.behaviour = answer(400, `invalid routing key ${KEY}`);
  const delivery = { folder: `${folder.path}/pd` };
  const output = createPagerDuty({ routingKey: KEY, target: { url: receiver.url }, delivery });
  const report = await output.deliver(batch('opened', [finding()]), within(5_000));
  await output.close();
  expect(report.refused[0]?.reason).toBe('HTTP 400: invalid routing key ***');
  expect(output.name).not.toContain(KEY);
  for (const file of ['refused.ndjson', 'notified.ndjson']) {
    expect(readFileSync(`${folder.path}/pd/${file}`, 'utf8')).not.toContain(KEY);
  }
  folder.drop();
});

test('an incident of an earlier process that nobody sees any more is resolved once all has been read', async () => {
  const folder = makeFolder();
  const open = () =>
    createPagerDuty({ routingKey: KEY, target: { url: receiver.url }, delivery: { folder: folder.path } });
  const before = open();
  await before.deliver(batch('opened', [finding()]), within(5_000));
  await before.close();
  const after = open();
  await after.deliver(batch('opened', []), within(5_000));
  expect(receiver.requests).toHaveLength(1);
  await after.deliver({ ...batch('opened', []), complete: true }, within(5_000));
  await after.close();
  const [trigger, end] = receiver.requests.map(({ body }) => JSON.parse(body));
  expect(end).toEqual({ routing_key: KEY, event_action: 'resolve', dedup_key: trigger.dedup_key });
  folder.drop();
});
