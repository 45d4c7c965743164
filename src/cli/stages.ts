/** What the commands ask of the stages, loaded when a command needs it: `--help` reads none of them. */
import type { AnalyzeOptions, WatchOptions } from '../analysis/index.js';
import type { TraceStory } from '../analysis/trace-story.js';
import type { Analysis } from '../model/analysis.js';
import type { Source } from '../sources/index.js';
import { steadyHeap } from './steady-heap.js';

export interface Stages {
  analyze(sources: readonly Source[], options: AnalyzeOptions): Promise<Analysis>;
  watch(sources: readonly Source[], options: WatchOptions): Promise<Analysis>;
  traceRequest(
    sources: readonly Source[],
    auditID: string,
    options: Omit<AnalyzeOptions, 'rules'>,
  ): Promise<TraceStory>;
}

export const lazyStages: Stages = {
  async analyze(sources, options) {
    (await import('../analysis/decode/ahead.js')).startDecoding(sources);
    const { analyze } = await import('../analysis/index.js');
    const steady = steadyHeap();
    const onProgress: AnalyzeOptions['onProgress'] = (progress) => {
      steady(progress.bytes);
      options.onProgress?.(progress);
    };
    return analyze(sources, { ...options, onProgress });
  },
  async watch(sources, options) {
    return (await import('../analysis/index.js')).watch(sources, options);
  },
  async traceRequest(sources, auditID, options) {
    return (await import('../analysis/trace.js')).traceRequest(sources, auditID, options);
  },
};
