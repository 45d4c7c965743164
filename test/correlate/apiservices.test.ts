import { expect, test } from '@jest/globals';
import { Churn } from '../../src/correlate/apiservices.js';

test.each([
  ['v1.', true],
  ['v2.autoscaling', true],
  ['v1.rbac.authorization.k8s.io', true],
  ['v1beta1.internal.apiserver.k8s.io', true],
  ['v1alpha1.novelty.k8s.io', true],
  ['v1.shop.example.com', false],
  ['v1beta1.cluster.x-k8s.io', false],
  ['v1.snapshot.storage.k8s.io', false],
])('whether %s is of Kubernetes itself: %s', (name, builtIn) => {
  expect(new Churn(name).builtIn).toBe(builtIn);
});
