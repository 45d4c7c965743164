/** OTLP: proxied requests as spans, findings and states as log records, to a collector, a file, or people. */
export { createOtlpConsoleOutput } from './console-output.js';
export { isOtlpInEnvironment, namesEndpoint } from './endpoint-variables.js';
export { otelEnvironment } from './environment.js';
export { createOtlpFileOutput } from './file-output.js';
export { findingRecord } from './finding-logs.js';
export { metricsIntervalMs } from './metrics-schedule.js';
export { createOtlpOutput, type OtlpOutputOptions } from './otlp-output.js';
export { requestSpans } from './request-spans.js';
export { ServerResources } from './resources.js';
export { isFailure, isSampled } from './sampling.js';
export {
  type OtlpOptions,
  type OtlpSettings,
  OtlpSettingsError,
  otlpSettings,
} from './settings.js';
