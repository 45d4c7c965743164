import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { SenderRules } from '../../src/kafka/port.js';
import { type Labelled, senderReader } from '../../src/kafka/sender.js';

const RULES: SenderRules = { serverHeaders: [], clusterHeaders: [], key: 'ignore', topic: undefined };
const TOPIC = /^audit\.(?<cluster>[^.]+)\.(?<server>.+)$/;
const message = (key: string | null, headers: Labelled['headers'] = {}): Labelled => ({
  key: key === null ? null : Buffer.from(key),
  headers,
});
const read = (rules: Partial<SenderRules>, one: Labelled, topic = 'audit') =>
  senderReader({ ...RULES, ...rules }, topic).read(one);

test('headers are found whatever their case, the first that is not empty counts', () => {
  const rules = { serverHeaders: ['X-Node', 'host'], clusterHeaders: ['cluster'] };
  const headers = { 'x-NODE': Buffer.from(''), Host: 'cp-2', CLUSTER: [Buffer.from(''), Buffer.from('prod')] };
  expect(read(rules, message('cp-9', headers))).toEqual({ server: 'cp-2', cluster: 'prod' });
});

test('a key names the server when told so, or when it looks like one', () => {
  const uuid = '3f2504e0-4f89-11d3-9a0c-0305e82c3301';
  expect(read({ key: 'server' }, message(uuid)).server).toBe(uuid);
  expect(read({ key: 'auto' }, message(uuid)).server).toBe('');
  expect(read({ key: 'auto' }, message('cp-1')).server).toBe('cp-1');
  expect(read({ key: 'ignore' }, message('cp-1')).server).toBe('');
  expect(read({ key: 'server' }, message(null)).server).toBe('');
});

test('what is said counts before what is guessed', () => {
  const rules = { topic: TOPIC, serverHeaders: ['node'] };
  const topic = 'audit.prod.cp-1';
  expect(read({ ...rules, key: 'auto' }, message('cp-2'), topic)).toEqual({ server: 'cp-1', cluster: 'prod' });
  expect(read({ ...rules, key: 'server' }, message('cp-2'), topic).server).toBe('cp-2');
  expect(read({ ...rules, key: 'server' }, message('cp-2', { node: 'cp-3' }), topic).server).toBe('cp-3');
});

test('nothing is asked of messages when the topic tells all, or nothing does', () => {
  expect(senderReader({ ...RULES, topic: TOPIC, key: 'auto' }, 'audit.prod.cp-1').fixed?.server).toBe('cp-1');
  expect(senderReader(RULES, 'audit').fixed).toEqual({ server: '', cluster: '' });
  expect(senderReader({ ...RULES, key: 'auto' }, 'audit').fixed).toBeUndefined();
});

test('the same sender is the same object, and what is too long or no text names nobody', () => {
  const reader = senderReader({ ...RULES, key: 'server' }, 'audit');
  const first = reader.read(message('cp-1'));
  expect(reader.read(message('cp-2'))).not.toBe(first);
  expect(reader.read(message('cp-1'))).toBe(first);
  expect(reader.read(message('x'.repeat(254))).server).toBe('');
  expect(reader.read({ key: Buffer.from([0xff, 0xfe]) }).server).toBe('');
});

test('what can be the name of no host, node or pod names nobody', () => {
  const rules = { serverHeaders: ['node'], key: 'server' as const };
  const hostile = '<img src=x onerror=alert(1)>\u001b[31m"\n';
  for (const node of [hostile, 'a b', 'cp-1\n\tx', '\u00e9', '-cp', '{"a":1}'])
    expect(read(rules, message('cp-1', { node })).server).toBe('cp-1');
  for (const key of [hostile, 'K'.repeat(500_000), '{"node":"cp-1"}', '""'])
    expect(read(rules, message(key)).server).toBe('');
});

test.each([
  'cp_1.example.org',
  'kube-system/kube-apiserver-cp1',
  '10.0.0.7:6443',
  'fe80::1%eth0',
  'x'.repeat(253),
  'audit@CP1',
])('%s may be a name', (name) => {
  expect(read({ key: 'server' }, message(name)).server).toBe(name);
  // As JSON converters write a text.
  expect(read({ key: 'server' }, message(JSON.stringify(name))).server).toBe(name.length < 252 ? name : '');
});

test('a reader that has read others tells the same as a new one', () => {
  const keys = fc.array(fc.oneof(fc.constant(null), fc.constantFrom('cp-1', 'cp-2', '', 'DEADBEEF00'), fc.string()));
  fc.assert(
    fc.property(keys, fc.constantFrom('auto' as const, 'server' as const), (list, key) => {
      const reader = senderReader({ ...RULES, key }, 'audit');
      const servers = list.map((one) => reader.read(message(one)).server);
      expect(servers).toEqual(list.map((one) => read({ key }, message(one)).server));
    }),
  );
});
