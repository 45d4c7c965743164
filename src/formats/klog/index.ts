/** kube-apiserver process logs in klog's two forms. */
export { type KlogBody, readBody } from './fields.js';
export { type KlogHeader, looksLikeHeader, readHeader } from './header.js';
export { readJsonLine } from './json-line.js';
export { MAX_READ, MAX_TEXT, TextLogLine, type UnreadLine } from './text-line.js';
export { YearFinder } from './year.js';
