import { describe, expect, test } from '@jest/globals';
import { LeaseBook } from '../../../src/correlate/identity/lease-book.js';
import { bootOf, readLoopback } from '../../../src/correlate/identity/loopback.js';
import { Writers } from '../../../src/correlate/writer.js';
import type { InputRef } from '../../../src/model/origin.js';
import { type DatedLine, events, MIN, refOf, SEC, server, T0 } from '../kit.js';

function read(lines: readonly DatedLine[], more: Partial<InputRef> = {}) {
  const writers = new Writers();
  const writer = writers.of({ ...refOf('audit.log'), ...more });
  const leases = new LeaseBook();
  for (const event of events(lines)) if (writer.own.isSender(event)) readLoopback(event, writer, writers, leases);
  return { writer, writers, leases };
}

describe('bootOf', () => {
  const cp1 = server('cp1').boots(T0, { until: T0 + MIN });
  const cp2 = server('cp2').boots(T0, { until: T0 + MIN });
  cp1.request(T0 + MIN);

  test('is the boot that any of the records tells', () => {
    expect(bootOf(events(cp1.audit))).toBe(cp1.uid);
    expect(bootOf(events(cp1.audit).reverse())).toBe(cp1.uid);
  });

  test('is unknown where none is told, or several are', () => {
    expect(bootOf([])).toBe('');
    expect(bootOf(events(cp1.audit).slice(-2))).toBe('');
    expect(bootOf(events([...cp1.audit, ...cp2.audit]))).toBe('');
  });
});

describe('readLoopback', () => {
  test('learns identity, version, start and the mark of a peer proxy', () => {
    const { writer } = read(server('cp1', { version: 'v1.35.4' }).boots(T0).audit);
    expect(writer.lives).toHaveLength(1);
    expect(writer.current).toMatchObject({ identity: server('cp1').identity, version: 'v1.35.4' });
    expect(writer.current.startSeenAt).toBeGreaterThan(T0);
    expect(writer.current.localDiscoveryAt).toBeGreaterThan(T0);
    expect(writer.leaseBodies).toBe(true);
    expect([...writer.binaries]).toEqual(['kube-apiserver']);
  });

  test('takes no version from a client library that was built without one', () => {
    const cp1 = server('cp1').boots(T0, { version: 'v0.0.0-master+$Format:%H$' });
    expect(read(cp1.audit).writer.current.version).toBe('');
  });

  test('sees no peer proxy where the server did not read its own discovery', () => {
    const { writer } = read(server('cp1').boots(T0, { peerProxy: false }).audit);
    expect(writer.current.localDiscoveryAt).toBe(0);
    expect(writer.current.loopbackNonResourceAt).toBeGreaterThan(0);
  });

  test('a new boot ID is a restart', () => {
    const cp1 = server('cp1')
      .boots(T0)
      .stops(T0 + 2 * MIN)
      .boots(T0 + 3 * MIN, { version: 'v1.37.2' });
    const { writer } = read(cp1.audit);
    expect(writer.lives.map((life) => life.version)).toEqual(['v1.36.3', 'v1.37.2']);
    expect(writer.lives[0]?.stoppedAt).toBeGreaterThan(T0 + 2 * MIN);
    expect(writer.lives[1]?.stoppedAt).toBe(0);
    expect(writer.mixed).toBe(false);
  });

  test('boot IDs that alternate are servers that write in turns', () => {
    const servers = [server('cp1').boots(T0), server('cp2').boots(T0 + SEC)];
    expect(read(servers.flatMap((s) => s.audit)).writer.mixed).toBe(true);
  });

  test('boot IDs that come back are one server where the user says so, and not where a sender is named', () => {
    const lines = [server('cp1').boots(T0), server('cp2').boots(T0 + SEC)].flatMap((s) => s.audit);
    expect(read([...lines, ...lines], { server: 'cp1' }).writer.mixed).toBe(false);
    expect(read([...lines, ...lines], { server: 'cp1', kind: 'kafka' }).writer.mixed).toBe(true);
  });

  test('one delete at the start is no stop, and a failed one later neither', () => {
    const cp1 = server('cp1').boots(T0);
    const { writer } = read(cp1.audit);
    expect(writer.current.stoppedAt).toBe(0);
  });
});
