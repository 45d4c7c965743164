import { describe, expect, it } from '@jest/globals';
import { expressionCompiler } from '../../src/rules/expression.js';
import { compileTemplate } from '../../src/rules/template.js';

const compiler = expressionCompiler(['peer-call-failure'], 'group');

function render(text: string, scope: Record<string, unknown> = {}): string {
  const template = compileTemplate(text, compiler);
  if (Array.isArray(template)) throw new Error(JSON.stringify(template));
  return template.render(scope);
}

describe('compileTemplate', () => {
  it('puts values of every type into a sentence', () => {
    const scope = { server: 'cp1', count: 3n, o: { error: null, recovered: true, addresses: ['a', 'b', 'c'] } };
    expect(render('{{server}}: {{ count }} {{ o.recovered }} {{ o.error }} {{ o.addresses }}', scope)).toBe(
      'cp1: 3 true unknown a, b and c',
    );
  });

  it('tidies what an empty value leaves behind, but not the indentation of commands', () => {
    expect(render('a {{ "" }} b {{ "" }}\n\n  cmd  {{ "x" }}\n{{ "" }}')).toBe('a b\n\n  cmd x');
  });

  it('bounds the text', () => {
    expect(render('{{ server }}', { server: 'x'.repeat(100_000) }).length).toBeLessThan(6_010);
  });

  it('finds every mistake', () => {
    expect(compileTemplate('{{ o.eror }} and {{ srver }}', compiler)).toEqual([
      expect.objectContaining({ at: 5, message: 'unknown field "eror"' }),
      expect.objectContaining({ at: 20, message: 'unknown name "srver"' }),
    ]);
  });
});
