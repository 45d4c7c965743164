import { describe, expect, test } from '@jest/globals';
import { identityOf } from '../../../src/correlate/identity/identity-hash.js';
import type { Analysis } from '../../../src/model/analysis.js';
import { renderText, toResult } from '../../../src/report/index.js';
import { addressed } from '../../../src/report/text/addressed.js';
import { analysis, finding } from '../example.js';

const HASH = identityOf('cp2');
const SHOWN = `10.0.0.12 (${HASH.slice(0, 15)}…)`;

/** The example with cp2 known by its identity lease alone. */
function nameless(address: readonly string[]): Analysis {
  const edges = [{ source: 'cp1', destination: HASH }];
  const { servers, discovery, ...rest } = analysis({
    findings: [
      finding({
        summary: `cp1 does not trust ${HASH}`,
        fix: `On ${HASH}, look:\n\n  kubectl logs kube-apiserver-${HASH}\n  echo ${HASH}`,
        edges,
      }),
    ],
  });
  return {
    ...rest,
    servers: servers.map((s) => (s.name === 'cp2' ? { ...s, name: HASH, identity: HASH, addresses: address } : s)),
    discovery: discovery.map((cell) => ({
      ...cell,
      source: cell.source === 'cp2' ? HASH : cell.source,
      destination: cell.destination === 'cp2' ? HASH : cell.destination,
    })),
  };
}

describe('a server without a host name', () => {
  test('is shown by its address and the beginning of its identity', () => {
    const text = renderText(nameless(['10.0.0.12']), { color: false, width: 120 });
    expect(text.slice(0, text.indexOf('\n'))).toBe(`cp1 does not trust ${SHOWN}.`);
    expect(text).toContain(`call cp1 → ${SHOWN}`);
    expect(text).toContain(`  cp1 → ${SHOWN} FAILING: 36 failures`);
  });

  test('keeps its whole name in the table of servers, in commands and in the JSON', () => {
    const text = renderText(nameless(['10.0.0.12']), { color: false, width: 120 });
    expect(text).toMatch(new RegExp(`^  ${HASH}  v1\\.36\\.3`, 'm'));
    expect(text).toContain(`kubectl logs kube-apiserver-${HASH}\n`);
    expect(text).toContain(`echo ${HASH}\n`);
    expect(JSON.stringify(toResult(nameless(['10.0.0.12'])))).not.toContain('…');
  });

  test('is shown by its node where that is known', () => {
    const { servers, ...rest } = nameless(['10.0.0.12']);
    const text = renderText(
      { ...rest, servers: servers.map((s) => (s.name === HASH ? { ...s, node: 'cp2' } : s)) },
      { color: false, width: 120 },
    );
    expect(text.slice(0, text.indexOf('\n'))).toBe(`cp1 does not trust cp2 (${HASH.slice(0, 15)}…).`);
    expect(text).toContain(`  cp2 (${HASH})  v1.36.3`);
    expect(text).not.toContain('the records hold no host name');
  });

  test.each([
    ['no address', []],
    ['several', ['10.0.0.12', '10.0.0.99']],
    ['one that another has as well', ['10.0.0.11']],
  ])('keeps its name when there is %s', (_, addresses) => {
    const whole = nameless(addresses);
    expect(addressed(whole)).toBe(whole);
  });
});
