/** Reads the answer to a fetch, in the version that kafkajs asks for of any broker since Kafka 2.3. */
import type { Incoming } from '../pack.js';
import { type Decompress, isReadable, type RecordBatch, readRecordBatches } from './record-batch.js';

export const FETCH_VERSION = 11;

/**
 * Stands for a whole record batch where kafkajs has its messages: with its last offset, so that kafkajs goes on behind
 * it. `isControlRecord`: nothing of it is to be read, as of transactions that were aborted.
 */
export interface BatchMessage {
  readonly offset: string;
  readonly isControlRecord: boolean;
  readonly records: Incoming | undefined;
}

interface FetchedPartition {
  readonly partition: number;
  readonly errorCode: number;
  readonly highWatermark: string;
  readonly lastStableOffset: string;
  readonly lastStartOffset: string;
  /** None is left to kafkajs: what they were about is left out here. */
  readonly abortedTransactions: readonly [];
  readonly preferredReadReplica: number;
  readonly messages: readonly BatchMessage[];
}

export interface FetchResponse {
  readonly throttleTime: number;
  readonly clientSideThrottleTime: number;
  readonly errorCode: number;
  readonly sessionId: number;
  readonly responses: readonly { readonly topicName: string; readonly partitions: readonly FetchedPartition[] }[];
}

/** Offset from which a partition was asked for. */
export type FetchOffset = (topic: string, partition: number) => number;

/** Undefined where messages of an older format are in it. Rejects for what is damaged. */
export async function readFetchResponse(
  payload: Buffer,
  from: FetchOffset,
  decompress: Decompress,
): Promise<FetchResponse | undefined> {
  const reader = new Reader(payload);
  const clientSideThrottleTime = reader.int32();
  const errorCode = reader.int16();
  const sessionId = reader.int32();
  const responses = [];
  for (let topics = reader.int32(); topics > 0; topics--) {
    const topicName = reader.bytes(reader.int16()).toString('utf8');
    const partitions: FetchedPartition[] = [];
    for (let left = reader.int32(); left > 0; left--) {
      const head = {
        partition: reader.int32(),
        errorCode: reader.int16(),
        highWatermark: reader.int64(),
        lastStableOffset: reader.int64(),
        lastStartOffset: reader.int64(),
      };
      const aborted: Aborted[] = [];
      for (let more = reader.int32(); more > 0; more--) {
        aborted.push({ producerId: reader.int64(), firstOffset: Number(reader.int64()) });
      }
      const preferredReadReplica = reader.int32();
      const bytes = reader.bytes(reader.int32());
      if (!isReadable(bytes)) return undefined;
      const batches = await readRecordBatches(bytes, decompress);
      const messages = messagesOf(batches, aborted, from(topicName, head.partition));
      partitions.push({ ...head, abortedTransactions: [], preferredReadReplica, messages });
    }
    responses.push({ topicName, partitions });
  }
  // The throttling is this client's to do: kafkajs does it for what the broker did not.
  return { throttleTime: 0, clientSideThrottleTime, errorCode, sessionId, responses };
}

interface Aborted {
  readonly producerId: string;
  readonly firstOffset: number;
}

function messagesOf(batches: readonly RecordBatch[], aborted: readonly Aborted[], from: number): BatchMessage[] {
  const waiting = aborted.toSorted((a, b) => a.firstOffset - b.firstOffset);
  const open = new Set<string>();
  return batches.flatMap<BatchMessage>(({ baseOffset, lastOffset, producerId, inTransaction, isControl, records }) => {
    for (let next = waiting[0]; next !== undefined && next.firstOffset <= lastOffset; next = waiting[0]) {
      open.add(next.producerId);
      waiting.shift();
    }
    const isAborted = inTransaction && open.has(producerId);
    // Of a transaction that was aborted it is the end; of one that was committed the producer is not among them.
    if (isControl) open.delete(producerId);
    if (lastOffset < from) return [];
    const offset = String(lastOffset);
    if (!isControl && !isAborted && records.offsets.length > 0) return [{ offset, isControlRecord: false, records }];
    // Where it begins is told as well: offsets must go on without a gap.
    const first = { offset: String(Math.max(baseOffset, from)), isControlRecord: true, records: undefined };
    return first.offset === offset ? [first] : [first, { ...first, offset }];
  });
}

class Reader {
  #at = 0;

  constructor(private readonly payload: Buffer) {}

  int16(): number {
    this.#at += 2;
    return this.payload.readInt16BE(this.#at - 2);
  }

  int32(): number {
    this.#at += 4;
    return this.payload.readInt32BE(this.#at - 4);
  }

  int64(): string {
    this.#at += 8;
    return this.payload.readBigInt64BE(this.#at - 8).toString();
  }

  bytes(length: number): Buffer {
    this.#at += Math.max(0, length);
    return this.payload.subarray(this.#at - Math.max(0, length), this.#at);
  }
}
