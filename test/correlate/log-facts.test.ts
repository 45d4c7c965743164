import { describe, expect, test } from '@jest/globals';
import { LogFactBook } from '../../src/correlate/log-facts.js';
import { Writers } from '../../src/correlate/writer.js';
import { decode, MIN, refOf, SEC, server, T0, type TestServer, textOf } from './kit.js';

function read(source: TestServer) {
  const writers = new Writers();
  const writer = writers.of(refOf('cp1-kube-apiserver.log'));
  const book = new LogFactBook();
  for (const record of decode(textOf(source.log))) {
    if (record.type === 'flag') book.flag(record, book.lifeOf(record, writer, writers));
    if (record.type !== 'log') continue;
    const life = book.lifeOf(record, writer, writers);
    life.from = Math.min(life.from, record.timeUs);
    life.to = Math.max(life.to, record.timeUs);
    book.take(record, life);
  }
  return { book, writer, facts: book.of(writer.current) };
}

describe('LogFactBook', () => {
  test('reads version, address, peer proxy and flags from the head of a log', () => {
    const flags = {
      'peer-ca-file': '/pki/ca.crt',
      'audit-log-path': '/var/log/audit.log',
      'advertise-address': '10.0.0.99',
    };
    const { writer, facts } = read(server('cp1').boots(T0, { flags }));
    expect(writer.current.version).toBe('v1.36.3');
    expect(writer.apiserverLog).toBe(true);
    expect([...writer.ownAddresses].sort()).toEqual(['10.0.0.11', '10.0.0.99']);
    expect(facts.peerProxyAt).toBe(T0 + 1_410_000);
    expect(facts.flags.get('peer-ca-file')).toBe('/pki/ca.crt');
    expect(facts.flags.has('audit-log-path')).toBe(false);
    expect(facts.flagEvidence.get('peer-ca-file')?.list()[0]?.quote).toContain('--peer-ca-file="/pki/ca.crt"');
  });

  test('each Version line is another life', () => {
    const { writer } = read(
      server('cp1')
        .boots(T0)
        .stops(T0 + MIN)
        .boots(T0 + 2 * MIN, { version: 'v1.37.2' }),
    );
    expect(writer.lives.map((life) => [life.version, life.stoppedAt > 0])).toEqual([
      ['v1.36.3', true],
      ['v1.37.2', false],
    ]);
  });

  test('what is said right before the flags is of the same start', () => {
    const early = server('cp1').says(T0 - 2_000, 'I', 'feature_gate.go', '"Warning: a feature was queried early"');
    expect(read(early.boots(T0)).writer.lives.map(({ version, from }) => [version, from])).toEqual([
      ['v1.36.3', T0 - 2_000],
    ]);
    const before = server('cp1').says(T0 - 2 * SEC, 'I', 'trace.go', 'the last word of another start');
    expect(read(before.boots(T0)).writer.lives).toHaveLength(2);
  });

  test('a start that waits for its end has not ended', () => {
    const cp1 = server('cp1').boots(T0);
    cp1.says(T0 + 3 * SEC, 'I', 'genericapiserver.go', '[graceful-termination] waiting for shutdown to be initiated');
    expect(read(cp1).writer.current.stoppedAt).toBe(0);
    const event = '"[graceful-termination] shutdown event" name="ShutdownInitiated"';
    cp1.says(T0 + MIN, 'I', 'genericapiserver.go', event);
    expect(read(cp1).writer.current.stoppedAt).toBe(T0 + MIN);
  });

  test('flags before the Version line are those of the new life', () => {
    const { book, writer } = read(
      server('cp1')
        .boots(T0, { flags: { 'peer-ca-file': '' } })
        .boots(T0 + 2 * MIN, { flags: { 'peer-ca-file': '/pki/ca.crt' } }),
    );
    expect(writer.lives.map((life) => book.of(life).flags.get('peer-ca-file'))).toEqual(['', '/pki/ca.crt']);
  });

  test('a log that begins in the middle has a life without a version', () => {
    const cp1 = server('cp1')
      .says(T0, 'I', 'trace.go', 'something')
      .says(T0 + MIN, 'I', 'server.go', 'Version: v1.36.3');
    expect(read(cp1).writer.lives.map((life) => life.version)).toEqual(['', 'v1.36.3']);
  });

  test('knows its identity from the lease that it cleans up', () => {
    const cp1 = server('cp1');
    cp1.says(T0, 'I', 'controller.go', `"Deleting old lease on startup" lease="kube-system/${cp1.identity}"`);
    const { writer } = read(cp1);
    expect([...writer.identities]).toEqual([cp1.identity]);
    expect(writer.current.identity).toBe(cp1.identity);
  });

  test('knows which groups it serves', () => {
    const cp1 = server('cp1')
      .says(T0, 'I', 'handler.go', 'Adding GroupVersion apps v1 to ResourceManager')
      .says(T0, 'I', 'handler.go', 'Adding GroupVersion  v1 to ResourceManager')
      .says(T0, 'I', 'instance.go', 'API group "batch" is not enabled, skipping.');
    const { facts } = read(cp1);
    expect([...facts.groupVersionsOn]).toEqual(['apps/v1', 'v1']);
    expect([...facts.groupsOff]).toEqual(['batch']);
  });

  test.each([
    ['--peer-ca-file requires UnknownVersionInteroperabilityProxy feature to be turned on', '--peer-ca-file'],
    ['error building peer proxy handler, proxy-cert-file not specified', '--proxy-client-cert-file'],
    ['error building peer proxy handler, proxy-key-file not specified', '--proxy-client-key-file'],
    ['failed to create proxy transport: open /x: no such file or directory', '--peer-ca-file'],
    [
      'UnknownVersionInteroperabilityProxy feature requires StorageVersionAPI feature flag to be enabled',
      '--feature-gates',
    ],
  ])('a refused start: %s', (error, flag) => {
    const cp1 = server('cp1')
      .boots(T0, { until: T0 })
      .says(T0 + SEC, 'E', 'run.go', `"command failed" err="${error}"`);
    expect(read(cp1).book.refusals).toMatchObject([{ error, flag, timeUs: T0 + SEC }]);
  });

  test('another fatal error is no refusal', () => {
    const cp1 = server('cp1').says(T0, 'E', 'run.go', '"command failed" err="context deadline exceeded"');
    expect(read(cp1).book.refusals).toEqual([]);
  });

  test('tells its own end of a broken connection, but not loopback', () => {
    const line = (from: string) =>
      `[core] grpc: desc = "error reading from server: read tcp ${from}:50000->10.0.0.1:2379: EOF"`;
    const cp1 = server('cp1')
      .says(T0, 'W', 'logging.go', line('127.0.0.1'))
      .says(T0 + SEC, 'W', 'logging.go', line('10.0.0.11'));
    expect([...read(cp1).writer.localAddresses]).toEqual(['10.0.0.11']);
  });
});
