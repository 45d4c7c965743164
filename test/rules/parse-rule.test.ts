import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseRule } from '../../src/rules/parse-rule.js';
import { RuleErrors } from '../../src/rules/rule-error.js';
import { ruleText } from './rule-text.js';

/** The lines of the error that parsing must throw. */
function errorsOf(text: string): string[] {
  try {
    parseRule(text, 'x.yaml');
  } catch (error) {
    if (error instanceof RuleErrors) return error.message.split('\n');
    throw error;
  }
  throw new Error('no mistake was found');
}

/** The line that a part of the text stands on, and its column, as messages give them. */
function place(text: string, part: string): string {
  const at = text.indexOf(part);
  const line = text.slice(0, at).split('\n').length;
  return `x.yaml:${line}:${at - text.lastIndexOf('\n', at - 1)}`;
}

describe('parseRule', () => {
  it('fills in what a short rule leaves out', () => {
    const rule = parseRule(ruleText(), 'x.yaml');
    expect(rule).toMatchObject({
      id: 'some-rule',
      shipped: false,
      severity: { branches: [], fallback: 'warning' },
      confidence: { branches: [], fallback: 'observed' },
      consumes: ['peer-call-failure'],
      threshold: { count: 1, lasting: 0 },
      window: null,
      needs: [],
    });
    expect(rule.group.map(({ text }) => text)).toEqual(['o.server']);
  });

  it('reads conditions, thresholds, windows and needs', () => {
    const text = ruleText({
      severity: '[{ when: o.recovered, severity: info }, { default: critical }]',
      group: '[server, blamed, edges(o.edges)]',
      threshold: '{ count: 3, lasting: 5m }',
      window: '1h',
      needs: '[audit, [flags, process-log]]',
      resource: 'string(o.addresses[0])',
    });
    const rule = parseRule(text, 'x.yaml');
    expect(rule.severity.branches.map(({ when, value }) => [when.text, value])).toEqual([['o.recovered', 'info']]);
    expect(rule.group.map(({ text }) => text)).toEqual(['o.server', 'o.blamed', 'edges(o.edges)']);
    expect(rule).toMatchObject({ threshold: { count: 3, lasting: 300_000_000 }, window: 3_600_000_000 });
    expect(rule.needs).toEqual([['audit'], ['flags', 'process-log']]);
  });

  it.each([
    [
      'an unknown observation type',
      { consumes: '[peer-call-failur]' },
      'peer-call-failur]',
      'unknown observation type "peer-call-failur"; did you mean "peer-call-failure"?',
    ],
    ['an unknown key', { widow: '5m' }, 'widow', 'unknown key "widow"; did you mean "window"?'],
    ['an unknown severity', { severity: 'critcal' }, 'critcal', 'unknown severity "critcal"; did you mean "critical"?'],
    ['an unknown capability', { needs: '[flag]' }, 'flag]', 'did you mean "flags"?'],
    ['an unknown field', { when: 'o.caus == "refused"' }, 'caus', 'unknown field "caus"; did you mean "cause"?'],
    [
      'an unknown field in quotes',
      { when: `'o.cause == "refused" && o.recoverd'` },
      'recoverd',
      'unknown field "recoverd"; did you mean "recovered"?',
    ],
    [
      'a value that the field never has',
      { when: 'o.cause == "refusd"' },
      '"refusd"',
      '"refusd" is no value of this field; did you mean "refused"?',
    ],
    ['a value in a list', { when: 'o.cause in ["refused", "time-out"]' }, '"time-out"', 'did you mean "timeout"?'],
    [
      'an unknown variable',
      { when: 'observation.cause == "x"' },
      'observation',
      'unknown name "observation"; did you mean "o"?',
    ],
    ['a group variable where there is no group yet', { when: 'count > 3' }, 'count', 'unknown name "count"'],
    ['bad syntax', { when: 'o.cause == ' }, 'when', 'Unexpected token'],
    [
      'a condition that is no condition',
      { when: 'o.error' },
      'o.error',
      'must be true or false, but is of type string',
    ],
    ['types that do not fit', { when: 'o.count + o.error == "x"' }, 'o.count', 'no such overload'],
    [
      'a pattern on hostile text',
      { when: 'o.error.matches("(a+)+$")' },
      'o.error',
      'matches() is not allowed in rules',
    ],
    [
      'an unknown field of an element',
      { when: 'o.edges.exists(e, e.sourc == "x")' },
      'sourc',
      'unknown field "sourc"; did you mean "source"?',
    ],
    [
      'an unknown field of the subject',
      { group: '[server, blame]' },
      'blame]',
      'unknown field "blame"; did you mean "blamed"?',
    ],
    [
      'an unknown field in a severity condition',
      { severity: '[{ when: "all.all(x, x.recoverd)", severity: info }, { default: warning }]' },
      'recoverd',
      'unknown field "recoverd"',
    ],
    [
      'a list of severities without a default',
      { severity: '[{ when: o.recovered, severity: info }]' },
      '[{ when',
      'the list needs an entry "default: info | warning | critical"',
    ],
    [
      'a branch that is both',
      { severity: '[{ when: o.recovered, default: info }, { default: warning }]' },
      '{ when',
      'each entry has either',
    ],
    ['a bad duration', { window: '5 minutes' }, '5 minutes', 'must be a duration such as 30s, 5m or 1h30m'],
    ['a bad id', { id: 'Some_Rule' }, 'Some_Rule', 'must be lower-case words joined by "-"'],
    ['a duplicated key', { 'severity: info\ntitle': 'again' }, 'severity: info\ntitle', 'Map keys must be unique'],
  ] as [string, Record<string, string>, string, string][])('finds %s at its place', (_, changes, part, message) => {
    const text = ruleText(changes);
    const [first] = errorsOf(text);
    expect(first).toContain(message);
    const expected = part === 'when' || part.includes('\n') ? 'x.yaml:' : `${place(text, part)}: `;
    expect(first?.slice(0, expected.length)).toBe(expected);
  });

  it('places mistakes in folded texts by their own line', () => {
    const text = ruleText({
      texts: `
  summary: >-
    The server {{ server }} fails with
    the error {{ o.eror }} and

      more than {{ plural(count, "call") }} in {{ o.reson }}
  meaning: "a \\"quoted\\" {{ o.caus }}"
  cause: c
  fix: 'it''s {{ srver }}'
  verify: "{{ o.error"`,
    });
    expect(errorsOf(text)).toEqual([
      `${place(text, 'eror')}: unknown field "eror"; did you mean "error"?`,
      expect.stringContaining(`${place(text, 'reson')}: unknown field "reson"`),
      `${place(text, 'caus }}')}: unknown field "caus"; did you mean "cause"?`,
      `${place(text, 'srver')}: unknown name "srver"; did you mean "server"?`,
      `${place(text, '{{ o.error"')}: "{{" is never closed by "}}"`,
    ]);
  });

  it('says what is missing', () => {
    expect(errorsOf(ruleText({ consumes: null }))).toEqual(['x.yaml:1:1: "consumes" is missing']);
    expect(errorsOf('')).toEqual(['x.yaml:1:1: "rule" must be a mapping']);
  });

  it('checks the observations of tests against their type', () => {
    const text = ruleText({
      tests: `
  - name: t
    observations: [{ type: peer-call-failure, cause: refusd }, { type: clock-skew, skew: 3 }]
    expect: [{ severty: info }]`,
    });
    expect(errorsOf(text)).toEqual([`${place(text, 'severty')}: unknown key "severty"; did you mean "severity"?`]);
    const correct = text.replace('severty', 'severity');
    expect(errorsOf(correct)).toEqual([
      `${place(correct, 'refusd')}: unknown cause "refusd"; did you mean "refused"?`,
      expect.stringContaining(`${place(correct, 'skew:')}: unknown key "skew"`),
    ]);
  });

  it('takes times in tests as durations after the time of the example', () => {
    const text = ruleText({
      tests: `
  - name: t
    observations: [{ type: peer-call-failure, from: 1m, to: 2m }]
    expect: none`,
    });
    const [observation] = parseRule(text, 'x.yaml').tests[0]?.observations ?? [];
    expect((observation?.to ?? 0) - (observation?.from ?? 0)).toBe(60_000_000);
  });

  it('allows fields of any of several observation types', () => {
    const text = ruleText({
      consumes: '[peer-address, advertise-flags]',
      when: '(o.type == "peer-address" && o.problem == "invalid") || o.problem == "half-set"',
      texts: '{ summary: "{{ o.ip }}", meaning: m, cause: c, fix: f, verify: v }',
    });
    expect(parseRule(text, 'x.yaml').consumes).toHaveLength(2);
    expect(errorsOf(text.replace('half-set', 'half'))[0]).toContain('"half" is no value of this field');
  });

  it('refuses aliases without end, huge files and endless nesting', () => {
    const bomb = `a: &a [x, x, x, x, x, x]\nb: &b [*a, *a, *a, *a, *a, *a]\nc: &c [*b, *b, *b, *b, *b, *b]\nd: [*c, *c, *c, *c, *c, *c]\n`;
    expect(errorsOf(bomb)[0]).toMatch(/^x\.yaml: cannot be read as YAML: /);
    expect(errorsOf(`# ${'x'.repeat(300_000)}`)[0]).toContain('is larger than 256 KiB');
    expect(errorsOf('['.repeat(50_000))[0]).toMatch(/^x\.yaml/);
  });

  it('answers any text with a rule or with mistakes that have a place', () => {
    const words = ruleText().split(/(?<=\s)/);
    fc.assert(
      fc.property(fc.shuffledSubarray(words, { minLength: 1 }), fc.string(), (some, noise) => {
        const mistakes = errorsOf(some.join('') + noise);
        expect(mistakes[0]).toMatch(/^x\.yaml(:\d+:\d+)?: /);
      }),
      { numRuns: 60 },
    );
  });
});
