/** The correlator asked in the middle, asked twice, and asked for single requests. */
import { describe, expect, test } from '@jest/globals';
import { reread } from '../../src/analysis/input-reader.js';
import { Correlator } from '../../src/correlate/correlator.js';
import { observationSchema } from '../../src/model/observations/index.js';
import type { Rec } from '../../src/model/record.js';
import {
  callError,
  cluster,
  decode,
  failsToLearn,
  inputsOf,
  learns,
  MIN,
  MS,
  observe,
  only,
  proxied,
  refOf,
  SEC,
  server,
  T0,
  type TestServer,
} from './kit.js';

function feedAll(correlator: Correlator, servers: readonly TestServer[], each: (at: number) => void = () => {}): void {
  const all = inputsOf(servers).flatMap(({ name, content }, id) => {
    const input = refOf(name, id);
    return decode(content, input).map((record: Rec) => ({
      record,
      input,
      time: 'timeUs' in record ? record.timeUs : 0,
    }));
  });
  for (const [at, { record, input }] of all.sort((a, b) => a.time - b.time).entries()) {
    correlator.take(record, input);
    each(at);
  }
}

function story(): TestServer[] {
  const servers = cluster(['cp1', 'cp2', 'cp3'], { until: T0 + 5 * MIN });
  const [cp1, cp2, cp3] = servers;
  if (cp1 === undefined || cp2 === undefined || cp3 === undefined) throw new Error('no servers');
  for (let at = 0; at < 10; at += 1) proxied(cp1, cp2, T0 + MIN + at * SEC, { code: at === 3 ? 404 : 200 });
  proxied(cp1, cp3, T0 + 2 * MIN, { verb: 'watch', stages: 'RSC', takes: MIN });
  cp1.request(T0 + 100 * SEC, { code: 503, auditID: 'failed', takes: 5 * MS });
  callError(cp1, T0 + 100 * SEC + 4 * MS, 'dial tcp 10.0.0.12:6443: connect: connection refused');
  failsToLearn(cp2, cp3, T0 + 150 * SEC, 'x509: certificate signed by unknown authority');
  cp3
    .request(T0 + 3 * MIN, { code: 404 })
    .request(T0 + 3 * MIN + SEC, { auditID: 'twice' })
    .request(T0 + 3 * MIN + 2 * SEC, { auditID: 'twice' });
  return servers;
}

describe('Correlator', () => {
  test('a snapshot in the middle changes nothing', () => {
    const [undisturbed, asked] = [new Correlator(reread), new Correlator(reread)];
    feedAll(undisturbed, story());
    feedAll(asked, story(), (at) => {
      if (at % 40 === 0) asked.snapshot();
    });
    expect(asked.snapshot()).toEqual(undisturbed.snapshot());
    undisturbed.end();
    asked.end();
    expect(asked.snapshot()).toEqual(undisturbed.snapshot());
    expect(asked.snapshot()).toEqual(asked.snapshot());
  });

  test('all observations are as their schemas say', () => {
    for (const observation of observe(story()).observations)
      expect(() => observationSchema.parse(observation)).not.toThrow();
    expect(new Set(observe(story()).observations.map(({ type }) => type)).size).toBeGreaterThan(8);
  });

  test('of nothing is a snapshot of nothing', () => {
    expect(new Correlator(reread).snapshot()).toMatchObject({
      window: null,
      servers: [],
      observations: [],
      proxied: { total: 0, failed: 0 },
    });
  });

  test('APIServices that one server makes and another deletes are told', () => {
    const [cp1, cp2] = [server('cp1', { version: 'v1.35.4' }).boots(T0), server('cp2').boots(T0)];
    const ref = {
      resource: 'apiservices',
      apiGroup: 'apiregistration.k8s.io',
      apiVersion: 'v1',
      name: 'v1.resource.k8s.io',
    };
    for (const at of [20, 30]) {
      cp2.loopback(T0 + at * SEC, 'create', '/apis/apiregistration.k8s.io/v1/apiservices', { ref, code: 201 });
      cp1.loopback(T0 + (at + 1) * SEC, 'delete', '/apis/apiregistration.k8s.io/v1/apiservices/x', { ref });
    }
    expect(only(observe([cp1, cp2]), 'apiservice-churn')).toMatchObject([
      {
        name: 'v1.resource.k8s.io',
        builtIn: true,
        creates: 2,
        deletes: 2,
        creators: ['cp2'],
        deleters: ['cp1'],
        versions: ['v1.35.4', 'v1.36.3'],
      },
    ]);
  });

  test('a lease given up is told until it is fetched again', () => {
    const [cp1, cp2] = [
      server('cp1').boots(T0, { until: T0 + 5 * MIN }),
      server('cp2').boots(T0, { until: T0 + 5 * MIN }),
    ];
    failsToLearn(cp1, cp2, T0 + 20 * SEC, 'x509: certificate signed by unknown authority');
    cp1.says(T0 + MIN, 'I', 'peer_discovery.go', `Dropping lease ${cp2.identity} out of the queue: failed`);
    expect(only(observe([cp1, cp2]), 'peer-discovery-dropped')).toMatchObject([
      { server: 'cp1', lease: cp2.identity, fetchedAgain: false },
    ]);
    learns(cp1, cp2, T0 + 2 * MIN);
    expect(only(observe([cp1, cp2]), 'peer-discovery-dropped')).toMatchObject([{ fetchedAgain: true }]);
  });
});
