import { expect, test } from '@jest/globals';
import { labelledProse } from '../../../src/report/text/prose.js';

const layout = { indent: 1, label: 5, width: 30 };

test('labelledProse wraps sentences and leaves commands whole', () => {
  const text =
    'Set the flag\non cp1, as in this example:\n\n  kubectl -n kube-system logs kube-apiserver-cp1 |\n    grep x\n\nThen wait.';
  expect(labelledProse('Fix', text, layout)).toStrictEqual([
    ' Fix  Set the flag on cp1, as',
    '      in this example:',
    '        kubectl -n kube-system logs kube-apiserver-cp1 |',
    '          grep x',
    '      Then wait.',
  ]);
});

test('labelledProse escapes sentences and commands, and is nothing for nothing', () => {
  expect(labelledProse('Fix', 'a\u001b[1m\n  b\u202e', layout)).toStrictEqual([' Fix  a\\x1b[1m', '        b\\u202e']);
  expect(labelledProse('Fix', ' \n', layout)).toStrictEqual([]);
});
