/** The life of findings between one judgement and the next. */
export { type FindingChange, FindingTracker, type TrackerOptions } from './tracker.js';
