import { describe, expect, test } from '@jest/globals';
import { addressName, readTarget } from '../../../src/sources/webhook/sender.js';

describe('the path of a request', () => {
  test.each([
    ['/', '', ''],
    ['/?timeout=30s', '', ''],
    ['/audit/v1', '', ''],
    ['/audit/v1/cp-1?timeout=30s', '', 'cp-1'],
    ['/audit/v1/cp-1.example.org/', '', 'cp-1.example.org'],
    ['/audit/v1/prod_eu/cp-1', 'prod_eu', 'cp-1'],
    [`/audit/v1/${'a'.repeat(253)}`, '', 'a'.repeat(253)],
  ])('%s names cluster %p and server %p', (target, cluster, server) => {
    expect(readTarget(target)).toEqual({ cluster, server });
  });

  test.each([
    ['/audit/v1/-cp'],
    ['/audit/v1/cp.'],
    ['/audit/v1/a%2fb'],
    ['/audit/v1/../cp'],
    ['/audit/v1/prod/<b>'],
    [`/audit/v1/${'a'.repeat(254)}`],
  ])('%s holds no usable name', (target) => {
    expect(readTarget(target)).toMatchObject({
      status: 400,
      text: expect.stringContaining('/audit/v1/CLUSTER/SERVER'),
    });
  });

  test.each([['/metrics'], ['/audit/v2/a'], ['/audit/v1/a/b/c'], ['//audit/v1']])('%s is not served', (target) => {
    expect(readTarget(target)).toMatchObject({ status: 404 });
  });
});

test.each([
  ['::ffff:10.0.0.1', '10.0.0.1'],
  ['10.0.0.1', '10.0.0.1'],
  ['fe80::1%eth0', 'fe80::1'],
  [undefined, 'unknown'],
])('the address %p is written %p', (remote, name) => {
  expect(addressName(remote)).toBe(name);
});
