/** Rules of several folders as one set: later ones replace earlier ones, configuration has the last word. */
import { SEVERITIES, type Severity } from '../model/finding.js';
import { compareText } from './canonical.js';
import type { Rule, RuleSet } from './rule.js';
import { alternativesFor, fileError, type RuleError, RuleErrors } from './rule-error.js';

export interface Overrides {
  readonly disable?: readonly string[];
  readonly severity?: Readonly<Record<string, Severity>>;
}

/** Throws RuleErrors on two rules of one id in one layer, and on ids that no rule has. */
export function assembleRules(layers: readonly (readonly Rule[])[], overrides: Overrides = {}): RuleSet {
  const errors: RuleError[] = [];
  const byId = new Map<string, Rule>();
  const replaced: { id: string; file: string; by: string }[] = [];
  for (const layer of layers) {
    const own = new Map<string, Rule>();
    for (const rule of layer) {
      const twin = own.get(rule.id);
      if (twin !== undefined) errors.push(fileError(rule.file, `has the id "${rule.id}" of ${twin.file}`));
      const before = byId.get(rule.id);
      if (before !== undefined && twin === undefined) replaced.push({ id: rule.id, file: before.file, by: rule.file });
      own.set(rule.id, rule);
    }
    for (const rule of own.values()) byId.set(rule.id, rule);
  }
  const disable = new Set(overrides.disable ?? []);
  const severity = new Map(Object.entries(overrides.severity ?? {}));
  errors.push(...unknownIds(overrides.disable ?? [], 'disable', byId, (_, at) => at));
  errors.push(...unknownIds([...severity.keys()], 'severity', byId, (id) => id));
  errors.push(...unknownSeverities(severity));
  if (errors.length > 0) throw new RuleErrors(errors);
  const all = [...byId.values()].sort((a, b) => compareText(a.id, b.id)).map((rule) => withSeverity(rule, severity));
  return {
    rules: all.filter(({ id }) => !disable.has(id)),
    disabled: all.filter(({ id }) => disable.has(id)),
    replaced,
    severities: Object.fromEntries(severity),
  };
}

function withSeverity(rule: Rule, severities: ReadonlyMap<string, Severity>): Rule {
  const severity = severities.get(rule.id);
  return severity === undefined ? rule : { ...rule, severity: { branches: [], fallback: severity } };
}

function unknownIds(
  ids: readonly string[],
  where: string,
  known: ReadonlyMap<string, Rule>,
  keyOf: (id: string, at: number) => string | number,
): RuleError[] {
  return ids.flatMap((id, at) => {
    if (known.has(id)) return [];
    const error = fileError(`configuration: ${where}`, `no rule "${id}"`, alternativesFor(id, known.keys()));
    return [{ ...error, path: ['rules', where, keyOf(id, at)] }];
  });
}

function unknownSeverities(severities: ReadonlyMap<string, string>): RuleError[] {
  return [...severities]
    .filter(([, severity]) => !SEVERITIES.some((known) => known === severity))
    .map(([id, severity]) =>
      fileError(
        'configuration',
        `severity of "${id}": unknown severity "${severity}"`,
        alternativesFor(severity, SEVERITIES),
      ),
    );
}
