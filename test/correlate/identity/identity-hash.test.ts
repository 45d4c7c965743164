import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { identityOf } from '../../../src/correlate/identity/identity-hash.js';

describe('identityOf', () => {
  test.each([
    ['cp1', 'apiserver-j6fw5vwdh4fr5uizaw6kujejnq'],
    ['cp2', 'apiserver-g4un5bawnult3hqbezxpvsxc3i'],
  ])('of %s is what a real kube-apiserver named its lease', (hostname, identity) => {
    expect(identityOf(hostname)).toBe(identity);
  });

  test('is a lease name for any host name, and another one for another', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (a, b) => {
        expect(identityOf(a)).toMatch(/^apiserver-[a-z2-7]{26}$/);
        expect(identityOf(a) === identityOf(b)).toBe(Buffer.from(a).equals(Buffer.from(b)));
      }),
    );
  });

  test('takes host names longer than the length field can say', () => {
    expect(identityOf('x'.repeat(70_000))).toMatch(/^apiserver-/);
  });
});
