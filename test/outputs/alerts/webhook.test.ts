import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { cloudEvent } from '../../../src/outputs/alerts/webhook/cloud-event.js';
import { createWebhook } from '../../../src/outputs/alerts/webhook/index.js';
import { signatureHeaders } from '../../../src/outputs/alerts/webhook/signature.js';
import { batch, findings, within } from '../delivery/examples.js';
import { Receiver } from '../delivery/receiver.js';
import { notice } from './examples.js';

let receiver: Receiver;
beforeEach(async () => {
  receiver = await Receiver.start();
});
afterEach(() => receiver.stop());

test('a CloudEvent: required attributes, and the finding with the fields of the JSON result', () => {
  expect(cloudEvent(notice({ counter: 3, kind: 'resolved' }))).toMatchObject({
    specversion: '1.0',
    id: '0123456789abcdef-3',
    source: '/skewscope/clusters/default',
    type: 'skewscope.finding.resolved',
    subject: 'peer-ca-untrusted cp1 → cp2',
    time: '2026-01-05T12:00:00.000000Z',
    datacontenttype: 'application/json',
    data: {
      state: 'resolved',
      cluster: 'default',
      severity: 'critical',
      since: '2026-01-05T03:04:05.000000Z',
      total: 1,
      findings: [{ cluster: 'default', rule: 'peer-ca-untrusted', from: '2026-01-05T03:04:05.000000Z', count: 3 }],
    },
  });
});

test('one event for each finding, with a signature that can be verified', async () => {
  const output = createWebhook({ target: { url: `${receiver.url}/x` }, signingKey: 'the key' });
  await output.deliver(batch('opened', findings(2)), within(5_000));
  await output.close();
  expect(receiver.requests.length).toBe(2);
  for (const { body, headers } of receiver.requests) {
    expect(headers['content-type']).toBe('application/cloudevents+json; charset=UTF-8');
    expect(headers['webhook-id']).toBe(JSON.parse(body).id);
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
    const signature = createHmac('sha256', 'the key').update(signed).digest('base64');
    expect(headers['webhook-signature']).toBe(`v1,${signature}`);
    expect(Math.abs(Number(headers['webhook-timestamp']) - Date.now() / 1000)).toBeLessThan(60);
  }
});

test('signatures agree with the published example of Standard Webhooks', () => {
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const headers = signatureHeaders(secret, 'msg_p5jXN8AQM9LWM0D4loKWxJek', '{"test": 2432232314}', 1614265330_000);
  expect(headers['webhook-signature']).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
});

test('without a key there is no signature', async () => {
  const output = createWebhook({ target: { url: receiver.url } });
  await output.deliver(batch('opened', findings(1)), within(5_000));
  await output.close();
  expect(Object.keys(receiver.requests[0]?.headers ?? {}).filter((name) => name.startsWith('webhook'))).toEqual([]);
});
