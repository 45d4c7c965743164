/** Request and response bodies of 1 to 20 KB, as policies of level RequestResponse record them. */
import { HOLE } from './template.js';

/**
 * An identity lease as its server writes it.
 * @param {import('./servers.js').Server} server
 */
export function identityLease(server) {
  return {
    kind: 'Lease',
    apiVersion: 'coordination.k8s.io/v1',
    metadata: {
      name: server.identity,
      namespace: 'kube-system',
      uid: server.uid,
      creationTimestamp: '2026-03-14T08:59:00Z',
      labels: { 'apiserver.kubernetes.io/identity': 'kube-apiserver', 'kubernetes.io/hostname': server.name },
      annotations: { 'kubernetes.io/peer-advertise-address': `${server.ip}:6443` },
      managedFields: [
        {
          manager: `kube-apiserver-${server.version}`,
          operation: 'Update',
          apiVersion: 'coordination.k8s.io/v1',
          time: '2026-03-14T08:59:00Z',
          fieldsType: 'FieldsV1',
          fieldsV1: {
            'f:metadata': { 'f:annotations': { '.': {} }, 'f:labels': { '.': {} } },
            'f:spec': { 'f:holderIdentity': {}, 'f:leaseDurationSeconds': {}, 'f:renewTime': {} },
          },
        },
      ],
    },
    spec: {
      holderIdentity: `${server.identity}_${server.uid}`,
      leaseDurationSeconds: 3600,
      renewTime: HOLE.received,
    },
  };
}

/**
 * A pod; each container adds about 1.1 KB.
 * @param {string} namespace @param {string} name @param {number} containers
 */
export function pod(namespace, name, containers) {
  return {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: metadata(namespace, name, 'kube-controller-manager'),
    spec: {
      containers: Array.from({ length: containers }, (_, i) => container(i)),
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 30,
      dnsPolicy: 'ClusterFirst',
      serviceAccountName: 'default',
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      schedulerName: 'default-scheduler',
      tolerations: ['not-ready', 'unreachable'].map((reason) => ({
        key: `node.kubernetes.io/${reason}`,
        operator: 'Exists',
        effect: 'NoExecute',
        tolerationSeconds: 300,
      })),
    },
    status: { phase: 'Pending', qosClass: 'Burstable' },
  };
}

/**
 * A deployment with one pod template.
 * @param {string} namespace @param {string} name @param {number} containers
 */
export function deployment(namespace, name, containers) {
  const { spec } = pod(namespace, name, containers);
  return {
    kind: 'Deployment',
    apiVersion: 'apps/v1',
    metadata: metadata(namespace, name, 'argocd-application-controller'),
    spec: {
      replicas: 3,
      selector: { matchLabels: { 'app.kubernetes.io/name': name } },
      template: { metadata: { labels: { 'app.kubernetes.io/name': name } }, spec },
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } },
    },
  };
}

/** @param {string} namespace @param {string} name @param {string} manager */
function metadata(namespace, name, manager) {
  return {
    name,
    namespace,
    uid: `0b5a4c11-77de-4a06-9c40-0000000${HOLE.number}`,
    resourceVersion: `81${HOLE.number}`,
    labels: { 'app.kubernetes.io/name': 'web', 'app.kubernetes.io/part-of': 'shop', 'pod-template-hash': '7d9f8b6c4d' },
    annotations: { 'example.com/note': 'quotes " and \\ backslashes, <tags> & ünïcödé ☸ stay intact' },
    managedFields: [{ manager, operation: 'Update', apiVersion: 'v1', time: '2026-03-14T08:59:30Z' }],
  };
}

/** @param {number} index */
function container(index) {
  return {
    name: `c${index}`,
    image: `registry.example.com/shop/service-${index}@sha256:${'4f1e'.repeat(16)}`,
    command: ['/bin/sh', '-c', 'exec /app/server --listen=:8080 --config=/etc/app/config.yaml 2>&1'],
    ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
    env: ['DATABASE_URL', 'CACHE_URL', 'QUEUE_URL', 'TRACE_ENDPOINT'].map((name) => ({
      name,
      valueFrom: { secretKeyRef: { name: 'shop-settings', key: name.toLowerCase() } },
    })),
    resources: { limits: { memory: '512Mi' }, requests: { cpu: '100m', memory: '256Mi' } },
    livenessProbe: { httpGet: { path: '/healthz', port: 'http', scheme: 'HTTP' }, periodSeconds: 10 },
    readinessProbe: { httpGet: { path: '/readyz', port: 'http', scheme: 'HTTP' }, periodSeconds: 5 },
    terminationMessagePath: '/dev/termination-log',
    imagePullPolicy: 'IfNotPresent',
  };
}
