/** The kit itself: what it writes is read as what it means. */
import { describe, expect, test } from '@jest/globals';
import { cluster, events, logLines, MIN, observe, only, proxied, server, T0 } from './kit.js';

describe('the kit', () => {
  test('writes audit events that the real decoder reads', () => {
    const cp1 = server('cp1').boots(T0);
    const all = events(cp1.audit);
    expect(all.length).toBe(cp1.audit.length);
    expect(all[0]).toMatchObject({ stage: 'RequestReceived', username: 'system:apiserver', requestURI: '/readyz' });
    expect(all.some((event) => event.requestObject !== undefined)).toBe(true);
  });

  test('writes klog lines that the real decoder reads', () => {
    const cp1 = server('cp1').boots(T0);
    expect(logLines(cp1.log).map((line) => [line.timeUs, line.file])).toContainEqual([T0, 'options.go']);
  });

  test('a healthy cluster is a healthy cluster', () => {
    const [cp1, cp2] = cluster(['cp1', 'cp2']);
    if (cp1 === undefined || cp2 === undefined) throw new Error('no servers');
    proxied(cp1, cp2, T0 + MIN);
    const snapshot = observe([cp1, cp2]);
    expect(snapshot.servers.map((s) => [s.name, s.addresses, s.peerProxy, s.knownBy])).toEqual([
      ['cp1', ['10.0.0.11'], 'active', 'own lease renewals'],
      ['cp2', ['10.0.0.12'], 'active', 'own lease renewals'],
    ]);
    expect(snapshot.discovery.map((cell) => cell.state)).toEqual(['ok', 'ok']);
    expect(snapshot.proxied).toMatchObject({ total: 1, failed: 0 });
    expect(only(snapshot, 'proxied-request')).toHaveLength(1);
  });
});
