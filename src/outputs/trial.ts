/** Tries outputs out: one marked alert and one marked span each, and what came back. */
import { randomUUID } from 'node:crypto';
import type { Finding } from '../model/finding.js';
import type { ProxiedRequest } from '../model/proxied-request.js';
import type { Clock } from './delivery/clock.js';
import { deliverWithin } from './delivery/deliver-within.js';
import { triedText } from './delivery/delivery-news.js';
import { type DeliveryReport, EMPTY_ANALYSIS, type Output, type OutputBatch } from './output.js';

export interface TrialResult {
  readonly name: string;
  readonly ok: boolean;
  /** What the receiver said, or what went wrong. */
  readonly words: string;
}

export interface TrialOptions {
  readonly clock: Clock;
  /** For one output, in milliseconds. */
  readonly withinMs: number;
  /** The alert is resolved as well. */
  readonly resolve: boolean;
}

/** All side by side; results in their order. The outputs are closed. */
export function tryOutputs(outputs: readonly Output[], options: TrialOptions): Promise<TrialResult[]> {
  const finding = trialFinding(options.clock.now() * 1000);
  return Promise.all(outputs.map((output) => tryOutput(output, finding, options)));
}

async function tryOutput(output: Output, finding: Finding, options: TrialOptions): Promise<TrialResult> {
  const { name } = output;
  const { clock, withinMs, resolve } = options;
  try {
    const opened = await deliverWithin(output, batchOf('opened', finding), withinMs, clock);
    const result = verdictOf(name, opened);
    if (!result.ok || !resolve) return result;
    const resolved = verdictOf(name, await deliverWithin(output, batchOf('resolved', finding), withinMs, clock));
    return { ...resolved, words: `${result.words}; resolved: ${resolved.words}` };
  } finally {
    await output.close();
  }
}

function verdictOf(name: string, { delivered, waiting, refused, answer }: DeliveryReport): TrialResult {
  const reasons = [
    ...refused.map(({ reason }) => reason),
    ...waiting.map(({ reason, triedMs = 0 }) => `${reason}${triedText(triedMs)}`),
  ];
  if (reasons.length > 0) return { name, ok: false, words: [...new Set(reasons)].join('; ') };
  return delivered === 0
    ? { name, ok: false, words: 'nothing was sent' }
    : { name, ok: true, words: answer ?? 'delivered' };
}

function batchOf(kind: 'opened' | 'resolved', finding: Finding): OutputBatch {
  const findings = kind === 'opened' ? [finding] : [];
  return {
    changes: [{ kind, finding }],
    findings,
    requests: kind === 'opened' ? [trialRequest(finding)] : [],
    analysis: {
      ...EMPTY_ANALYSIS,
      window: { from: finding.from, to: finding.to },
      clusters: [finding.cluster],
      findings,
    },
  };
}

const MARK = 'skewscope-test';
/** Makes `SkewscopeTest` the name of the alert. */
const RULE = 'test';

/** A fingerprint of its own each time: a receiver that has seen one test shows the next one too. */
function trialFinding(nowUs: number): Finding {
  return {
    rule: RULE,
    title: 'Test alert of skewscope',
    fingerprint: randomUUID().replaceAll('-', '').slice(0, 16),
    severity: 'info',
    confidence: 'certain',
    cluster: MARK,
    server: MARK,
    edges: [],
    resource: null,
    objects: [],
    from: nowUs,
    to: nowUs,
    count: 1,
    summary: 'Test alert of skewscope: nothing is wrong',
    meaning: 'Somebody tried out where skewscope sends its findings.',
    cause: '`skewscope outputs test` was run.',
    fix: 'Nothing has to be done.',
    verify: 'That you read this shows that the output works.',
    references: [],
    evidence: [],
  };
}

function trialRequest({ from, fingerprint }: Finding): ProxiedRequest {
  const side = { server: `${MARK}-source`, receivedUs: from, doneUs: from + 2_000, code: 200, input: MARK, line: 1 };
  return {
    auditID: randomUUID(),
    cluster: MARK,
    verb: 'get',
    requestURI: `/api/v1/namespaces/${MARK}/configmaps/${fingerprint}`,
    resource: 'configmaps/v1',
    namespace: MARK,
    name: fingerprint,
    userAgent: 'skewscope outputs test',
    sourceIPs: '127.0.0.1',
    source: side,
    destination: { ...side, server: `${MARK}-destination`, receivedUs: from + 500, doneUs: from + 1_500 },
    cause: null,
    skewUs: 0,
    ambiguous: false,
  };
}
