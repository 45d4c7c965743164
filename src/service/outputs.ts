/** What the service needs of everything that findings and requests are sent to. */
import type { OutputBatch } from '../outputs/index.js';
import type { SinkStatus } from './view.js';

export interface ServiceOutputs {
  /** Returns at once. */
  push(batch: OutputBatch): void;
  /** Resolves when there is room for more; at once when the signal is aborted. */
  room(signal: AbortSignal): Promise<void>;
  /** True when everything pushed before is acknowledged, turned down and kept, or safe on disk; false when aborted before. */
  settled(signal: AbortSignal): Promise<boolean>;
  status(): readonly SinkStatus[];
}
