import { expect, test } from '@jest/globals';
import { identityOf } from '../../../src/correlate/identity/identity-hash.js';
import { NodeNames } from '../../../src/correlate/identity/node-names.js';

function taken(...names: readonly string[]): NodeNames {
  const nodes = new NodeNames();
  for (const name of names) nodes.take(name);
  return nodes;
}

test('the node whose hash is the identity is found, by its whole name or the first word of it', () => {
  const nodes = taken('cp1', 'cp2.shop.example', 'worker-1');
  expect(nodes.of(identityOf('cp1'))).toBe('cp1');
  expect(nodes.of(identityOf('cp2'))).toBe('cp2');
  expect(nodes.of(identityOf('cp2.shop.example'))).toBe('cp2.shop.example');
  expect(nodes.of(identityOf('cp3'))).toBeUndefined();
});

test('more or longer names than any cluster has are not kept', () => {
  const many = taken(...Array.from({ length: 10_001 }, (_, at) => `n${at}`));
  expect(many.of(identityOf('n9999'))).toBe('n9999');
  expect(many.of(identityOf('n10000'))).toBeUndefined();
  expect(taken('a'.repeat(254)).of(identityOf('a'.repeat(254)))).toBeUndefined();
});
