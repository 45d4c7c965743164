import { describe, expect, it } from '@jest/globals';
import { expressionCompiler } from '../../src/rules/expression.js';
import { valueFieldsOf } from '../../src/rules/schema-shape.js';
import { conditionReader } from '../../src/rules/values.js';
import { observation } from './observations.js';

function evaluate(text: string, value: ReturnType<typeof observation>, types: string[] = [value.type]) {
  const compiled = expressionCompiler(types, 'observation').compile(text, 'any');
  if (Array.isArray(compiled)) throw new Error(JSON.stringify(compiled));
  return compiled.evaluate({ o: conditionReader(valueFieldsOf(types))(value) });
}

describe('expressionCompiler', () => {
  it('compares whole numbers, other numbers, words, lists and what can be null', () => {
    const window = observation('version-window', { before: null, seconds: 7_200.5 });
    expect(evaluate('o.minorGap == 1 && o.minorGap < 2', window)).toBe(true);
    expect(evaluate('o.seconds > 7200.0', window)).toBe(true);
    expect(evaluate('o.before == null || o.before.notFound > 0.5', window)).toBe(true);
    expect(evaluate('"cp2" in o.servers && o.servers.size() == 3', window)).toBe(true);
    expect(evaluate('o.server == null ? "nobody" : o.server', window)).toBe('nobody');
  });

  it('knows the fields of objects that can be null', () => {
    expect(expressionCompiler(['version-window'], 'observation').compile('o.before.notFnd > 0.5', 'bool')).toEqual([
      { at: 9, message: 'unknown field "notFnd"', alternatives: ['notFound'] },
    ]);
  });

  it('follows the names of loops, and of loops in loops', () => {
    const compiler = expressionCompiler(['peer-call-failure'], 'group');
    expect(Array.isArray(compiler.compile('all.exists(x, x.edges.all(e, e.source == "a"))', 'bool'))).toBe(false);
    expect(compiler.compile('all.exists(x, x.edges.all(e, e.origin == "a"))', 'bool')).toEqual([
      expect.objectContaining({ at: 31, message: 'unknown field "origin"' }),
    ]);
    expect(compiler.compile('all.filter(x, x.blamed == "sauce").size() > 0', 'bool')).toEqual([
      expect.objectContaining({ message: '"sauce" is no value of this field', alternatives: ['source'] }),
    ]);
  });

  it('refuses functions that do not exist and expressions that are too deep', () => {
    const compiler = expressionCompiler(['server'], 'observation');
    expect(compiler.compile('fetch("http://x")', 'any')).toEqual([expect.objectContaining({ at: 0 })]);
    expect(compiler.compile(`${'('.repeat(500)}1${')'.repeat(500)}`, 'any')).toEqual([
      expect.objectContaining({ message: expect.stringContaining('maxDepth') }),
    ]);
  });

  it('names itself when it fails on a value', () => {
    expect(() => evaluate('o.addresses[9]', observation('peer-call-failure'))).toThrow('`o.addresses[9]`: ');
  });

  it('cannot reach anything but the fields of an observation', () => {
    const compiler = expressionCompiler(['server'], 'observation');
    for (const text of ['o.constructor', 'o.__proto__', 'process', 'globalThis', 'o["constructor"]', 'o.toString()']) {
      expect([text, Array.isArray(compiler.compile(text, 'any'))]).toEqual([text, true]);
    }
  });
});
