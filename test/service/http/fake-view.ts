/** A service that is all setting: what it shows can be changed while a server shows it. */
import type { Analysis } from '../../../src/model/analysis.js';
import type { ProxiedRequest } from '../../../src/model/proxied-request.js';
import type { PartitionStatus, ServiceStatus, ServiceView, SinkStatus } from '../../../src/service/view.js';

/** 2026-01-02T03:04:05Z. */
export const START_MS = 1_767_323_045_000;

export class FakeView implements ServiceView {
  dead: readonly string[] = [];
  unready: readonly string[] = [];
  judged: Analysis | undefined;
  requests: readonly ProxiedRequest[] = [];
  current: ServiceStatus = status();

  status(): ServiceStatus {
    return this.current;
  }

  deadReasons(): readonly string[] {
    return this.dead;
  }

  unreadyReasons(): readonly string[] {
    return this.unready;
  }

  analysis(): Analysis | undefined {
    return this.judged;
  }

  recentRequests(): readonly ProxiedRequest[] {
    return this.requests;
  }
}

export function status(changes: Partial<ServiceStatus> = {}): ServiceStatus {
  return {
    version: '1.2.3',
    startedAtMs: START_MS,
    phase: 'live',
    window: null,
    records: 16_455,
    recordsPerSecond: 412.4,
    members: 1,
    partitions: [partition(0), partition(1)],
    sinks: [sink()],
    notes: [],
    configLoadedAtMs: START_MS,
    configFailure: '',
    ...changes,
  };
}

export function partition(number: number, changes: Partial<PartitionStatus> = {}): PartitionStatus {
  return {
    topic: 'audit',
    partition: number,
    position: 900,
    committed: 880,
    end: 900,
    eventTimeUs: START_MS * 1000,
    paused: false,
    unreadable: 0,
    unnamed: 0,
    ...changes,
  };
}

export function sink(changes: Partial<SinkStatus> = {}): SinkStatus {
  return { name: 'alertmanager', delivered: 12, waiting: 0, refused: 0, failure: '', isFailing: false, ...changes };
}
