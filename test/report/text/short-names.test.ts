import { describe, expect, test } from '@jest/globals';
import type { Analysis } from '../../../src/model/analysis.js';
import { renderText, toResult } from '../../../src/report/index.js';
import { shortNames } from '../../../src/report/text/short-names.js';
import { analysis, finding } from '../example.js';

const DOMAIN = 'ap-south-1.compute.internal';

/** The example with its servers called otherwise. */
function named(called: (name: string) => string, texts: Parameters<typeof finding>[0] = {}): Analysis {
  const whole = analysis({ findings: [finding(texts)] });
  const ends = <E extends { readonly source: string; readonly destination: string }>(edge: E): E => ({
    ...edge,
    source: called(edge.source),
    destination: called(edge.destination),
  });
  return {
    ...whole,
    servers: whole.servers.map((server) => ({ ...server, name: called(server.name) })),
    proxied: { ...whole.proxied, routes: whole.proxied.routes.map(ends) },
    discovery: whole.discovery.map(ends),
    findings: whole.findings.map((one) => ({
      ...one,
      server: one.server === null ? null : called(one.server),
      edges: one.edges.map(ends),
    })),
  };
}

const inDomain = (name: string) => `${name}.${DOMAIN}`;
const text = (whole: Analysis, width = 100) => renderText(whole, { color: false, width });

describe('servers of one domain', () => {
  const [cp1, cp2] = [inDomain('cp1'), inDomain('cp2')];
  const whole = named(inDomain, {
    summary: `${cp1} does not trust ${cp2}. See logs/${cp1}-audit.log and https://${cp2}:6443 and kube-apiserver-${cp1}`,
    fix: `On ${cp1}, look:\n\n  kubectl logs kube-apiserver-${cp1}`,
  });
  const shown = text(whole);

  test('are named without it, which is said once', () => {
    expect(shown).toMatch(/^cp1 does not trust cp2\. See/);
    expect(shown.replace(/\s+/g, ' ')).toContain(`servers in ${DOMAIN}: cp1 and cp2`);
    expect(shown).toMatch(/^ {2}cp1 +v1\./m);
    expect(shown).toMatch(/^ {2}from \\ to +cp1 +cp2/m);
    expect(shown).toMatch(/^ {3}Fix +On cp1, look:$/m);
  });

  test('keep it in commands, paths and addresses, and in the JSON', () => {
    expect(shown).toContain(`  kubectl logs kube-apiserver-${cp1}\n`);
    expect(shown.replace(/\s+/g, ' ')).toContain(
      `See logs/${cp1}-audit.log and https://${cp2}:6443 and kube-apiserver-${cp1}.`,
    );
    expect(JSON.stringify(toResult(whole))).toContain(`"server":"${cp1}"`);
  });

  test('may have more before it than one label', () => {
    const zones = named((name) => `${name}.${name === 'cp1' ? 'a' : 'b'}.${DOMAIN}`);
    expect(shortNames(zones)).toMatchObject({ domain: DOMAIN });
    expect(shortNames(zones).analysis.servers.map(({ name }) => name)).toContain('cp1.a');
  });

  test('may stand beside one that only its identity lease names', () => {
    const nobody = `apiserver-${'a'.repeat(26)}`;
    const beside = { ...whole, servers: whole.servers.flatMap((s) => [s, { ...s, name: nobody }]) };
    expect(new Set(shortNames(beside).analysis.servers.map(({ name }) => name))).toEqual(
      new Set(['cp1', 'cp2', nobody]),
    );
  });
});

test.each([
  ['no domain', (name: string) => name],
  ['another domain each', (name: string) => `${name}.${name}.example`.replace('cp1.example', 'org')],
  ['addresses', (name: string) => `10.0.${name.slice(2)}.7`],
  ['a port', (name: string) => `${name}.example.com:6443`],
  ['a domain that is the name of one', (name: string) => (name === 'cp1' ? DOMAIN : `${name}.${DOMAIN}`)],
])('names with %s stay', (what, called) => {
  const whole = named(called);
  const found = shortNames(whole);
  if (what === 'a domain that is the name of one') expect(found.domain).toBe('compute.internal');
  else expect(found).toStrictEqual({ analysis: whole, domain: '' });
});
