/** What a caller of the analysis chooses. */
import type { FindingChange } from '../findings/index.js';
import type { Analysis } from '../model/analysis.js';
import type { ProxiedRequest } from '../model/proxied-request.js';
import type { RuleSet } from '../rules/index.js';
import type { Assignment } from '../sources/index.js';

export interface AnalyzeOptions {
  readonly rules: RuleSet;
  /** Server names for inputs, by glob over the path or the file name. */
  readonly servers?: readonly Assignment[];
  readonly cluster?: string;
  /** Records before `since` and after `until` (microseconds since the epoch) are left out. */
  readonly since?: number;
  readonly until?: number;
  /** Aborted: reading stops, and the result covers what was read. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
  /** Told each proxied request once, when it is complete: soon in a watch, at the latest at the end. */
  readonly onRequests?: (requests: readonly ProxiedRequest[]) => void;
  /** Threads that decode beside this one; by default none for small inputs or on a single processor, else one. */
  readonly workers?: number;
}

/** Bytes as stored, over all inputs; the total is null while an input has no known size. */
export interface Progress {
  readonly bytes: number;
  readonly totalBytes: number | null;
}

export interface WatchOptions extends AnalyzeOptions {
  /** Called soon after records that changed something; `changes` are findings opened, updated, resolved. */
  readonly onUpdate: (analysis: Analysis, changes: readonly FindingChange[]) => void;
}
