/** Routes from the grammar of Kubernetes URLs. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { routeOf } from '../../../src/outputs/otlp/route.js';

describe('routeOf', () => {
  test.each([
    ['/api/v1/namespaces/team-a/pods/web-0/log', '/api/v1/namespaces/{namespace}/pods/{name}/log'],
    ['/api/v1/namespaces/team-a/pods/web-0', '/api/v1/namespaces/{namespace}/pods/{name}'],
    ['/api/v1/namespaces/team-a/pods', '/api/v1/namespaces/{namespace}/pods'],
    ['/api/v1/pods', '/api/v1/pods'],
    ['/api/v1/namespaces', '/api/v1/namespaces'],
    ['/api/v1/namespaces/team-a', '/api/v1/namespaces/{name}'],
    ['/api/v1/namespaces/team-a/finalize', '/api/v1/namespaces/{name}/finalize'],
    ['/api/v1/namespaces/team-a/status', '/api/v1/namespaces/{name}/status'],
    ['/api/v1/nodes/node-1/status', '/api/v1/nodes/{name}/status'],
    ['/api/v1/nodes/node-1/proxy/metrics/cadvisor', '/api/v1/nodes/{name}/proxy/{path}'],
    ['/api/v1/namespaces/x/services/https:web:443/proxy', '/api/v1/namespaces/{namespace}/services/{name}/proxy'],
    ['/api/v1/namespaces/x/services/web/proxy/a/b', '/api/v1/namespaces/{namespace}/services/{name}/proxy/{path}'],
    ['/api/v1/watch/namespaces/x/pods', '/api/v1/watch/namespaces/{namespace}/pods'],
    ['/api/v1/proxy/nodes/x/logs', '/api/v1/proxy/{path}'],
    ['/apis/batch/v1/namespaces/x/jobs/', '/apis/batch/v1/namespaces/{namespace}/jobs'],
    ['/apis/batch/v1/namespaces/x/jobs/y/status', '/apis/batch/v1/namespaces/{namespace}/jobs/{name}/status'],
    [
      '/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicies/p',
      '/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicies/{name}',
    ],
    ['/apis/resource.k8s.io/v1beta2/deviceclasses', '/apis/resource.k8s.io/v1beta2/deviceclasses'],
    ['/apis/batch/v1', '/apis/batch/v1'],
    ['/apis/batch', '/apis/batch'],
    ['/apis', '/apis'],
    ['/api', '/api'],
    ['/api/v1', '/api/v1'],
    ['/apis/example.com/v7/widgets/x', '/apis/{group}/v7/{resource}/{name}'],
    ['/apis/batch/vX/jobs', '/apis/batch/{version}/jobs'],
    ['/apis/batch/v1/namespaces/x/jobs/y/odd', '/apis/batch/v1/namespaces/{namespace}/jobs/{name}/{subresource}'],
    ['/readyz', '/readyz'],
    ['/readyz/poststarthook/rbac', '/readyz/{check}'],
    ['/metrics/slis', '/metrics/slis'],
    ['/openapi/v3/apis/batch/v1', '/openapi/v3/{path}'],
    ['/openapi/v2', '/openapi/v2'],
    ['/.well-known/openid-configuration', '/.well-known/openid-configuration'],
    ['/debug/pprof/heap', '/debug/{path}'],
  ])('%s is %s', (path, route) => {
    expect(routeOf(path)).toBe(route);
  });

  test.each([
    '',
    '*',
    '/',
    'api/v1/pods',
    '/.env',
    '/wp-login.php',
    '/metrics/other',
    '/api/v1/pods/x/y/z',
    `/api/v1/${'x'.repeat(9_000)}`,
  ])('%.40s has none', (path) => {
    expect(routeOf(path)).toBeUndefined();
  });

  test('takes nothing from the path but known words, whatever the path is', () => {
    const known = /^(\/[a-z0-9.-]+|\/\{[a-z]+\})+$/;
    const piece = fc.oneof(fc.string(), fc.constantFrom('api', 'apis', 'v1', 'batch', 'namespaces', 'jobs', 'proxy'));
    const seen = new Set<string>();
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 9 }), fc.string({ minLength: 6 }), (pieces, odd) => {
        const route = routeOf(`/${pieces.join('/')}/${odd}`);
        if (route === undefined) return;
        seen.add(route);
        expect(route).toMatch(known);
        expect(route.includes(odd) && !/^[a-z]+$/.test(odd)).toBe(false);
      }),
      { numRuns: 2_000 },
    );
    expect(seen.size).toBeLessThan(400);
  });
});
