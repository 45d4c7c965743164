import { expect, test } from '@jest/globals';
import { indented, wrap } from '../../../src/report/text/wrap.js';

test('wrap breaks at spaces only', () => {
  expect(wrap('set --peer-ca-file=/etc/kubernetes/pki/ca.crt on cp1', 12)).toStrictEqual([
    'set',
    '--peer-ca-file=/etc/kubernetes/pki/ca.crt',
    'on cp1',
  ]);
  expect(wrap('one two three', 7)).toStrictEqual(['one two', 'three']);
  expect(wrap('', 10)).toStrictEqual([]);
});

test('indented sets later lines off', () => {
  expect(indented('one two three', 12)).toStrictEqual(['  one two', '    three']);
});
