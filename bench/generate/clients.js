/** Who calls a control plane: kubelets, controllers, service accounts, people, and the servers themselves. */

/** @typedef {Pick<import('./event.js').Call, 'user' | 'userAgent' | 'sourceIPs' | 'reason'>} Client */

/** @param {number} index 0 … 199 @returns {Client & {node: string}} */
export function kubelet(index) {
  const node = `worker-${String(index).padStart(3, '0')}`;
  return {
    node,
    user: { username: `system:node:${node}`, groups: ['system:nodes', 'system:authenticated'] },
    userAgent: 'kubelet/v1.35.4 (linux/amd64) kubernetes/0123456',
    sourceIPs: [`10.20.8.${index + 10}`],
  };
}

/** @param {string} name `kube-controller-manager` or `kube-scheduler` @param {string} part behind the slash of the user agent @returns {Client} */
export function component(name, part) {
  return {
    user: { username: `system:${name}`, groups: ['system:authenticated'] },
    userAgent: `${name}/v1.36.3 (linux/amd64) kubernetes/0123456/${part}`,
    sourceIPs: ['10.20.0.5'],
    reason: rbac(`system:${name}`, `User "system:${name}"`),
  };
}

/** @param {string} namespace @param {string} name @param {string} userAgent @param {string} ip @returns {Client} */
export function serviceAccount(namespace, name, userAgent, ip) {
  return {
    user: {
      username: `system:serviceaccount:${namespace}:${name}`,
      uid: '6a1f3f0e-52b7-4a5e-9a52-9f2a0c7d1e11',
      groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
      extra: {
        'authentication.kubernetes.io/credential-id': ['JTI=0f6f2b6e-8a0b-4f0c-9d7e-3b1c5a7e9d21'],
        'authentication.kubernetes.io/pod-name': [`${name}-7d9f8b6c4d-x2x9k`],
        'authentication.kubernetes.io/pod-uid': ['d0b1f1a9-4d7c-4b7e-a9a1-6f0e2d3c4b5a'],
      },
    },
    userAgent,
    sourceIPs: [ip],
    reason: rbac(name, `ServiceAccount "${name}/${namespace}"`),
  };
}

/** @returns {Client} */
export function administrator() {
  return {
    user: {
      username: 'kubernetes-admin',
      groups: ['kubeadm:cluster-admins', 'system:authenticated'],
      extra: { 'authentication.kubernetes.io/credential-id': [`X509SHA256=${'e5fb'.repeat(16)}`] },
    },
    userAgent: 'kubectl/v1.36.3 (linux/amd64) kubernetes/0123456',
    sourceIPs: ['10.20.5.2'],
    reason: rbac('cluster-admin', 'Group "kubeadm:cluster-admins"'),
  };
}

/** The loopback client of a server. @param {import('./servers.js').Server} server @returns {Client} */
export function loopback(server) {
  return {
    user: { username: 'system:apiserver', uid: server.uid, groups: ['system:authenticated', 'system:masters'] },
    userAgent: server.userAgent,
    sourceIPs: ['::1'],
  };
}

/** A peer that fetches discovery: no user agent, no uid. @param {import('./servers.js').Server} source @returns {Client} */
export function peer(source) {
  return {
    user: { username: 'system:apiserver', groups: ['system:authenticated'] },
    sourceIPs: [source.ip],
    reason: rbac('system:discovery', 'Group "system:authenticated"'),
  };
}

/** @param {string} role @param {string} subject */
function rbac(role, subject) {
  return `RBAC: allowed by ClusterRoleBinding "${role}" of ClusterRole "${role}" to ${subject}`;
}
