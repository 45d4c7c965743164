/** Where findings and correlated requests go beside the report. */
export { type OutputsEnvironment, openOutputs } from './create.js';
export { type Clock, systemClock } from './delivery/clock.js';
export { type LaneResult, type LaneStatus, refusedText, waitingText } from './delivery/delivery-news.js';
export { allDelivered, Lanes } from './delivery/lanes.js';
export {
  type DeliveryReport,
  isComplete,
  type Output,
  type OutputBatch,
  OutputError,
  type Recalled,
  type Undelivered,
} from './output.js';
