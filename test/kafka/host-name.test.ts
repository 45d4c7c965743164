import { expect, test } from '@jest/globals';
import { looksLikeHostName } from '../../src/kafka/host-name.js';

test.each([
  'cp-1',
  'cp1',
  'node1.example.org',
  'ip-10-0-3-7.ec2.internal',
  'kube-apiserver-cp1',
  'gke-prod-default-pool-3c5f7d5b-x9k2',
  'kube-apiserver-7d9f8b6c5d-x2x7q',
  'master',
  'MASTER-01',
  'cafe1',
  '10.0.0.7',
  'i-0abcd1234ef567890',
  'control-plane.europe-west.example.com.',
])('%s is a name', (key) => expect(looksLikeHostName(key)).toBe(true));

test.each([
  '',
  '12345',
  '10-20-30',
  '3f2504e0-4f89-11d3-9a0c-0305e82c3301',
  '3F2504E04F8911D39A0C0305E82C3301',
  'deadbeef01',
  '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  '01ARZ3NDEKTSV4RRFFQ69G5FAV',
  '0ujtsYcgvSTl8PAuAdqWYSMnLOv',
  '9m4e2mr0ui3e8a215n4g',
  '2026-11-30',
  '{"node":"cp-1"}',
  'cp 1',
  'cp_1/apiserver',
  'cp-1:6443',
  '-cp',
  '999.1.1.1',
  `${'a'.repeat(64)}.org`,
  'a.'.repeat(127).concat('a'),
  'n\u0000de',
  'knoten-ü',
])('%j is none', (key) => expect(looksLikeHostName(key)).toBe(false));
