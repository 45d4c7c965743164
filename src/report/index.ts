/** Everything that turns a finished Analysis into something to read: for people, and for programs. */
export { escapeJson, renderJson } from './json.js';
export { ndjsonStream, renderNdjson } from './ndjson.js';
export { sortFindings } from './order.js';
export { toResult, toResultFinding } from './result.js';
export {
  type AnalysisResult,
  RESULT_SCHEMA_ID,
  type ResultFinding,
  resultJsonSchema,
  resultSchema,
} from './result-schema.js';
export { renderText, type TextOptions } from './text/index.js';
