/** Audit decoders: two implementations of one interface, made by factories. */
export { type AuditDecoder, MAX_DEPTH, type Verdict, verdicts } from './decoder.js';
export { createFastDecoder } from './fast.js';
export { createReferenceDecoder } from './reference.js';
export { parseTimestamp } from './timestamp.js';
