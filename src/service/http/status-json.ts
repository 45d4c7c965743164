/** The service's own state as `/api/v1/status` gives it: times in RFC 3339, lags counted, the verdict in words. */
import type { Analysis } from '../../model/analysis.js';
import { formatTime, MILLISECOND } from '../../model/time.js';
import type { PartitionStatus, ServiceView } from '../view.js';
import { type Verdict, verdictsOf } from './verdicts.js';

export interface StatusAnswer {
  readonly version: string;
  readonly startedAt: string;
  readonly phase: 'starting' | 'catching-up' | 'live' | 'stopping';
  readonly ready: boolean;
  /** Why it is not; empty when it is. */
  readonly reasons: readonly string[];
  readonly window: { readonly from: string; readonly to: string } | null;
  readonly records: number;
  readonly recordsPerSecond: number;
  /** Members of the consumer group. */
  readonly members: number;
  readonly lag: {
    /** Messages that are not read yet, of the partitions of this member. */
    readonly messages: number;
    /** Event time of what is read, where that is furthest behind; null when nothing waits. */
    readonly behindSince: string | null;
  };
  readonly partitions: readonly (Omit<PartitionStatus, 'eventTimeUs'> & {
    readonly lag: number;
    readonly eventTime: string | null;
  })[];
  readonly sinks: readonly {
    readonly name: string;
    readonly delivered: number;
    readonly waiting: number;
    readonly refused: number;
    readonly failure: string;
  }[];
  readonly notes: readonly { readonly at: string; readonly message: string }[];
  readonly config: { readonly loadedAt: string; readonly failure: string };
  /** False before the first judgement: there are no findings, servers and so on to ask for yet. */
  readonly judged: boolean;
  /** One a cluster. */
  readonly verdicts: readonly Verdict[];
}

const VERDICTS = new WeakMap<Analysis, readonly Verdict[]>();

export function statusAnswer(view: ServiceView): StatusAnswer {
  const status = view.status();
  const analysis = view.analysis();
  const reasons = [...view.deadReasons(), ...view.unreadyReasons()];
  const partitions = status.partitions.map(({ eventTimeUs, ...rest }) => ({
    ...rest,
    lag: Math.max(0, rest.end - rest.position),
    eventTime: eventTimeUs === null ? null : formatTime(eventTimeUs),
  }));
  const behind = partitions.flatMap(({ lag, eventTime }) => (lag > 0 && eventTime !== null ? [eventTime] : [])).sort();
  return {
    version: status.version,
    startedAt: timeOf(status.startedAtMs),
    phase: status.phase,
    ready: reasons.length === 0,
    reasons,
    window: status.window && { from: formatTime(status.window.fromUs), to: formatTime(status.window.toUs) },
    records: status.records,
    recordsPerSecond: status.recordsPerSecond,
    members: status.members,
    lag: { messages: partitions.reduce((sum, { lag }) => sum + lag, 0), behindSince: behind[0] ?? null },
    partitions,
    sinks: status.sinks.map(({ name, delivered, waiting, refused, failure }) => ({
      name,
      delivered,
      waiting,
      refused,
      failure,
    })),
    notes: status.notes.map(({ atMs, message }) => ({ at: timeOf(atMs), message })),
    config: { loadedAt: timeOf(status.configLoadedAtMs), failure: status.configFailure },
    judged: analysis !== undefined,
    verdicts: analysis === undefined ? [] : verdictsOnce(analysis),
  };
}

function verdictsOnce(analysis: Analysis): readonly Verdict[] {
  const known = VERDICTS.get(analysis) ?? verdictsOf(analysis);
  VERDICTS.set(analysis, known);
  return known;
}

function timeOf(ms: number): string {
  return formatTime(ms * MILLISECOND);
}
