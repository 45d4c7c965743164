/** The one order of every list in every report: equal analyses print equal bytes, and causes stand before consequences. */
import { CONFIDENCES, type Edge, type Finding, SEVERITIES } from '../model/finding.js';

/**
 * Shipped rules from causes to consequences: what a server is set up with, how its calls fail, what was destroyed,
 * what clients saw, what peers do not know, how the versions stood, how good the evidence is.
 */
const CAUSES_FIRST = [
  'startup-refused',
  'gate-off',
  'peer-ca-missing',
  'feature-inactive',
  'peer-ca-untrusted',
  'serving-cert-expired',
  'serving-cert-name',
  'serving-cert-invalid',
  'proxy-identity-rejected',
  'proxy-identity-replaced',
  'discovery-forbidden',
  'advertise-loopback',
  'advertise-shared',
  'advertise-invalid',
  'advertise-unreachable',
  'advertise-refused',
  'peer-via-proxy',
  'advertise-half-set',
  'advertise-ignored',
];
const CONSEQUENCES = [
  'clusters-mixed',
  'gc-after-wrong-not-found',
  'namespace-orphans',
  'wrong-not-found',
  'proxy-unavailable',
  'discovery-edge-missing',
  'discovery-given-up',
  'discovery-stale',
  'apiservice-flapping',
  'legacy-discovery-client',
  'proxy-slow',
  'version-skew-unsupported',
  'upgrade-stalled',
  'mixed-version-window',
  'server-log-missing',
  'audit-policy-blind',
  'audit-gap',
  'audit-damaged',
  'clock-skew',
  'audit-duplicated',
  'audit-id-reused',
];
// A rule that a user added stands between the two.
const UNLISTED = CAUSES_FIRST.length;
const RANK = new Map([
  ...CAUSES_FIRST.map((rule, at) => [rule, at] as const),
  ...CONSEQUENCES.map((rule, at) => [rule, UNLISTED + 1 + at] as const),
]);

type Key = string | number | null;

/** A sorted copy, by the keys in turn: numbers by value, strings by code unit (locales must not matter), null first. */
export function sortBy<T>(items: readonly T[], keys: (item: T) => readonly Key[]): T[] {
  return items
    .map((item) => ({ item, keys: keys(item) }))
    .sort((a, b) => compareKeys(a.keys, b.keys))
    .map(({ item }) => item);
}

/**
 * Worst first; what is only possible after what is likely; causes before consequences; then by name. What follows from
 * another finding, and is mended with it, stands behind that one, even if that one is less severe.
 */
export function sortFindings(findings: readonly Finding[]): Finding[] {
  return causesAhead(sortBySeverity(findings));
}

function sortBySeverity(findings: readonly Finding[]): Finding[] {
  return sortBy(findings, (finding) => [
    -SEVERITIES.indexOf(finding.severity),
    finding.confidence === CONFIDENCES[0] ? 1 : 0,
    RANK.get(finding.rule) ?? UNLISTED,
    finding.rule,
    finding.cluster,
    finding.server,
    finding.resource,
    finding.fingerprint,
  ]);
}

/** What ends when its cause is mended. A loss that goes on is to be stopped first, and stands where its severity puts it. */
const SYMPTOMS: ReadonlySet<string> = new Set(['wrong-not-found']);
const CAUSES: ReadonlySet<string> = new Set([...CAUSES_FIRST, 'discovery-edge-missing', 'discovery-given-up']);

function causesAhead(sorted: readonly Finding[]): Finding[] {
  const order = [...sorted];
  for (let at = 0; at < order.length; at++) {
    const symptom = order[at] as Finding;
    if (!SYMPTOMS.has(symptom.rule)) continue;
    const cause = order.findIndex((finding) => explains(finding, symptom));
    if (cause <= at) continue;
    order.splice(at, 0, ...order.splice(cause, 1));
    at++;
  }
  return order;
}

function explains(cause: Finding, symptom: Finding): boolean {
  if (!CAUSES.has(cause.rule) || cause.severity === 'info' || cause.cluster !== symptom.cluster) return false;
  if (cause.confidence === CONFIDENCES[0] && symptom.confidence !== CONFIDENCES[0]) return false;
  const { server, edges } = cause;
  const isOfAll = (server === null && edges.length === 0) || symptom.server === null;
  return isOfAll || server === symptom.server || edges.some(({ source }) => source === symptom.server);
}

/** Groups in the order in which their first members stand. */
export function groupBy<T, K>(items: readonly T[], keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

export function sortEdges<T extends Edge>(edges: readonly T[]): T[] {
  return sortBy(edges, (edge) => [edge.source, edge.destination]);
}

function compareKeys(a: readonly Key[], b: readonly Key[]): number {
  for (let at = 0; at < a.length; at++) {
    const order = compareKey(a[at] ?? null, b[at] ?? null);
    if (order !== 0) return order;
  }
  return 0;
}

function compareKey(a: Key, b: Key): number {
  if (a === b) return 0;
  if (a === null) return -1;
  if (b === null) return 1;
  return a < b ? -1 : 1;
}
