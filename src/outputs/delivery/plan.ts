/** From changes of findings to what a receiver is told: only what is new to it, put together by cause, storms folded. */
import { createHash } from 'node:crypto';
import type { FindingChange } from '../../findings/index.js';
import { CONFIDENCES, type Finding, SEVERITIES, type Severity } from '../../model/finding.js';
import type { OutputBatch } from '../output.js';
import { boundFinding, finiteTime, sketchOf } from './bound.js';
import type { Ledger } from './ledger.js';
import type { Notice, Scope, Told } from './notice.js';

export interface PlanOptions {
  /** Findings below are not told, unless they were above when they opened. */
  readonly minSeverity: Severity;
  /** `cause`: findings of one rule in one cluster are one incident. */
  readonly group: 'finding' | 'cause';
  /** New incidents in any such window that are told one by one; the rest of them is one incident more. */
  readonly storm: { readonly limit: number; readonly windowMs: number };
}

export interface Plan {
  readonly notices: readonly Notice[];
  /** Of changes that are no news, for a message told them or is to tell them: the fingerprints of their findings. */
  readonly known: readonly string[];
}

/** Findings quoted in a notice; the others are counted. */
export const MAX_MEMBERS = 20;
/** Findings of a notice that are remembered as more than a fingerprint: a storm may have any number. */
const MAX_SKETCHES = 200;

/**
 * Takes the plan as told: the ledger is changed, so a plan that is made has to be sent. `open`: all findings that hold
 * now, for the incidents that go on. `complete`: nothing else holds, or nothing else of the clusters for which it says
 * so; what an earlier process told as firing is over then.
 */
export function planNotices(
  changes: readonly FindingChange[],
  open: readonly Finding[],
  ledger: Ledger,
  options: PlanOptions,
  nowMs: number,
  complete: NonNullable<OutputBatch['complete']> = false,
): Plan {
  const openByPrint = new Map(open.map((finding) => [finding.fingerprint, finding]));
  const rising = changes.filter(({ kind }) => kind !== 'resolved').map(({ finding }) => finding);
  const resolved = changes.filter(({ kind }) => kind === 'resolved').map(({ finding }) => finding);
  const isOf = typeof complete === 'function' ? complete : () => complete;
  const ending = [...resolved, ...forgotten(resolved, open, ledger).filter(({ cluster }) => isOf(cluster))];
  const news = new Set(rising.filter((finding) => isNews(finding, ledger, options)));
  const known = rising.filter((finding) => !news.has(finding) && ledger.finding(finding.fingerprint) !== undefined);
  // What opened and ended between two batches is told as both.
  for (const finding of news) openByPrint.set(finding.fingerprint, finding);
  const notices = [...raise(news, openByPrint, ledger, options, nowMs)];
  for (const { fingerprint } of ending) openByPrint.delete(fingerprint);
  const ended = new Set(ending.filter((finding) => isOver(finding, ledger)));
  const endedBefore = ending.filter((one) => !ended.has(one) && ledger.finding(one.fingerprint) !== undefined);
  notices.push(...end(ended, openByPrint, ledger, options, nowMs));
  return { notices, known: [...known, ...endedBefore].map(({ fingerprint }) => fingerprint) };
}

/** Told as firing, by an earlier process as a rule, and neither there any more nor told as resolved. */
function forgotten(resolved: readonly Finding[], open: readonly Finding[], ledger: Ledger): Finding[] {
  return ledger.stale(new Set([...open, ...resolved].map(({ fingerprint }) => fingerprint)));
}

/** What an open incident looks like now: for receivers that have to be reminded. Nothing is taken as told. */
export function reminders(open: readonly Finding[], ledger: Ledger, options: PlanOptions, nowMs: number): Notice[] {
  const byKey = new Map<string, Finding[]>();
  for (const finding of open) {
    const known = ledger.finding(finding.fingerprint);
    if (known?.state === 'firing') byKey.set(known.key, [...(byKey.get(known.key) ?? []), finding]);
  }
  return [...byKey].map(([key, findings]) =>
    compose(key, findings, [], ledger.counter(key), 'updated', options, nowMs),
  );
}

function isBelow(finding: Finding, { minSeverity }: PlanOptions): boolean {
  return SEVERITIES.indexOf(finding.severity) < SEVERITIES.indexOf(minSeverity);
}

function isNews(finding: Finding, ledger: Ledger, options: PlanOptions): boolean {
  const known = ledger.finding(finding.fingerprint);
  // The same logs read again, after a restart or a rebalance, go through all that was told once more.
  const isOld = known?.again === true && finding.to < known.toUs;
  if (known?.state === 'firing') return !isOld && !known.digests.includes(digestOf(finding));
  if (isBelow(finding, options)) return false;
  // What was told as resolved opens again: only newer evidence makes it a recurrence.
  return known === undefined || !known.again || finding.to > known.toUs;
}

/** The end of an earlier spell, read once more, is not the end of what was told since. */
function isOver({ fingerprint, to }: Finding, ledger: Ledger): boolean {
  const known = ledger.finding(fingerprint);
  return known?.state === 'firing' && !(known.again && to < known.toUs);
}

function* raise(
  news: ReadonlySet<Finding>,
  open: ReadonlyMap<string, Finding>,
  ledger: Ledger,
  options: PlanOptions,
  nowMs: number,
): Generator<Notice> {
  let opened = ledger.openedSince(nowMs - options.storm.windowMs);
  const started = new Set<string>();
  const byKey = new Map<string, Finding[]>();
  for (const finding of [...news].sort(worstFirst)) {
    const known = ledger.finding(finding.fingerprint);
    let key = known?.state === 'firing' ? known.key : keyOf(finding, options);
    if (known?.state !== 'firing' && ledger.firing(key).size === 0 && !started.has(key)) {
      if (opened < options.storm.limit) {
        opened += 1;
        started.add(key);
      } else key = stormKey(finding.cluster);
    }
    byKey.set(key, [...(byKey.get(key) ?? []), finding]);
  }
  for (const [key, findings] of byKey) {
    const told = findings.map((finding, at) => toldOf(finding, 'firing', at < MAX_SKETCHES));
    const firing = ledger.firing(key);
    const members = new Map(findings.map((finding) => [finding.fingerprint, finding]));
    for (const print of firing) {
      const finding = open.get(print);
      if (finding !== undefined && !members.has(print)) members.set(print, finding);
    }
    const kind = firing.size === 0 ? 'opened' : 'updated';
    const total = new Set([...firing, ...members.keys()]).size;
    yield record(
      compose(key, [...members.values()], told, ledger.counter(key) + 1, kind, options, nowMs, total),
      ledger,
    );
  }
}

function* end(
  ended: ReadonlySet<Finding>,
  open: ReadonlyMap<string, Finding>,
  ledger: Ledger,
  options: PlanOptions,
  nowMs: number,
): Generator<Notice> {
  const byKey = new Map<string, Finding[]>();
  for (const finding of ended) {
    const key = ledger.finding(finding.fingerprint)?.key ?? findingKey(finding);
    byKey.set(key, [...(byKey.get(key) ?? []), finding]);
  }
  for (const [key, findings] of byKey) {
    const told = findings.map((finding) => toldOf(finding, 'resolved', false));
    const left = new Set(ledger.firing(key));
    for (const { fingerprint } of findings) left.delete(fingerprint);
    const kind = left.size === 0 ? 'resolved' : 'updated';
    const members = [...left].flatMap((print) => open.get(print) ?? []);
    // After a restart the other members may not have been read again yet: the ended ones speak for the incident.
    const shown = kind === 'resolved' || members.length === 0 ? findings : members;
    const total = kind === 'resolved' ? findings.length : left.size;
    yield record(compose(key, shown, told, ledger.counter(key) + 1, kind, options, nowMs, total), ledger);
  }
}

function record(notice: Notice, ledger: Ledger): Notice {
  ledger.apply(notice);
  return notice;
}

function compose(
  key: string,
  findings: readonly Finding[],
  told: readonly Told[],
  counter: number,
  kind: Notice['kind'],
  options: PlanOptions,
  atMs: number,
  total = findings.length,
): Notice {
  const members = [...findings].sort(worstFirst).slice(0, MAX_MEMBERS).map(boundFinding);
  const cluster = members[0]?.cluster ?? '';
  const scope = scopeOf(key, findings[0]);
  const limit = scope === 'storm' ? { limit: options.storm.limit } : {};
  return { key, counter, kind, scope, cluster, atMs, findings: members, total, ...limit, told };
}

/** The key tells how it came to be, also after the options were changed. */
function scopeOf(key: string, finding: Finding | undefined): Scope {
  if (finding === undefined || key === findingKey(finding)) return 'finding';
  return key === stormKey(finding.cluster) ? 'storm' : 'cause';
}

function keyOf(finding: Finding, { group }: PlanOptions): string {
  return group === 'finding' ? findingKey(finding) : hash(['cause', finding.cluster, finding.rule]);
}

/** Keys become headers and parts of identifiers: a fingerprint of other characters is hashed. */
function findingKey({ fingerprint }: Finding): string {
  return /^[\w-]{1,64}$/.test(fingerprint) ? fingerprint : hash(['finding', fingerprint]);
}

function stormKey(cluster: string): string {
  return hash(['storm', cluster]);
}

function toldOf(finding: Finding, state: Told['state'], sketched: boolean): Told {
  const told = { fingerprint: finding.fingerprint, state, digest: digestOf(finding), toUs: finiteTime(finding.to) };
  if (sketched) return { ...told, sketch: sketchOf(finding) };
  return state === 'firing' ? { ...told, cluster: finding.cluster } : told;
}

/** Counts and texts change all the time; these are what an operator acts on. */
function digestOf({ severity, confidence, server, edges, objects }: Finding): string {
  return hash([severity, confidence, server, edges, objects]).slice(0, 8);
}

function hash(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16);
}

function worstFirst(a: Finding, b: Finding): number {
  return (
    SEVERITIES.indexOf(b.severity) - SEVERITIES.indexOf(a.severity) ||
    CONFIDENCES.indexOf(b.confidence) - CONFIDENCES.indexOf(a.confidence) ||
    (a.rule < b.rule ? -1 : a.rule > b.rule ? 1 : 0) ||
    (a.fingerprint < b.fingerprint ? -1 : a.fingerprint > b.fingerprint ? 1 : 0)
  );
}
