/** One resource for each apiserver. */
import { describe, expect, test } from '@jest/globals';
import { ServerResources } from '../../../src/outputs/otlp/resources.js';
import { server, T0 } from './examples.js';

const versions = [
  { version: 'v1.35.4', from: T0, to: T0 + 100 },
  { version: 'v1.36.3', from: T0 + 200, to: T0 + 300 },
];

describe('the resource of a server', () => {
  test('has the version that it ran then', () => {
    const resources = new ServerResources().update([server('cp1', { versions })]);
    const versionAt = (at: number) => resources.of('default', 'cp1', T0 + at).attributes['service.version'];
    expect([-5, 0, 150, 200, 900].map(versionAt)).toEqual(['v1.35.4', 'v1.35.4', 'v1.35.4', 'v1.36.3', 'v1.36.3']);
  });

  test('is the same object for the same facts, so that exporters put its spans together', () => {
    const resources = new ServerResources().update([server('cp1')]);
    expect(resources.of('default', 'cp1', T0)).toBe(resources.of('default', 'cp1', T0 + 1));
  });

  test('has a stable instance without an identity, another one for each cluster', () => {
    const instance = (cluster: string) =>
      new ServerResources().of(cluster, 'cp1', T0).attributes['service.instance.id'];
    expect(instance('a')).toBe(instance('a'));
    expect(instance('a')).not.toBe(instance('b'));
  });

  test('names the node only where the host name is known', () => {
    const resources = new ServerResources().update([server('audit', { knownBy: 'input name' }), server('cp1')]);
    expect(resources.of('default', 'audit', T0).attributes).not.toHaveProperty('k8s.node.name');
    expect(resources.of('default', 'cp1', T0).attributes['k8s.node.name']).toBe('cp1');
  });
});

describe('the endpoint of a server', () => {
  test.each([
    ['10.0.0.1:6443', { address: '10.0.0.1', port: 6443 }],
    ['[fd00::1]:6443', { address: 'fd00::1', port: 6443 }],
    ['cp1.example:443', { address: 'cp1.example', port: 443 }],
    ['fd00::1', { address: 'fd00::1', port: null }],
  ])('%s', (peerAddress, endpoint) => {
    const resources = new ServerResources().update([server('cp1', { peerAddress })]);
    expect(resources.endpointOf('default', 'cp1')).toEqual(endpoint);
  });

  test('is unknown for a stranger', () => {
    expect(new ServerResources().endpointOf('default', 'cp9')).toBeUndefined();
  });
});
