import { describe, expect, it } from '@jest/globals';
import { RULE_FUNCTIONS, ruleEnvironment } from '../../src/rules/functions.js';

const evaluate = (text: string, scope: Record<string, unknown> = {}) => {
  const environment = ruleEnvironment();
  for (const name of Object.keys(scope)) environment.registerVariable(name, 'dyn');
  return environment.evaluate(text, scope);
};

const edge = (source: string, destination: string) => ({ source, destination });

describe('the functions of rules', () => {
  it.each([
    ['join(["a", "b"], "-")', 'a-b'],
    ['words([])', 'none'],
    ['words(["a"])', 'a'],
    ['words(["a", "b", "c"])', 'a, b and c'],
    ['words(["1", "2", "3", "4", "5", "6", "7", "8", "9", "10"])', '1, 2, 3, 4, 5, 6, 7, 8 and 2 more'],
    ['addresses([["b:1", "a:1"], ["b:1"]])', 'a:1 and b:1'],
    ['addresses([[], []])', 'an address that the records do not show'],
    ['duration(185000000)', '3 min 05 s'],
    ['seconds(25200.0)', '7 h 00 min'],
    ['ms(-2400.0)', '2.4 s'],
    ['time(1767323045000000)', '2026-01-02T03:04:05.000000Z'],
    ['percent(0.0634)', '6.3 %'],
    ['plural(1, "call")', '1 call'],
    ['plural(2, "call")', '2 calls'],
    ['plural(2, "reply", "replies")', '2 replies'],
    ['host("10.0.0.1:6443")', '10.0.0.1'],
    ['host("[fd00::1]:6443")', 'fd00::1'],
    ['path("jobs.batch/v1")', '/apis/batch/v1/jobs'],
    ['path("pods/v1")', '/api/v1/pods'],
    ['shell("a b")', "'a b'"],
    ['dial(["10.0.0.1:6443", "10.0.0.2:6443"])', '10.0.0.1:6443'],
    ['dial([])', 'HOST:PORT'],
    ['pod("cp1")', 'kube-apiserver-cp1'],
    ['pod(null)', 'kube-apiserver-NODE'],
    ['pod("apiserver-j6fw5vwdh4fr5uizaw6kujejnq")', 'kube-apiserver-NODE'],
    ['pod("10.0.0.12:6443")', 'kube-apiserver-NODE'],
  ])('%s is %s', (text, value) => {
    expect(evaluate(text)).toBe(value);
  });

  it('tells edges and objects', () => {
    const edges = [edge('cp1', 'cp2'), edge('cp1', 'cp3')];
    const objects = [
      { resource: 'jobs.batch/v1', namespace: 'shop', name: 'nightly' },
      { resource: 'nodes/v1', namespace: '', name: 'n1' },
    ];
    expect(evaluate('edges(e)', { e: edges })).toBe('cp1 → cp2, cp1 → cp3');
    expect(evaluate('sources(e)', { e: edges })).toEqual(['cp1']);
    expect(evaluate('destinations(e)', { e: edges })).toEqual(['cp2', 'cp3']);
    expect(evaluate('objects(o)', { o: objects })).toBe('jobs.batch/v1 shop/nightly, nodes/v1 n1');
    expect(evaluate('merge([o, o])', { o: objects })).toEqual([objects[1], objects[0]]);
  });

  it('each have a meaning to show', () => {
    for (const { signature, meaning } of RULE_FUNCTIONS)
      expect([signature, meaning.length > 5]).toEqual([signature, true]);
  });
});
