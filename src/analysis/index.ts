/** The one place that joins the stages, for the command line, the library and the service. */
export { analyze } from './analyze.js';
export type { AnalyzeOptions, Progress, WatchOptions } from './options.js';
export { watch } from './watch.js';
