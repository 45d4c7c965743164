/** What the commands ask of the stages, loaded when a command needs it: `--help` reads none of them. */
import type { FindingChange } from '../findings/index.js';
import type { Analysis } from '../model/analysis.js';
import type { RuleSet } from '../rules/index.js';
import type { Source } from '../sources/index.js';
import type { TraceStory } from './trace-story.js';

export interface AnalysisOptions {
  readonly rules: RuleSet;
  readonly servers?: readonly { readonly name: string; readonly glob: string }[];
  /** Microseconds since the epoch. */
  readonly since?: number;
  readonly until?: number;
  /** Aborted: stop reading, and give what there is. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: { readonly bytes: number; readonly totalBytes: number | null }) => void;
  readonly nowUs?: number;
}

export interface WatchOptions extends AnalysisOptions {
  readonly onUpdate: (analysis: Analysis, changes: readonly FindingChange[]) => void;
}

export interface Stages {
  analyze(sources: readonly Source[], options: AnalysisOptions): Promise<Analysis>;
  watch(sources: readonly Source[], options: WatchOptions): Promise<Analysis>;
  traceRequest(
    sources: readonly Source[],
    auditID: string,
    options: Omit<AnalysisOptions, 'rules'>,
  ): Promise<TraceStory>;
}

export const lazyStages: Stages = {
  async analyze(sources, options) {
    return (await import('../analysis/index.js')).analyze(sources, options);
  },
  async watch(sources, options) {
    return (await import('../analysis/index.js')).watch(sources, options);
  },
  async traceRequest(sources, auditID, options) {
    return (await import('../analysis/trace.js')).traceRequest(sources, auditID, options);
  },
};
