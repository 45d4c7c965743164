import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { compileGlob, globBase, globNamesInput } from '../../src/sources/glob.js';

describe('compileGlob', () => {
  test.each([
    ['*.log', 'audit.log', true],
    ['*.log', 'logs/audit.log', false],
    ['*.log', '.audit.log', false],
    ['.*.log', '.audit.log', true],
    ['logs/*', 'logs/a', true],
    ['logs/*', 'logs/a/b', false],
    ['./logs/*', 'logs/a', true],
    ['logs/*', './logs/a', true],
    ['**/*.log', 'audit.log', true],
    ['**/*.log', 'a/b/c/audit.log', true],
    ['**/*.log', 'a/.git/audit.log', false],
    ['a/**/b/**/c', 'a/x/b/b/y/c', true],
    ['a/**/b/**/c', 'a/x/c', false],
    ['a/**', 'a/b/c', true],
    ['a/', 'a/b/c', true],
    ['a/', 'ab/c', false],
    ['/var/*/x', '/var/log/x', true],
    ['/var/*/x', 'var/log/x', false],
    ['cp?.log', 'cp1.log', true],
    ['cp?.log', 'cp.log', false],
    ['cp?.log', 'cpé.log', true],
    ['cp[1-3].log', 'cp2.log', true],
    ['cp[1-3].log', 'cp4.log', false],
    ['cp[!1-3].log', 'cp4.log', true],
    ['cp[^1].log', 'cp1.log', false],
    ['[]x]', ']', true],
    ['[a-]', '-', true],
    ['[abc', '[abc', true],
    ['{cp1,cp2}-audit.log', 'cp2-audit.log', true],
    ['{cp1,cp2}-audit.log', 'cp3-audit.log', false],
    ['{a,b/{c,d}}/x', 'b/d/x', true],
    ['{a}', '{a}', true],
    ['{a,b', '{a,b', true],
    ['\\*.log', '*.log', true],
    ['\\*.log', 'a.log', false],
    ['../*.log', '../a.log', true],
    ['a**b', 'axxb', true],
  ])('%s on %s is %s', (pattern, path, expected) => {
    expect(compileGlob(pattern).matches(path)).toBe(expected);
  });

  test('takes time linear in the input where a backtracking matcher would never end', () => {
    const glob = compileGlob(`${'*a'.repeat(40)}b`);
    expect(glob.matches('a'.repeat(2_000))).toBe(false);
    expect(compileGlob(`${'**/a/'.repeat(30)}b`).matches('a/'.repeat(500))).toBe(false);
  });

  test('refuses braces that explode', () => {
    expect(() => compileGlob('{a,b}'.repeat(12))).toThrow('more than 1000');
  });

  test('a pattern without syntax matches itself and nothing else', () => {
    const name = fc.stringMatching(/^[a-z][a-z0-9.-]{0,8}$/);
    const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));
    fc.assert(
      fc.property(path, path, (a, b) => {
        expect(compileGlob(a).matches(a)).toBe(true);
        expect(compileGlob(a).matches(b)).toBe(a === b);
        expect(compileGlob('**').matches(a)).toBe(true);
      }),
    );
  });

  test('agrees with a regular expression on patterns of one part', () => {
    const pattern = fc.array(fc.constantFrom('a', 'b', '*', '?'), { maxLength: 7 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(pattern, fc.stringMatching(/^[ab]{1,8}$/), (glob, name) => {
        fc.pre(glob !== '**' && glob !== '');
        const regexp = new RegExp(`^${glob.replaceAll('*', '.*').replaceAll('?', '.')}$`);
        expect(compileGlob(glob).matches(name)).toBe(regexp.test(name));
      }),
    );
  });
});

test('mayMatchBelow holds for the folders of a match and spares the others', () => {
  const glob = compileGlob('logs/*/audit/**/*.log');
  expect(['logs', 'logs/cp1', 'logs/cp1/audit', 'logs/cp1/audit/x/y'].every((f) => glob.mayMatchBelow(f))).toBe(true);
  expect(['other', 'logs/cp1/process'].some((f) => glob.mayMatchBelow(f))).toBe(false);
});

test('globNamesInput takes the path as given or the file name', () => {
  expect(globNamesInput(compileGlob('cp1-*'), '/var/log/cp1-audit.log')).toBe(true);
  expect(globNamesInput(compileGlob('/var/log/*'), '/var/log/cp1-audit.log')).toBe(true);
  expect(globNamesInput(compileGlob('-'), '-')).toBe(true);
  expect(globNamesInput(compileGlob('cp1'), '/cp1/audit.log')).toBe(false);
});

test('globBase gives the folders before the first pattern', () => {
  expect(globBase('logs/cp1/*.log')).toBe('logs/cp1');
  expect(globBase('*.log')).toBe('');
  expect(globBase('/*/x')).toBe('/');
  expect(globBase('{a,b/c}/x')).toBe('');
});
