/** What the garbage collector and the namespace controller did on wrong 404s, and what was none of their fault. */
import { describe, expect, test } from '@jest/globals';
import { cluster, JOBS, MIN, observe, only, type RequestOptions, SEC, T0, type TestServer } from '../kit.js';

const COLLECTOR: RequestOptions = {
  userAgent:
    'kube-controller-manager/v1.36.3 (linux/amd64) kubernetes/0123456/system:serviceaccount:kube-system:generic-garbage-collector',
  username: 'system:serviceaccount:kube-system:generic-garbage-collector',
};
const CONTROLLER: RequestOptions = {
  userAgent:
    'kube-controller-manager/v1.36.3 (linux/amd64) kubernetes/0123456/system:serviceaccount:kube-system:namespace-controller',
  username: 'system:serviceaccount:kube-system:namespace-controller',
};
const NIGHTLY = { ...JOBS, name: 'nightly' };
const SETTINGS = { resource: 'configmaps', namespace: 'shop', name: 'settings', apiVersion: 'v1' };
const POD_404 = { metadata: {}, status: 'Failure', message: 'pods "gone" not found', reason: 'NotFound', code: 404 };

/** cp1 lacks batch/v1; cp2 has it. */
function pair(): [TestServer, TestServer] {
  const [cp1, cp2] = cluster(['cp1', 'cp2']);
  if (cp1 === undefined || cp2 === undefined) throw new Error('no servers');
  cp2.request(T0 + 50 * SEC, { verb: 'create', ref: NIGHTLY, code: 201 });
  return [cp1, cp2];
}

function collected(servers: readonly TestServer[]) {
  return only(observe(servers, 'audit'), 'collected-after-not-found');
}

describe('the garbage collector', () => {
  test('deleted a dependent after a wrong 404 for its owner', () => {
    const [cp1, cp2] = pair();
    cp1.request(T0 + MIN, { ...COLLECTOR, verb: 'get', ref: NIGHTLY, code: 404 });
    cp1.request(T0 + MIN + SEC, { ...COLLECTOR, verb: 'delete', ref: SETTINGS });
    cp1.request(T0 + MIN + 2 * SEC, { ...COLLECTOR, verb: 'delete', ref: { ...SETTINGS, name: 'more' } });
    expect(collected([cp1, cp2])).toMatchObject([
      {
        server: 'cp1',
        count: 2,
        owners: [{ resource: 'jobs.batch/v1', namespace: 'shop', name: 'nightly' }],
        objects: [
          { resource: 'configmaps/v1', namespace: 'shop', name: 'more' },
          { resource: 'configmaps/v1', namespace: 'shop', name: 'settings' },
        ],
      },
    ]);
  });

  test('is recognised by its user where a client sets another agent', () => {
    const [cp1, cp2] = pair();
    const options = { ...COLLECTOR, userAgent: 'my-manager/1.0' };
    cp1.request(T0 + MIN, { ...options, verb: 'get', ref: NIGHTLY, code: 404 });
    cp1.request(T0 + MIN + SEC, { ...options, verb: 'delete', ref: SETTINGS });
    expect(collected([cp1, cp2])).toHaveLength(1);
  });

  test.each<[string, (cp1: TestServer, cp2: TestServer) => void]>([
    [
      'an owner that is really gone',
      (cp1) => {
        cp1.request(T0 + MIN, {
          ...COLLECTOR,
          verb: 'get',
          ref: { resource: 'pods', namespace: 'shop', name: 'gone', apiVersion: 'v1' },
          status: POD_404,
        });
        cp1.request(T0 + MIN + SEC, { ...COLLECTOR, verb: 'delete', ref: SETTINGS });
      },
    ],
    [
      'an ordinary lookup in between',
      (cp1) => {
        cp1.request(T0 + MIN, { ...COLLECTOR, verb: 'get', ref: NIGHTLY, code: 404 });
        cp1.request(T0 + MIN + SEC, {
          ...COLLECTOR,
          verb: 'get',
          ref: { resource: 'pods', namespace: 'shop', name: 'gone', apiVersion: 'v1' },
          status: POD_404,
        });
        cp1.request(T0 + MIN + 2 * SEC, { ...COLLECTOR, verb: 'delete', ref: SETTINGS });
      },
    ],
    [
      'a deletion before the lookup',
      (cp1) => {
        cp1.request(T0 + MIN, { ...COLLECTOR, verb: 'delete', ref: SETTINGS });
        cp1.request(T0 + MIN + SEC, { ...COLLECTOR, verb: 'get', ref: NIGHTLY, code: 404 });
      },
    ],
    [
      'a deletion in another namespace',
      (cp1) => {
        cp1.request(T0 + MIN, { ...COLLECTOR, verb: 'get', ref: NIGHTLY, code: 404 });
        cp1.request(T0 + MIN + SEC, { ...COLLECTOR, verb: 'delete', ref: { ...SETTINGS, namespace: 'other' } });
      },
    ],
    [
      'a deletion by somebody else',
      (cp1) => {
        cp1.request(T0 + MIN, { ...COLLECTOR, verb: 'get', ref: NIGHTLY, code: 404 });
        cp1.request(T0 + MIN + SEC, { verb: 'delete', ref: SETTINGS });
      },
    ],
    [
      'a 404 that the destination gave',
      (cp1, cp2) => {
        const status = {
          metadata: {},
          status: 'Failure',
          message: 'jobs.batch "nightly" not found',
          reason: 'NotFound',
          code: 404,
        };
        cp1.request(T0 + MIN, {
          ...COLLECTOR,
          auditID: 'relayed',
          verb: 'get',
          ref: NIGHTLY,
          code: 404,
          takes: 10_000,
        });
        cp2.request(T0 + MIN + 1000, {
          ...COLLECTOR,
          auditID: 'relayed',
          verb: 'get',
          ref: NIGHTLY,
          status,
          from: ['192.0.2.50', cp1.ip],
        });
        cp1.request(T0 + MIN + SEC, { ...COLLECTOR, verb: 'delete', ref: SETTINGS });
      },
    ],
  ])('did nothing wrong: %s', (_, play) => {
    const [cp1, cp2] = pair();
    play(cp1, cp2);
    expect(collected([cp1, cp2])).toEqual([]);
  });
});

describe('a namespace that was finalized', () => {
  function finalized(play: (cp1: TestServer) => void) {
    const [cp1, cp2] = pair();
    cp1.request(T0 + 50 * SEC, { code: 404 });
    cp1.request(T0 + 55 * SEC, { verb: 'create', ref: SETTINGS, code: 201 });
    cp1.request(T0 + MIN, {
      ...CONTROLLER,
      verb: 'deletecollection',
      ref: { resource: 'configmaps', namespace: 'shop', apiVersion: 'v1' },
    });
    play(cp1);
    cp1.request(T0 + 70 * SEC, {
      ...CONTROLLER,
      verb: 'update',
      ref: { resource: 'namespaces', namespace: 'shop', name: 'shop', apiVersion: 'v1', subresource: 'finalize' },
    });
    return only(observe([cp1, cp2], 'audit'), 'namespace-finalized');
  }

  test('left behind what the controller did not see', () => {
    expect(finalized(() => {})).toMatchObject([
      {
        server: 'cp1',
        namespace: 'shop',
        resources: ['jobs.batch/v1'],
        objects: [{ name: 'nightly', resource: 'jobs.batch/v1' }],
      },
    ]);
  });

  test.each<[string, (cp1: TestServer) => void]>([
    [
      'the resource was collected',
      (cp1) => cp1.request(T0 + 65 * SEC, { ...CONTROLLER, verb: 'deletecollection', ref: JOBS }),
    ],
    [
      'the resource was listed and empty',
      (cp1) => cp1.request(T0 + 65 * SEC, { ...CONTROLLER, verb: 'list', ref: JOBS }),
    ],
    ['the object was deleted before', (cp1) => cp1.request(T0 + 65 * SEC, { verb: 'delete', ref: NIGHTLY })],
  ])('left nothing behind: %s', (_, play) => {
    expect(finalized((cp1) => play(cp1))).toEqual([]);
  });
});

test('clients that ask for a group and version which only a peer serves are told', () => {
  const [cp1, cp2] = pair();
  for (const at of [0, 1])
    cp1.request(T0 + MIN + at * SEC, {
      verb: 'get',
      uri: '/apis/batch/v1?timeout=32s',
      ref: null,
      code: 404,
      userAgent: 'old-tool/1.0 (linux)',
    });
  cp1.request(T0 + MIN, { verb: 'get', uri: '/apis/nosuch.example/v1', ref: null, code: 404 });
  expect(only(observe([cp1, cp2], 'audit'), 'legacy-discovery')).toMatchObject([
    { server: 'cp1', client: 'old-tool/1.0', groupVersions: ['batch/v1'], count: 2 },
  ]);
});
