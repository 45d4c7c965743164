/** What the clients of a busy control plane of some fifty nodes ask for, and how often. */
import { deployment, pod } from './bodies.js';
import { administrator, component, kubelet, loopback, serviceAccount } from './clients.js';
import { notFound } from './event.js';
import { HOLE } from './template.js';

/** @typedef {import('./event.js').Call} Call */
/** @typedef {import('./servers.js').Server} Server */

/**
 * @typedef {object} Kind
 * @property {number} weight share of requests, relative to the other kinds
 * @property {readonly [number, number]} ms how long the request takes
 * @property {number} spread how many values HOLE.number takes
 * @property {(server: Server) => Call[]} calls variants, each as likely; may differ by server
 */

const NODES = 50;
const NUMBER = HOLE.number;
const LEASES = { apiGroup: 'coordination.k8s.io', apiVersion: 'v1' };
const LEASE_URI = '/apis/coordination.k8s.io/v1/namespaces';
/** A type that the new minor serves and the old one does not. */
const NEW_TYPE = { resource: 'mutatingadmissionpolicies', apiGroup: 'admissionregistration.k8s.io', apiVersion: 'v1' };
const NEW_URI = '/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicies';
const WATCH = 'allowWatchBookmarks=true&resourceVersion=81234567&timeout=9m5s&timeoutSeconds=545&watch=true';

/** @type {readonly Kind[]} */
export const TRAFFIC = [
  { weight: 26, ms: [2, 12], spread: 1, calls: () => kubelets((k) => nodeLease(k)) },
  { weight: 4, ms: [3, 20], spread: 1, calls: () => kubelets((k) => nodeStatus(k)) },
  { weight: 6, ms: [4, 30], spread: 3000, calls: () => kubelets((k) => podStatus(k)) },
  { weight: 6, ms: [3, 20], spread: 3000, calls: () => kubelets((k) => coreEvent(k)) },
  { weight: 16, ms: [1, 10], spread: 1, calls: () => ['get', 'update'].flatMap(leaderLeases) },
  { weight: 6, ms: [300_000, 600_000], spread: 1, calls: () => watches() },
  { weight: 6, ms: [20, 400], spread: 1, calls: () => lists() },
  { weight: 9, ms: [1, 8], spread: 500, calls: () => [configMap(200, {})] },
  {
    weight: 1.5,
    ms: [1, 8],
    spread: 99_999,
    calls: () => [configMap(404, notFound('configmaps', '', `settings-${NUMBER}`))],
  },
  { weight: 5, ms: [1, 6], spread: 1, calls: () => reviews() },
  { weight: 3, ms: [1, 4], spread: 1, calls: () => probes() },
  { weight: 1, ms: [1, 6], spread: 1, calls: () => discovery() },
  { weight: 4, ms: [1, 5], spread: 1, calls: (server) => ownReads(server) },
  { weight: 2.5, ms: [5, 60], spread: 200, calls: () => [applyDeployment(2), applyDeployment(6)] },
  { weight: 0.8, ms: [5, 60], spread: 3000, calls: () => [createPod(1), createPod(3), createPod(8)] },
  { weight: 0.4, ms: [1, 3], spread: 1, calls: () => [absentType()] },
];

/** Requests that reach the old server and are passed on to a new one. */
export const PROXIED = {
  /** Share of all requests when there is more than one server. */
  share: 0.004,
  /** @type {readonly [number, number]} */
  ms: [6, 40],
  spread: 40,
  /** @returns {Call[]} */
  calls() {
    const get = { ...administrator(), verb: 'get', uri: `${NEW_URI}/limits-${NUMBER}` };
    const { resource, ...groupVersion } = NEW_TYPE;
    const ref = { resource, name: `limits-${NUMBER}`, ...groupVersion };
    return [
      { ...administrator(), verb: 'list', uri: `${NEW_URI}?limit=500`, ref: NEW_TYPE },
      { ...component('kube-controller-manager', 'system'), verb: 'list', uri: NEW_URI, ref: NEW_TYPE },
      { ...get, ref },
      { ...get, ref, code: 404, status: notFound(resource, groupVersion.apiGroup, `limits-${NUMBER}`) },
    ];
  },
};

/** @param {(client: ReturnType<typeof kubelet>) => Call} call @returns {Call[]} */
function kubelets(call) {
  return Array.from({ length: NODES }, (_, i) => call(kubelet(i)));
}

/** @param {ReturnType<typeof kubelet>} client @returns {Call} */
function nodeLease({ node, ...client }) {
  return {
    ...client,
    verb: 'update',
    uri: `${LEASE_URI}/kube-node-lease/leases/${node}?timeout=10s`,
    ref: { resource: 'leases', namespace: 'kube-node-lease', name: node, ...LEASES },
  };
}

/** @param {ReturnType<typeof kubelet>} client @returns {Call} */
function nodeStatus({ node, ...client }) {
  return {
    ...client,
    verb: 'patch',
    uri: `/api/v1/nodes/${node}/status?timeout=10s`,
    ref: { resource: 'nodes', name: node, apiVersion: 'v1', subresource: 'status' },
  };
}

/** @param {ReturnType<typeof kubelet>} client @returns {Call} */
function podStatus({ node: _, ...client }) {
  const name = `web-7d9f8b6c4d-${NUMBER}`;
  return {
    ...client,
    verb: 'patch',
    uri: `/api/v1/namespaces/shop/pods/${name}/status`,
    ref: { resource: 'pods', namespace: 'shop', name, apiVersion: 'v1', subresource: 'status' },
  };
}

/** @param {ReturnType<typeof kubelet>} client @returns {Call} */
function coreEvent({ node: _, ...client }) {
  return {
    ...client,
    verb: 'create',
    uri: '/api/v1/namespaces/shop/events',
    ref: { resource: 'events', namespace: 'shop', apiVersion: 'v1' },
    createdName: `web-7d9f8b6c4d-${NUMBER}.${HOLE.hex}`,
    code: 201,
  };
}

/** @param {string} verb @returns {Call[]} */
function leaderLeases(verb) {
  return ['kube-controller-manager', 'kube-scheduler'].map((name) => ({
    ...component(name, 'leader-election'),
    verb,
    uri: `${LEASE_URI}/kube-system/leases/${name}?timeout=5s`,
    ref: { resource: 'leases', namespace: 'kube-system', name, ...LEASES },
  }));
}

/** @returns {Call[]} */
function watches() {
  const types = [
    ['/api/v1', 'pods', ''],
    ['/api/v1', 'configmaps', ''],
    ['/api/v1', 'services', ''],
    ['/apis/apps/v1', 'deployments', 'apps'],
    ['/apis/batch/v1', 'jobs', 'batch'],
    ['/apis/discovery.k8s.io/v1', 'endpointslices', 'discovery.k8s.io'],
  ];
  return types.flatMap(([path = '', resource = '', apiGroup = '']) =>
    [
      component('kube-controller-manager', 'shared-informers'),
      serviceAccount('monitoring', 'prometheus', 'Prometheus/3.2.1', '10.20.4.17'),
    ].map((client) => ({
      ...client,
      verb: 'watch',
      long: true,
      uri: `${path}/${resource}?${WATCH}`,
      ref: apiGroup === '' ? { resource, apiVersion: 'v1' } : { resource, apiGroup, apiVersion: 'v1' },
    })),
  );
}

/** @returns {Call[]} */
function lists() {
  const client = serviceAccount(
    'shop',
    'operator',
    'shop-operator/v0.9.1 (linux/amd64) kubernetes/$Format',
    '10.20.4.33',
  );
  return ['pods', 'services', 'secrets', 'persistentvolumeclaims'].map((resource) => ({
    ...client,
    verb: 'list',
    uri: `/api/v1/namespaces/shop/${resource}?labelSelector=app.kubernetes.io%2Fpart-of%3Dshop&limit=500`,
    ref: { resource, namespace: 'shop', apiVersion: 'v1' },
  }));
}

/** @param {number} code @param {Record<string, unknown>} status @returns {Call} */
function configMap(code, status) {
  const name = `settings-${NUMBER}`;
  return {
    ...serviceAccount('shop', 'operator', 'shop-operator/v0.9.1 (linux/amd64) kubernetes/$Format', '10.20.4.33'),
    verb: 'get',
    uri: `/api/v1/namespaces/shop/configmaps/${name}`,
    ref: { resource: 'configmaps', namespace: 'shop', name, apiVersion: 'v1' },
    code,
    status,
  };
}

/** @returns {Call[]} */
function reviews() {
  const client = serviceAccount('monitoring', 'prometheus', 'kube-rbac-proxy/v0.19.1', '10.20.4.17');
  return [
    ['authentication.k8s.io', 'tokenreviews'],
    ['authorization.k8s.io', 'subjectaccessreviews'],
  ].map(([apiGroup = '', resource = '']) => ({
    ...client,
    verb: 'create',
    uri: `/apis/${apiGroup}/v1/${resource}`,
    ref: { resource, apiGroup, apiVersion: 'v1' },
    code: 201,
  }));
}

/** @returns {Call[]} */
function probes() {
  return ['/livez', '/readyz'].map((uri) => ({
    user: { username: 'system:anonymous', groups: ['system:unauthenticated'] },
    userAgent: 'kube-probe/1.35',
    sourceIPs: ['10.20.0.1'],
    verb: 'get',
    uri,
    reason:
      'RBAC: allowed by ClusterRoleBinding "system:public-info-viewer" of ClusterRole "system:public-info-viewer"',
  }));
}

/** @returns {Call[]} */
function discovery() {
  return ['/api?timeout=32s', '/apis?timeout=32s', '/openapi/v3?timeout=32s', '/version?timeout=32s'].map((uri) => ({
    ...administrator(),
    verb: 'get',
    uri,
  }));
}

/** @param {Server} server @returns {Call[]} */
function ownReads(server) {
  return ['namespaces/default', 'namespaces/default/services/kubernetes', 'namespaces/kube-system'].map((path) => {
    const [, namespace = '', resource = '', name = ''] = path.split('/');
    const ref =
      resource === ''
        ? { resource: 'namespaces', namespace, name: namespace, apiVersion: 'v1' }
        : { resource, namespace, name, apiVersion: 'v1' };
    return { ...loopback(server), verb: 'get', uri: `/api/v1/${path}`, ref };
  });
}

/** @param {number} containers @returns {Call} */
function applyDeployment(containers) {
  const name = `web-${NUMBER}`;
  const body = deployment('shop', name, containers);
  return {
    ...serviceAccount('argocd', 'argocd-application-controller', 'argocd/v3.1.0', '10.20.4.17'),
    verb: 'patch',
    uri: `/apis/apps/v1/namespaces/shop/deployments/${name}?fieldManager=argocd-controller&force=true`,
    ref: { resource: 'deployments', namespace: 'shop', name, apiGroup: 'apps', apiVersion: 'v1' },
    request: body,
    response: body,
  };
}

/** @param {number} containers @returns {Call} */
function createPod(containers) {
  const body = pod('shop', `web-7d9f8b6c4d-${NUMBER}`, containers);
  return {
    ...component('kube-controller-manager', 'replicaset-controller'),
    verb: 'create',
    uri: '/api/v1/namespaces/shop/pods',
    ref: { resource: 'pods', namespace: 'shop', apiVersion: 'v1' },
    createdName: `web-7d9f8b6c4d-${NUMBER}`,
    code: 201,
    request: body,
    response: body,
  };
}

/** A type that nobody serves: the bare 404 of an unknown group. @returns {Call} */
function absentType() {
  return {
    ...component('kube-controller-manager', 'horizontal-pod-autoscaler'),
    verb: 'list',
    uri: '/apis/metrics.k8s.io/v1beta1/namespaces/shop/pods',
    ref: { resource: 'pods', namespace: 'shop', apiGroup: 'metrics.k8s.io', apiVersion: 'v1beta1' },
    code: 404,
  };
}
