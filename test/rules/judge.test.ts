import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Capability } from '../../src/model/analysis.js';
import { OBSERVATION_TYPES, type Observation } from '../../src/model/observations/index.js';
import { judge } from '../../src/rules/judge.js';
import { loadRules } from '../../src/rules/load.js';
import { parseRule } from '../../src/rules/parse-rule.js';
import { assembleRules } from '../../src/rules/rule-set.js';
import { analysis } from '../report/example.js';
import { observation } from './observations.js';
import { ruleText } from './rule-text.js';

const nothing: ReadonlySet<Capability> = new Set();

function findings(changes: Record<string, string>, observations: Observation[]) {
  const ruleSet = assembleRules([[parseRule(ruleText(changes), 'x.yaml')]]);
  return judge(ruleSet, { observations, capabilities: nothing }).findings;
}

const refused = (changes: Parameters<typeof observation<'peer-call-failure'>>[1] = {}) =>
  observation('peer-call-failure', { cause: 'refused', ...changes });

describe('judge', () => {
  it('names in texts where servers can be asked, where that is known', () => {
    const text = ruleText().replace('verify: verify', 'verify: "{{ url(urls, server) }} of {{ everyUrl(urls) }}"');
    const ruleSet = assembleRules([[parseRule(text, 'x.yaml')]]);
    const servers = analysis().servers;
    const { findings } = judge(ruleSet, { observations: [refused()], capabilities: nothing, servers });
    expect(findings[0]?.verify).toBe('https://10.0.0.11:6443 of https://10.0.0.11:6443 https://10.0.0.12:6443');
  });

  it('makes one finding of one subject, with everything that its observations say', () => {
    const minute = 60_000_000;
    const first = refused({ count: 2, certainty: 'possible', edges: [{ source: 'cp1', destination: 'cp3' }] });
    const second = refused({
      count: 3,
      from: first.from + minute,
      to: first.to + minute,
      certainty: 'likely',
      edges: [{ source: 'cp1', destination: 'cp2' }],
      evidence: [{ input: 'a.log', line: 1, offset: 0, quote: 'first' }],
    });
    expect(findings({}, [second, first])).toEqual([
      expect.objectContaining({
        rule: 'some-rule',
        severity: 'warning',
        confidence: 'likely',
        cluster: 'default',
        server: 'cp1',
        resource: null,
        edges: [
          { source: 'cp1', destination: 'cp2' },
          { source: 'cp1', destination: 'cp3' },
        ],
        objects: [],
        from: first.from,
        to: second.to,
        count: 5,
        summary: 'cp1 fails 5 times',
      }),
    ]);
    expect(findings({}, [second, first])[0]?.evidence.map(({ input }) => input)).toEqual([
      'a.log',
      'cp1-kube-apiserver.log',
    ]);
  });

  it('keeps clusters and subjects apart, and gives them fingerprints that depend on nothing else', () => {
    const here = refused();
    const found = findings({}, [here, refused({ cluster: 'other' }), refused({ server: 'cp2' })]);
    expect(found.map(({ server, cluster }) => [server, cluster])).toEqual([
      ['cp1', 'default'],
      ['cp1', 'other'],
      ['cp2', 'default'],
    ]);
    const fingerprints = found.map(({ fingerprint }) => fingerprint);
    expect(new Set(fingerprints).size).toBe(3);
    expect(fingerprints[0]).toMatch(/^[0-9a-f]{16}$/);
    const later = refused({ count: 99, error: 'another', from: here.from + 5, to: here.to + 9, certainty: 'possible' });
    expect(findings({ title: 'Another', severity: 'critical' }, [later])[0]?.fingerprint).toBe(fingerprints[0]);
  });

  it('waits for the threshold of count and of time', () => {
    const threshold = '{ count: 20, lasting: 2m }';
    const first = refused({ count: 10 });
    const late = refused({ count: 10, from: first.from + 70_000_000, to: first.to + 70_000_000 });
    expect(findings({ threshold }, [first])).toEqual([]);
    expect(findings({ threshold }, [first, refused({ count: 10 })])).toEqual([]);
    expect(findings({ threshold }, [first, late])).toHaveLength(1);
  });

  it('counts only what ends within the window before the newest', () => {
    const old = refused({ count: 10 });
    const fresh = refused({ count: 1, from: old.from + 3_600_000_000, to: old.to + 3_600_000_000 });
    expect(findings({ window: '10m' }, [old, fresh])[0]?.count).toBe(1);
    expect(findings({ window: '1h' }, [old, fresh])[0]?.count).toBe(11);
  });

  it('leaves the server open when the observations of a group disagree', () => {
    expect(findings({ group: '[cause]' }, [refused(), refused({ server: 'cp2' })])).toEqual([
      expect.objectContaining({ server: null, summary: 'unknown fails 24 times' }),
    ]);
  });

  it('takes the first severity whose condition holds', () => {
    const severity =
      '[{ when: count > 20, severity: critical }, { when: o.recovered, severity: info }, { default: warning }]';
    const of = (...observations: Observation[]) => findings({ severity }, observations)[0]?.severity;
    expect(of(refused({ count: 21, recovered: true }))).toBe('critical');
    expect(of(refused({ recovered: true }))).toBe('info');
    expect(of(refused())).toBe('warning');
  });

  it('lists a rule as unjudged when it finds nothing and could not have found it', () => {
    const text = ruleText({ needs: '[audit, peer-discovery-audit, [flags, lease-bodies]]' });
    const ruleSet = assembleRules([[parseRule(text, 'x.yaml')]]);
    const of = (observations: Observation[], ...capabilities: Capability[]) =>
      judge(ruleSet, { observations, capabilities: new Set(capabilities) }).unjudged;
    expect(of([])).toEqual([
      {
        rule: 'some-rule',
        reason: expect.stringMatching(/^no audit log of one kube-apiserver was read.*; no FLAG lines.*; lease bodies/),
      },
    ]);
    expect(of([], 'audit', 'peer-discovery-audit', 'lease-bodies')).toEqual([]);
    expect(of([refused()])).toEqual([]);
  });

  it('judges each cluster by what its own inputs can show, and says once what is so in all', () => {
    const ruleSet = assembleRules([[parseRule(ruleText({ needs: '[audit]' }), 'x.yaml')]]);
    const of = (east: Capability[], west: Capability[], observations: Observation[] = []) =>
      judge(ruleSet, {
        observations,
        capabilities: new Set([...east, ...west]),
        capabilitiesOf: new Map([
          ['east', new Set(east)],
          ['west', new Set(west)],
        ]),
      });
    const reason = expect.stringContaining('no audit log');
    expect(of(['audit'], ['audit']).unjudged).toEqual([]);
    expect(of(['audit'], []).unjudged).toEqual([{ cluster: 'west', rule: 'some-rule', reason }]);
    expect(of([], []).unjudged).toEqual([{ rule: 'some-rule', reason }]);
    const both = of([], [], [refused({ cluster: 'east' }), refused({ cluster: 'stray' })]);
    expect(both.findings.map(({ cluster }) => cluster).sort()).toEqual(['east', 'stray']);
    expect(both.unjudged).toEqual([{ cluster: 'west', rule: 'some-rule', reason }]);
  });

  it('of a rule that fails on what one cluster says, the others are judged', () => {
    const text = ruleText({ id: 'failing', group: '["o.addresses[1]"]' });
    const ruleSet = assembleRules([[parseRule(text, 'x.yaml')]]);
    const { findings, unjudged } = judge(ruleSet, {
      observations: [
        refused({ cluster: 'east', addresses: [] }),
        refused({ cluster: 'west', addresses: ['10.0.0.1', '10.0.0.2'] }),
      ],
      capabilities: nothing,
      capabilitiesOf: new Map([
        ['east', nothing],
        ['west', nothing],
      ]),
    });
    expect(findings.map(({ cluster }) => cluster)).toEqual(['west']);
    expect(unjudged.map(({ cluster }) => cluster)).toEqual(['east']);
  });

  it('says so when a rule fails on an observation, and goes on with the others', () => {
    const failing = parseRule(ruleText({ id: 'failing', group: '["o.addresses[3]"]' }), 'x.yaml');
    const ruleSet = assembleRules([[failing, parseRule(ruleText(), 'y.yaml')]]);
    const verdict = judge(ruleSet, { observations: [refused()], capabilities: nothing });
    expect(verdict.findings.map(({ rule }) => rule)).toEqual(['some-rule']);
    expect(verdict.unjudged).toEqual([
      { rule: 'failing', reason: expect.stringContaining('the rule failed on an observation: `o.addresses[3]`') },
    ]);
  });
});

describe('judge with the shipped rules', () => {
  const shipped = loadRules();
  /** Everything that the rules' own tests observe: each rule and branch has a part in it. */
  const observed = shipped.then(({ rules }) =>
    rules.flatMap(({ tests }) => tests.flatMap(({ observations }) => observations)),
  );

  it('sorts the worst first', async () => {
    const { findings } = judge(await shipped, { observations: await observed, capabilities: nothing });
    const rank = { critical: 0, warning: 1, info: 2 };
    const ranks = findings.map(({ severity }) => rank[severity]);
    expect(ranks).toEqual([...ranks].sort());
    expect(new Set(ranks).size).toBe(3);
  });

  it('gives equal results for every order of the observations', async () => {
    const ruleSet = await shipped;
    const varied = await observed;
    const expected = JSON.stringify(judge(ruleSet, { observations: varied, capabilities: nothing }));
    fc.assert(
      fc.property(fc.shuffledSubarray(varied, { minLength: varied.length }), (observations) => {
        expect(JSON.stringify(judge(ruleSet, { observations, capabilities: nothing }))).toBe(expected);
      }),
      { numRuns: 20 },
    );
  });

  it('lets no control character of a log into a text', async () => {
    const ruleSet = await shipped;
    const hostile = '\u001b[2J\u0007\u202e$(reboot)\r\n\u0000`id`';
    const { findings, unjudged } = judge(ruleSet, {
      observations: (await observed).map((example) => poison(example, hostile)),
      capabilities: nothing,
    });
    expect(findings.length).toBeGreaterThan(40);
    expect(unjudged.filter(({ reason }) => reason.includes('failed'))).toEqual([]);
    for (const { summary, meaning, cause, fix, verify } of findings) {
      for (const text of [summary, meaning, cause, fix, verify]) {
        expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e]/);
      }
      expect(summary).not.toContain('\n');
    }
  });

  it('quotes log text in commands, so that pasting one runs nothing else', async () => {
    const ruleSet = await shipped;
    const hostile = 'x;reboot';
    const observations = (await observed).map((example) => poison(example, hostile));
    const { findings } = judge(ruleSet, { observations, capabilities: nothing });
    const commands = findings
      .flatMap(({ fix, verify }) => `${fix}\n${verify}`.split('\n'))
      .filter((line) => line.startsWith('  ') && line.includes(hostile));
    expect(commands.length).toBeGreaterThan(5);
    for (const command of commands) expect(command.replace(/'[^']*'/g, '')).not.toContain(';reboot');
  });
});

/** Replaces every free text of an observation; words of a fixed list stay. */
function poison(example: Observation, text: string): Observation {
  const schema = OBSERVATION_TYPES.get(example.type)?.schema;
  const spoil = (value: unknown): unknown => {
    if (typeof value === 'string') return `${value}${text}`;
    if (Array.isArray(value)) return value.map(spoil);
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, spoil(inner)]));
  };
  const poisoned: Record<string, unknown> = { ...example };
  for (const [key, value] of Object.entries(example)) {
    const attempt = { ...poisoned, [key]: spoil(value) };
    if (schema?.safeParse(attempt).success) Object.assign(poisoned, attempt);
  }
  return poisoned as Observation;
}
