/**
 * What log shippers and container runtimes wrap around records, and who wrote them according to that.
 * A new envelope is one more description in object-shapes.ts or line-shapes.ts.
 */
export { Envelopes } from './envelopes.js';
