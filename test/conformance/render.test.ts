import { expect, test } from '@jest/globals';
import { compare } from '../../src/conformance/compare.js';
import { renderConformance } from '../../src/conformance/render.js';
import { expected, result, untrusted } from './example.js';

test('renderConformance shows a row for each analysis, then every difference', () => {
  const good = { run: 'wrong-ca', mode: 'all' as const, ...compare(expected, result(), 'all') };
  const bad = {
    run: 'wrong-ca',
    mode: 'audit' as const,
    ...compare(expected, result({ findings: [untrusted] }), 'audit'),
  };
  expect(
    renderConformance([good, bad]),
  ).toBe(`run       given       found  missed  false  pairs right  discovery  servers
wrong-ca  all files   3/3    0       0      5/5          2/2        2/2      ok
wrong-ca  audit logs  0/1    1       1      5/5          2/2        2/2      DIFFERS

wrong-ca, audit logs alone:
  missed     discovery-edge-missing; edge cp1 → cp2 (no finding of that rule)
  false      peer-ca-untrusted (critical, certain); server cp1; cp1 → cp3, cp1 → cp2

1 runs, 2 analyses: 1 as expected, 1 differ
`);
});
