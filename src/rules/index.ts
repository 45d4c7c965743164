/** The rules stage: load rule files, judge observations, list, explain and test the rules. */
export { explainRule } from './explain-rule.js';
export { RULE_FUNCTIONS } from './functions.js';
export { compareFindings, type Judgement, judge } from './judge.js';
export { toJUnit } from './junit.js';
export { listRules, type RuleListEntry } from './list-rules.js';
export { type LoadOptions, loadRules } from './load.js';
export { parseRule } from './parse-rule.js';
export type { Rule, RuleSet } from './rule.js';
export { formatRuleError, type RuleError, RuleErrors } from './rule-error.js';
export { assembleRules } from './rule-set.js';
export {
  type RuleReport,
  type RuleTestOptions,
  type RuleTestReport,
  type RuleTestResult,
  testRules,
} from './test-rules.js';
