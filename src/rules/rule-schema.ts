/** The shape of a rule file. Short forms (`severity: critical`, `group: server`, `expect: none`) are made long before. */
import { z } from 'zod';
import { CAPABILITIES, type Capability } from '../model/analysis.js';
import { CONFIDENCES, SEVERITIES } from '../model/finding.js';
import { edgeSchema, objectSchema } from '../model/observations/base.js';
import { OBSERVATION_TYPES } from '../model/observations/index.js';

const words = z.string().trim().min(1).max(4_000);
const expression = z.string().trim().min(1).max(1_000);
const duration = z
  .string()
  .regex(/^(\d{1,9}(\.\d{1,6})?(us|ms|s|m|h))+$/, 'must be a duration such as 30s, 5m or 1h30m');
const capability = z.enum(Object.keys(CAPABILITIES) as [Capability, ...Capability[]]);
const observationType = z.enum([...OBSERVATION_TYPES.keys()] as [string, ...string[]]);

function choiceOf<T extends [string, ...string[]]>(key: 'severity' | 'confidence', values: T) {
  const value = z.enum(values);
  return z
    .array(z.strictObject({ when: expression.optional(), [key]: value.optional(), default: value.optional() }))
    .min(1)
    .max(10);
}

const expectedFinding = z.strictObject({
  severity: z.enum(SEVERITIES).optional(),
  confidence: z.enum(CONFIDENCES).optional(),
  cluster: z.string().optional(),
  server: z.string().nullable().optional(),
  resource: z.string().nullable().optional(),
  count: z.number().int().optional(),
  edges: z.array(edgeSchema).optional(),
  objects: z.array(objectSchema).optional(),
  summary: z.string().optional(),
  meaning: z.string().optional(),
  cause: z.string().optional(),
  fix: z.string().optional(),
  verify: z.string().optional(),
});

const test = z.strictObject({
  name: words,
  observations: z.array(z.looseObject({ type: observationType })).max(50),
  capabilities: z.array(capability).optional(),
  expect: z.array(expectedFinding),
  unjudged: z.boolean().optional(),
});

export const ruleFileSchema = z.strictObject({
  id: z
    .string()
    .regex(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/, 'must be lower-case words joined by "-"')
    .max(60),
  title: words,
  severity: choiceOf('severity', [...SEVERITIES]),
  confidence: choiceOf('confidence', ['observed', ...CONFIDENCES]).default([{ default: 'observed' }]),
  consumes: z.array(observationType).min(1),
  when: expression.optional(),
  group: z.array(expression).max(8).default(['server']),
  threshold: z
    .strictObject({ count: z.number().int().positive().optional(), lasting: duration.optional() })
    .default({}),
  window: duration.optional(),
  needs: z.array(z.array(capability).min(1)).default([]),
  server: expression.default('o.server'),
  resource: expression.optional(),
  texts: z.strictObject({ summary: words, meaning: words, cause: words, fix: words, verify: words }),
  references: z.array(words).default([]),
  tests: z.array(test).default([]),
});

export type RuleFile = z.infer<typeof ruleFileSchema>;

/** The long form of what may be written short; anything else is left for the schema to judge. */
export function longForm(value: unknown): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
  const rule: Record<string, unknown> = { ...value };
  for (const key of ['severity', 'confidence']) {
    if (typeof rule[key] === 'string') rule[key] = [{ default: rule[key] }];
  }
  for (const key of ['consumes', 'group', 'needs', 'references']) {
    if (typeof rule[key] === 'string') rule[key] = [rule[key]];
  }
  if (Array.isArray(rule.needs)) rule.needs = rule.needs.map((need) => (typeof need === 'string' ? [need] : need));
  if (Array.isArray(rule.tests)) rule.tests = rule.tests.map(longTest);
  return rule;
}

function longTest(test: unknown): unknown {
  if (test === null || typeof test !== 'object' || Array.isArray(test)) return test;
  return 'expect' in test && test.expect === 'none' ? { ...test, expect: [] } : test;
}
