import { describe, expect, it } from '@jest/globals';
import { type Facts, NO_FACTS, NOBODY, senderOf } from '../../../src/formats/envelopes/sender.js';

const of = (facts: Partial<Facts>) => senderOf({ ...NO_FACTS, ...facts }, NOBODY);

describe('the writer', () => {
  it.each<[string, Partial<Facts>, string]>([
    ['the node in the name of a static pod', { pod: 'kube-apiserver-cp-1.example', host: 'other' }, 'cp-1.example'],
    ['an instance of EKS, for both of its streams', { pod: 'kube-apiserver-audit-0a1b' }, '0a1b'],
    ['the same, where a host would stand', { host: 'kube-apiserver-0a1b' }, '0a1b'],
    [
      'a pod of a Deployment',
      { pod: 'kube-apiserver-79599f95c7-qn557', host: 'worker-1' },
      'kube-apiserver-79599f95c7-qn557',
    ],
    ['the host, where the pod says nothing', { pod: 'audit-tailer-x', host: 'cp-1' }, 'cp-1'],
    ['the host in one spelling', { host: ' CP-1.Example. ' }, 'cp-1.example'],
    ['an address', { host: 'fd00::1' }, 'fd00::1'],
    ['the pod, where there is no more', { pod: 'audit-tailer-x' }, 'audit-tailer-x'],
    ['the file of a pod', { file: '/var/log/pods/kube-system_kube-apiserver-cp-1_0a/kube-apiserver/0.log' }, 'cp-1'],
    [
      'the link to it',
      { file: `/var/log/containers/kube-apiserver-cp-1_kube-system_kube-apiserver-${'0a'.repeat(32)}.log` },
      'cp-1',
    ],
    ['a container of docker', { pod: 'k8s_kube-apiserver_kube-apiserver-cp-1_kube-system_0a_0' }, 'cp-1'],
    [
      'a file of must-gather',
      { file: 'audit_logs/kube-apiserver/m-0.example-audit-2026-01-05T03-04-05.678.log.gz' },
      'm-0.example',
    ],
    ['nothing: a usual file', { file: '/var/log/kubernetes/audit/audit.log' }, ''],
    ['nothing: localhost', { host: 'localhost' }, ''],
    ['nothing: a number', { host: '42' }, ''],
    ['nothing: a UUID', { host: '0a1b2c3d-0000-4000-8000-0a1b2c3d4e5f' }, ''],
    ['nothing: what is no name', { host: '{"a":1}' }, ''],
    ['nothing: control characters', { host: 'a\u001b[31m' }, ''],
    ['nothing: a name without end', { host: 'a'.repeat(300) }, ''],
    ['the server of OpenShift', { host: 'cp-1', source: 'openshiftAPI' }, 'cp-1/openshiftapi'],
    ["the API server's own", { host: 'cp-1', source: 'kubeAPI' }, 'cp-1'],
    ['a pod that is no API server', { pod: 'etcd-cp-1', host: 'cp-1', component: 'etcd' }, 'etcd-cp-1'],
  ])('%s', (_, facts, writer) => {
    expect(of(facts).writer).toBe(writer);
  });

  it.each([
    ['prod-1', 'prod-1'],
    ['/aws/eks/Prod/cluster', 'prod'],
    ['/SUBSCRIPTIONS/0A/RESOURCEGROUPS/RG/PROVIDERS/MICROSOFT.CONTAINERSERVICE/MANAGEDCLUSTERS/PROD-1', 'prod-1'],
    ['0a1b2c3d-0000-4000-8000-0a1b2c3d4e5f', '0a1b2c3d-0000-4000-8000-0a1b2c3d4e5f'],
    ['a\nb', ''],
    ['', ''],
  ])('is of the cluster that %j names', (cluster, name) => {
    expect(of({ cluster }).cluster).toBe(name);
  });

  it('stays that of the outer envelope where the inner one names none', () => {
    const outer = of({ host: 'cp-1', cluster: 'prod', stream: 'stderr', time: '2026-05-01T10:00:00Z' });
    expect(senderOf(NO_FACTS, outer)).toEqual(outer);
    expect(senderOf({ ...NO_FACTS, host: 'cp-2' }, outer).writer).toBe('cp-2');
  });
});

describe('other programs', () => {
  it.each<[boolean, Partial<Facts>]>([
    [false, {}],
    [false, { host: 'cp-1' }],
    [false, { component: 'kube-apiserver' }],
    [false, { component: 'docker.service', pod: 'kube-apiserver-cp-1' }],
    [false, { component: '0123456789ab' }],
    [false, { component: 'k3s.service' }],
    [false, { component: 'kube-audit' }],
    [false, { component: 'kube-apiserver', pod: 'kube-apiserver-proxy-1' }],
    [true, { component: 'kube-apiserver-check-endpoints', pod: 'kube-apiserver-cp-1' }],
    [true, { component: 'kubelet.service' }],
    [true, { pod: 'kube-controller-manager-0a1b' }],
    [true, { component: 'nginx' }],
    [true, { source: 'auditd' }],
    [true, { source: 'ovn', component: 'ovn-controller' }],
    [false, { source: 'openshiftAPI' }],
  ])('%s: %j', (foreign, facts) => {
    expect(of(facts).foreign).toBe(foreign);
  });
});

describe('the time', () => {
  const us = Date.UTC(2026, 4, 1, 10) * 1000;
  it.each([
    ['2026-05-01T10:00:00Z', us],
    ['1777629600', us],
    ['1777629600.5', us + 500_000],
    ['1777629600000', us],
    ['1777629600000000', us],
    ['1777629600000000000', us],
    ['yesterday', 0],
    ['', 0],
    ['0', 0],
    ['000000000', 0],
  ])('%s', (time, timeUs) => {
    expect(of({ time }).timeUs).toBe(timeUs);
  });
});
