/** The name of the result's contract; apart from its zod schema, which printing a result does not need. */
export const RESULT_SCHEMA_ID = 'skewscope.analysis/v1';
