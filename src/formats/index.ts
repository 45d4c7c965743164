/** The formats stage: bytes in, records out. */

export { DecodedEvent } from './audit/decoded-event.js';
export type { AuditDecoder, Verdict } from './audit/decoder.js';
export { createFastDecoder, createReferenceDecoder } from './audit/index.js';
export { type DecompressOptions, decompress } from './decompress.js';
export { isGzip } from './gzip/header.js';
export { TextLogLine, type UnreadLine } from './klog/index.js';
export {
  type MessageCounters,
  MessageDecoder,
  type MessageDecoderOptions,
  type MessageResult,
} from './message-decoder.js';
export type { SenderName } from './outbox.js';
export { type DecoderCounters, RecordDecoder, type RecordDecoderOptions } from './record-decoder.js';
