/** The text of a rule file becomes a Rule, or a list of everything that is wrong with it. */
import { CONFIDENCES, type Confidence, SEVERITIES, type Severity } from '../model/finding.js';
import type { Observation } from '../model/observations/index.js';
import { OBSERVATION_TYPES } from '../model/observations/index.js';
import { parseDuration } from './duration.js';
import { type ExpressionCompiler, type ExpressionMistake, expressionCompiler } from './expression.js';
import type { Choice, ExpectedFinding, Expression, Rule, RuleTest, Template } from './rule.js';
import { type RuleError, RuleErrors } from './rule-error.js';
import { longForm, type RuleFile, ruleFileSchema } from './rule-schema.js';
import { schemaErrors } from './schema-errors.js';
import { fieldsOf, valueFieldsOf } from './schema-shape.js';
import { compileTemplate } from './template.js';
import { type Path, readYaml, type YamlSource } from './yaml-source.js';

/** Parses and checks one rule file; `file` is its name for messages. Throws RuleErrors: every mistake with line and column. */
export function parseRule(text: string, file: string, options: { shipped?: boolean } = {}): Rule {
  const source = readYaml(text, file);
  const value = longForm(source.value);
  const parsed = ruleFileSchema.safeParse(value);
  if (!parsed.success) throw new RuleErrors(schemaErrors(parsed.error.issues, value, source));
  const reader = new RuleReader(parsed.data, source);
  const rule = reader.read(file, options.shipped ?? false);
  if (reader.errors.length > 0) throw new RuleErrors(reader.errors);
  return rule;
}

/** Compiles the parts of a rule file and collects what is wrong with them. */
class RuleReader {
  readonly errors: RuleError[] = [];
  readonly #single: ExpressionCompiler;
  readonly #group: ExpressionCompiler;

  constructor(
    readonly file: RuleFile,
    readonly source: YamlSource,
  ) {
    this.#single = expressionCompiler(file.consumes, 'observation');
    this.#group = expressionCompiler(file.consumes, 'group');
  }

  read(name: string, shipped: boolean): Rule {
    const { file } = this;
    return {
      id: file.id,
      title: file.title,
      file: name,
      shipped,
      severity: this.#choice<Severity>('severity', SEVERITIES),
      consumes: file.consumes,
      fields: valueFieldsOf(file.consumes),
      when: file.when === undefined ? undefined : this.#expression(['when'], file.when, 'bool'),
      group: file.group.map((text, at) => this.#expression(['group', at], this.#fieldOr(text), 'any')),
      threshold: {
        count: file.threshold.count ?? 1,
        lasting: parseDuration(file.threshold.lasting ?? '0s') ?? 0,
      },
      window: file.window === undefined ? null : (parseDuration(file.window) ?? null),
      confidence: this.#choice<Confidence | 'observed'>('confidence', ['observed', ...CONFIDENCES]),
      needs: file.needs,
      server: this.#expression(['server'], this.#fieldOr(file.server), 'any'),
      resource:
        file.resource === undefined ? undefined : this.#expression(['resource'], this.#fieldOr(file.resource), 'any'),
      texts: {
        summary: this.#template('summary'),
        meaning: this.#template('meaning'),
        cause: this.#template('cause'),
        fix: this.#template('fix'),
        verify: this.#template('verify'),
      },
      references: file.references,
      tests: file.tests.map((_, at) => this.#test(at)),
    };
  }

  /** A bare field name stands for `o.<name>`. */
  #fieldOr(text: string): string {
    return /^[A-Za-z][A-Za-z0-9]*$/.test(text) && text !== 'null' ? `o.${text}` : text;
  }

  #choice<T extends string>(key: 'severity' | 'confidence', values: readonly T[]): Choice<T> {
    const isValue = (value: unknown): value is T => values.some((known) => known === value);
    const branches: { when: Expression; value: T }[] = [];
    let fallback: T | undefined;
    for (const [at, entry] of this.file[key].entries()) {
      const value = entry[key];
      if (isValue(entry.default) && entry.when === undefined && value === undefined && fallback === undefined) {
        fallback = entry.default;
      } else if (entry.when !== undefined && isValue(value) && entry.default === undefined) {
        branches.push({ when: this.#expression([key, at, 'when'], entry.when, 'bool', 'group'), value });
      } else {
        this.#fail([key, at], `each entry has either "when" and "${key}", or "default" alone and once`);
      }
    }
    if (fallback === undefined) this.#fail([key], `the list needs an entry "default: ${values.join(' | ')}"`);
    return { branches, fallback: fallback ?? (values[0] as T) };
  }

  #expression(path: Path, text: string, expected: 'bool' | 'any', scope?: 'group'): Expression {
    const compiled = (scope === 'group' ? this.#group : this.#single).compile(text, expected);
    if (!Array.isArray(compiled)) return compiled;
    const written = this.source;
    // A bare field name was prefixed with `o.`: its mistakes stand two characters earlier.
    const shift = path[0] === 'when' || scope === 'group' ? 0 : this.#shiftOf(path, text);
    for (const mistake of compiled) this.errors.push(placed(written, path, mistake, shift));
    return never(text);
  }

  #shiftOf(path: Path, text: string): number {
    const [key, at] = path;
    const original =
      key === 'group' ? this.file.group[Number(at)] : key === 'server' ? this.file.server : this.file.resource;
    return original === text ? 0 : -2;
  }

  #template(name: 'summary' | 'meaning' | 'cause' | 'fix' | 'verify'): Template {
    const text = this.file.texts[name];
    const template = compileTemplate(text, this.#group);
    if (!Array.isArray(template)) return template;
    for (const mistake of template) this.errors.push(placed(this.source, ['texts', name], mistake, 0));
    return { text, render: () => text };
  }

  #test(at: number): RuleTest {
    const test = this.file.tests[at];
    if (test === undefined) throw new Error(`no test ${at}`);
    const observations = test.observations.flatMap((overrides, index) => this.#observation(at, index, overrides));
    return {
      name: test.name,
      line: this.source.lineOf(['tests', at]),
      observations,
      capabilities: test.capabilities,
      expect: test.expect as readonly ExpectedFinding[],
      unjudged: test.unjudged,
    };
  }

  /** The type's example with the given fields in place of its own; `from` and `to` may be durations after its time. */
  #observation(test: number, index: number, overrides: { type: string }): Observation[] {
    const path = ['tests', test, 'observations', index];
    const definition = OBSERVATION_TYPES.get(overrides.type);
    if (definition === undefined) return [];
    const example = definition.example as Observation;
    const merged: Record<string, unknown> = { ...example, ...overrides };
    for (const key of ['from', 'to']) {
      const given = merged[key];
      const span = typeof given === 'string' ? parseDuration(given) : undefined;
      if (span !== undefined) merged[key] = example.from + span;
    }
    const parsed = definition.schema.safeParse(merged);
    if (parsed.success) return [parsed.data as Observation];
    for (const issue of parsed.error.issues) {
      const issues = [{ ...issue, path: [...path, ...issue.path] }];
      this.errors.push(...schemaErrors(issues, undefined, this.source, [...fieldsOf([overrides.type]).keys()]));
    }
    return [];
  }

  #fail(path: Path, message: string): void {
    this.errors.push(this.source.error(path, message));
  }
}

function placed(source: YamlSource, path: Path, mistake: ExpressionMistake, shift: number): RuleError {
  const at = Math.max(0, mistake.at + shift);
  return source.error(path, mistake.message, mistake.alternatives, at);
}

/** Stands in for an expression that could not be compiled; the rule is refused before it could run. */
function never(text: string): Expression {
  return {
    text,
    evaluate: () => {
      throw new Error(`\`${text}\` was not compiled`);
    },
  };
}
