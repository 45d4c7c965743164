import { expect, test } from '@jest/globals';
import { labelled, wrap } from '../../../src/report/text/wrap.js';

test('wrap breaks at spaces only', () => {
  expect(wrap('set --peer-ca-file=/etc/kubernetes/pki/ca.crt on cp1', 12)).toStrictEqual([
    'set',
    '--peer-ca-file=/etc/kubernetes/pki/ca.crt',
    'on cp1',
  ]);
  expect(wrap('one two three', 7)).toStrictEqual(['one two', 'three']);
  expect(wrap('', 10)).toStrictEqual([]);
});

test('labelled puts the label before the first line only', () => {
  expect(labelled('Fix', 'restart the server now', { indent: 2, label: 6, width: 28 })).toStrictEqual([
    '  Fix   restart the server',
    '        now',
  ]);
});
