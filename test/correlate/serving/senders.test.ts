import { expect, test } from '@jest/globals';
import { Senders } from '../../../src/correlate/serving/senders.js';
import { events, SEC, server, T0 } from '../kit.js';

test('an address from which only what others had asked came is a forwarder, whatever the order', () => {
  const cp1 = server('cp1');
  for (const [at, from] of [
    ['192.0.2.1', '10.0.0.9'],
    ['192.0.2.1', '10.0.0.8'],
    ['10.0.0.8'],
    ['192.0.2.1'],
  ].entries())
    cp1.request(T0 + at * SEC, { from });
  const all = events(cp1.audit);
  for (const list of [all, [...all].reverse()]) {
    const senders = new Senders();
    for (const event of list) senders.take(event);
    expect([...senders.forwarders()]).toEqual(['10.0.0.9']);
  }
});

test('addresses beyond the limit are counted, not kept', () => {
  const [event] = events(server('cp1').request(T0, { from: ['192.0.2.1', '10.0.0.9'], stages: 'C' }).audit);
  if (event === undefined) throw new Error('no event');
  const senders = new Senders();
  for (let n = 0; n < 20_002; n += 1) senders.take({ ...event, sourceIPs: `192.0.2.1,${n}` });
  expect([...senders.forwarders()]).toHaveLength(20_000);
  expect(senders.overflow).toBe(2);
});
