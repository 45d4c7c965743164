/** The names of the results' contracts; apart from their zod schemas, which printing a result does not need. */
export const RESULT_SCHEMA_ID = 'skewscope.analysis/v1';
export const TRACE_SCHEMA_ID = 'skewscope.trace/v1';
