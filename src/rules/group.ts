/** From observations to the groups that a rule judges: filtered, grouped by subject, cut to the window. */
import type { Observation } from '../model/observations/index.js';
import { canonicalJson, compareText } from './canonical.js';
import type { Rule } from './rule.js';
import { conditionReader, plain } from './values.js';

/** Told of every decision of a rule, for coverage: `when true`, `severity: warning`, … */
export type Trace = (branch: string) => void;

export interface Group {
  readonly cluster: string;
  /** The values of the rule's `group`, which make the subject. */
  readonly subject: readonly unknown[];
  /** In canonical order; never empty. */
  readonly members: readonly Member[];
}

export interface Member {
  readonly observation: Observation;
  /** What conditions see. */
  readonly value: Readonly<Record<string, unknown>>;
}

/** All groups of a rule that reach its threshold, whatever the order of the observations. Throws when an expression fails. */
export function groupsOf(rule: Rule, observations: readonly Observation[], trace: Trace): Group[] {
  const groups = new Map<string, { cluster: string; subject: readonly unknown[]; members: Member[] }>();
  for (const member of membersOf(rule, observations)) {
    const scope = { o: member.value };
    if (rule.when !== undefined) {
      const holds = rule.when.evaluate(scope) === true;
      trace(`when ${holds}`);
      if (!holds) continue;
    }
    const subject = rule.group.map((expression) => plain(expression.evaluate(scope)));
    const { cluster } = member.observation;
    const key = canonicalJson([cluster, subject]);
    const group = groups.get(key) ?? { cluster, subject, members: [] };
    group.members.push(member);
    groups.set(key, group);
  }
  return [...groups.values()]
    .map((group) => ({ ...group, members: inWindow(group.members, rule.window) }))
    .filter((group) => {
      const reached = reaches(group.members, rule.threshold);
      trace(`threshold ${reached ? 'reached' : 'not reached'}`);
      return reached;
    });
}

function membersOf(rule: Rule, observations: readonly Observation[]): Member[] {
  const read = conditionReader(rule.fields);
  return observations
    .filter((observation) => rule.consumes.includes(observation.type))
    .map((observation) => ({ observation, key: canonicalJson(observation) }))
    .sort(
      (a, b) =>
        a.observation.from - b.observation.from ||
        a.observation.to - b.observation.to ||
        compareText(a.observation.type, b.observation.type) ||
        compareText(a.key, b.key),
    )
    .map(({ observation }) => ({ observation, value: read(observation) }));
}

function inWindow(members: readonly Member[], window: number | null): readonly Member[] {
  if (window === null) return members;
  const newest = members.reduce(
    (latest, { observation }) => Math.max(latest, observation.to),
    Number.NEGATIVE_INFINITY,
  );
  return members.filter(({ observation }) => observation.to >= newest - window);
}

function reaches(members: readonly Member[], threshold: Rule['threshold']): boolean {
  let count = 0;
  let from = Number.POSITIVE_INFINITY;
  let to = Number.NEGATIVE_INFINITY;
  for (const { observation } of members) {
    count += observation.count;
    from = Math.min(from, observation.from);
    to = Math.max(to, observation.to);
  }
  return count >= threshold.count && to - from >= threshold.lasting;
}
