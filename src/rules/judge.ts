/** The rules over a snapshot: a pure function of observations and capabilities, whatever their order. */
import { CAPABILITIES, type Capability, type Snapshot } from '../model/analysis.js';
import { errorText } from '../model/error-text.js';
import { type Finding, SEVERITIES, type Unjudged } from '../model/finding.js';
import type { Observation } from '../model/observations/index.js';
import { buildFinding } from './build-finding.js';
import { compareText } from './canonical.js';
import { groupsOf, type Trace } from './group.js';
import type { Rule, RuleSet } from './rule.js';
import { cleanText } from './sanitize.js';
import { serverUrls } from './server-urls.js';

export interface Judgement {
  /** Worst first, then by rule id, server and cluster. */
  readonly findings: Finding[];
  /** By rule id. A rule that found something in spite of missing evidence is not listed. */
  readonly unjudged: Unjudged[];
}

/** Of a snapshot what rules judge; `servers` are only named in texts. */
export type Judged = Pick<Snapshot, 'observations' | 'capabilities'> &
  Partial<Pick<Snapshot, 'servers' | 'capabilitiesOf'>>;

/** Never throws: a rule that fails on these observations is listed under `unjudged` with the reason. */
export function judge(ruleSet: RuleSet, snapshot: Judged): Judgement {
  const findings: Finding[] = [];
  const unjudged: Unjudged[] = [];
  const clusters = eachCluster(snapshot);
  for (const rule of ruleSet.rules) {
    const verdicts = clusters.map(({ judged, ...cluster }) => ({ ...cluster, ...judgeRule(rule, judged) }));
    findings.push(...verdicts.flatMap((verdict) => verdict.findings));
    unjudged.push(...unjudgedOf(verdicts.filter(({ isKnown }) => isKnown)));
  }
  return { findings: findings.sort(compareFindings), unjudged: unjudged.sort(compareUnjudged) };
}

/** One rule alone over observations of one cluster; `trace` is told of every decision. */
export function judgeRule(
  rule: Rule,
  { observations, capabilities, servers = [] }: Judged,
  trace: Trace = () => {},
): Judgement {
  let findings: Finding[];
  try {
    findings = findingsOf(rule, observations, servers, trace);
  } catch (error) {
    const reason = cleanText(errorText(error));
    return { findings: [], unjudged: [{ rule: rule.id, reason: `the rule failed on an observation: ${reason}` }] };
  }
  const missing = rule.needs.filter((anyOf) => !anyOf.some((capability) => capabilities.has(capability)));
  if (findings.length > 0 || missing.length === 0) return { findings, unjudged: [] };
  return { findings, unjudged: [{ rule: rule.id, reason: reasonFor(missing) }] };
}

interface ClusterJudged {
  /** undefined: there is but one. */
  readonly name: string | undefined;
  /** Its servers are known: of others it goes without saying that most cannot be judged. */
  readonly isKnown: boolean;
  readonly judged: Judged;
}

/** Each cluster as if there were no other. */
function eachCluster(snapshot: Judged): ClusterJudged[] {
  const { observations, capabilitiesOf = new Map<string, ReadonlySet<Capability>>() } = snapshot;
  if (capabilitiesOf.size < 2) return [{ name: undefined, isKnown: true, judged: snapshot }];
  const byCluster = new Map<string, Observation[]>([...capabilitiesOf.keys()].map((name) => [name, []]));
  for (const observation of observations) {
    const own = byCluster.get(observation.cluster);
    if (own === undefined) byCluster.set(observation.cluster, [observation]);
    else own.push(observation);
  }
  return [...byCluster].map(([name, own]) => ({
    name,
    isKnown: capabilitiesOf.has(name),
    judged: { ...snapshot, observations: own, capabilities: capabilitiesOf.get(name) ?? NOTHING },
  }));
}

const NOTHING: ReadonlySet<Capability> = new Set();

/** What is so in all clusters is said once. */
function unjudgedOf(verdicts: readonly (Pick<ClusterJudged, 'name'> & Pick<Judgement, 'unjudged'>)[]): Unjudged[] {
  const [first] = verdicts;
  const same = verdicts.every(({ unjudged }) => unjudged[0]?.reason === first?.unjudged[0]?.reason);
  if (same) return first?.unjudged ?? [];
  return verdicts.flatMap(({ name, unjudged }) =>
    unjudged.map((one) => (name === undefined ? one : { cluster: name, ...one })),
  );
}

function findingsOf(
  rule: Rule,
  observations: readonly Observation[],
  servers: Snapshot['servers'],
  trace: Trace,
): Finding[] {
  return groupsOf(rule, observations, trace)
    .map((group) => buildFinding(rule, group, serverUrls(servers, group.cluster), trace))
    .sort(compareFindings);
}

/** Without any process log it goes without saying that one is missing; the same for audit logs. */
const IMPLIED: Readonly<Partial<Record<Capability, Capability>>> = {
  'all-process-logs': 'process-log',
  'peer-discovery-audit': 'audit',
  'controller-requests': 'audit',
  'own-discovery-documents': 'discovery-documents',
  'lease-list': 'discovery-documents',
  'all-servers': 'discovery-documents',
};

function reasonFor(missing: readonly (readonly Capability[])[]): string {
  const names = new Set(missing.flat());
  const told = [...names].filter((name) => {
    const implying = IMPLIED[name];
    return implying === undefined || !names.has(implying);
  });
  return told.map((capability) => CAPABILITIES[capability]).join('; ');
}

export function compareFindings(a: Finding, b: Finding): number {
  return (
    SEVERITIES.indexOf(b.severity) - SEVERITIES.indexOf(a.severity) ||
    compareText(a.rule, b.rule) ||
    compareText(a.server ?? '', b.server ?? '') ||
    compareText(a.cluster, b.cluster) ||
    compareText(a.resource ?? '', b.resource ?? '') ||
    compareText(a.fingerprint, b.fingerprint)
  );
}

function compareUnjudged(a: Unjudged, b: Unjudged): number {
  return (
    compareText(a.rule, b.rule) || compareText(a.reason, b.reason) || compareText(a.cluster ?? '', b.cluster ?? '')
  );
}
