import { describe, expect, test } from '@jest/globals';
import { clientOf, isWrite, notFoundShape, Outcomes } from '../../../src/correlate/serving/outcomes.js';
import { Writers } from '../../../src/correlate/writer.js';
import { events, type RequestOptions, refOf, server, T0, UNKNOWN_TYPE } from '../kit.js';

const OBJECT_404 = {
  metadata: {},
  status: 'Failure',
  message: 'jobs.batch "x" not found',
  reason: 'NotFound',
  code: 404,
};
const NO_ENDPOINT = {
  status: 'Failure',
  message: 'Error getting ip and port info of the remote server while proxying',
  reason: 'ServiceUnavailable',
  code: 503,
};
const NOT_READY = {
  status: 'Failure',
  message: 'the request has been made before all known HTTP paths have been installed, please try again',
  reason: 'ServiceUnavailable',
  code: 503,
};

function outcomeOf(options: RequestOptions) {
  const outcomes = new Outcomes();
  const life = new Writers().of(refOf('cp1.log')).current;
  for (const event of events(server('cp1').request(T0, { stages: 'C', ...options }).audit))
    outcomes.take(event, life, 3);
  const [outcome] = outcomes.all();
  if (outcome === undefined) throw new Error('no outcome');
  return {
    served: outcome.served,
    bare: outcome.bare?.times.total ?? 0,
    unknownType: outcome.unknownType?.times.total ?? 0,
    object: outcome.objectNotFound,
    failed: outcome.failed?.times.total ?? 0,
    writes: outcome.failed?.writes ?? 0,
  };
}

const NONE = { served: 0, bare: 0, unknownType: 0, object: 0, failed: 0, writes: 0 };

describe('Outcomes', () => {
  test.each<[string, RequestOptions, Partial<typeof NONE>]>([
    ['200', {}, { served: 1 }],
    ['a 404 that names the object', { status: OBJECT_404 }, { served: 1, object: 1 }],
    ['a 404 without reason', { code: 404 }, { bare: 1 }],
    ['a 404 of an unknown type', { status: UNKNOWN_TYPE }, { unknownType: 1 }],
    ['403', { code: 403 }, {}],
    ['a bare 503', { code: 503 }, { failed: 1 }],
    ['a bare 503 of a write', { code: 503, verb: 'create' }, { failed: 1, writes: 1 }],
    ['503 without an endpoint', { status: NO_ENDPOINT }, { failed: 1 }],
    ['503 of a server that is not ready', { status: NOT_READY }, {}],
    ['a bare 504', { code: 504 }, { failed: 1 }],
    ['a bare 500', { code: 500 }, {}],
  ])('%s', (_, options, expected) => {
    expect(outcomeOf(options)).toEqual({ ...NONE, ...expected });
  });
});

test('notFoundShape tells three shapes', () => {
  const shapes = [{ code: 404 }, UNKNOWN_TYPE, OBJECT_404].map((status) => {
    const [event] = events(server('cp1').request(T0, { stages: 'C', status }).audit);
    return event === undefined ? '' : notFoundShape(event);
  });
  expect(shapes).toEqual(['bare', 'unknown-type', 'object']);
});

test('clients are named by their agent, else by their user', () => {
  expect(clientOf({ userAgent: 'kubectl/v1.36.3 (linux/amd64)', username: 'alice' })).toBe('kubectl/v1.36.3');
  expect(clientOf({ userAgent: '', username: 'alice' })).toBe('alice');
  expect(clientOf({ userAgent: '', username: '' })).toBe('(unknown)');
  expect(clientOf({ userAgent: 'x'.repeat(500), username: '' })).toHaveLength(120);
});

test('writes are what changes something', () => {
  expect(['create', 'update', 'patch', 'delete', 'deletecollection', 'get', 'list', 'watch'].map(isWrite)).toEqual([
    ...Array(5).fill(true),
    ...Array(3).fill(false),
  ]);
});
