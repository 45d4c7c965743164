/** Decoding by way of real messages, but in this thread, and records as plain values that can be compared. */
import { EventEmitter } from 'node:events';
import { statSync } from 'node:fs';
import { MessageChannel } from 'node:worker_threads';
import { serveDecoding } from '../../../src/analysis/decode/decode-server.js';
import { DecodeThread, type DecodeWorker } from '../../../src/analysis/decode/decode-thread.js';
import { Memories } from '../../../src/analysis/decode/memories.js';
import type { Answer, Order } from '../../../src/analysis/decode/messages.js';
import { ThreadedReader, type ThreadedReaderOptions } from '../../../src/analysis/decode/threaded-reader.js';
import { InputReader, reread } from '../../../src/analysis/input-reader.js';
import type { RecordReader } from '../../../src/analysis/record-reader.js';
import { detachEvent, type Rec } from '../../../src/model/record.js';
import { fileSource, type Source, SourceError } from '../../../src/sources/index.js';
import { makeFolder } from '../../sources/folder.js';

/** What a worker would be; `orders` and `answers` are what was said so far. */
export class LocalWorker extends EventEmitter implements DecodeWorker {
  readonly orders: Order[] = [];
  readonly answers: Answer[] = [];
  terminated = false;
  readonly #channel = new MessageChannel();

  constructor() {
    super();
    serveDecoding(this.#channel.port2);
    // As a worker that is not waited for, it keeps no process.
    this.#channel.port2.unref();
    this.#channel.port1.on('message', (answer: Answer) => {
      this.answers.push(answer);
      this.emit('message', answer);
    });
  }

  postMessage(order: Order, transfer: readonly ArrayBuffer[]): void {
    this.orders.push(order);
    this.#channel.port1.postMessage(order, transfer);
  }

  ref(): void {
    this.#channel.port1.ref();
  }

  unref(): void {
    this.#channel.port1.unref();
  }

  async terminate(): Promise<void> {
    this.terminated = true;
    this.#channel.port1.close();
  }
}

export interface Threaded {
  readonly reader: ThreadedReader;
  readonly worker: LocalWorker;
  readonly memories: Memories;
  readonly thread: DecodeThread;
}

export function threaded(source: Source, options: Partial<ThreadedReaderOptions> = {}): Threaded {
  const worker = new LocalWorker();
  const thread = new DecodeThread(worker);
  const memories = new Memories();
  const given = { thread, memories, reread, ahead: 4, onBytes: undefined, ...options };
  const reader = new ThreadedReader({ ...source.input, id: 0 }, source, given);
  return { reader, worker, memories, thread };
}

export interface Read {
  readonly records: readonly unknown[];
  /** Whose each of them is, by number and name. */
  readonly writers: readonly unknown[];
  readonly bytes: number;
  readonly count: number;
  readonly problems: readonly (readonly [string, number])[];
}

export async function readAll(reader: RecordReader): Promise<Read> {
  const records: unknown[] = [];
  const writers: unknown[] = [];
  for (let batch = await reader.next(); batch !== undefined; batch = await reader.next()) {
    const { input, inputs } = reader;
    let at = 0;
    for (const record of batch) {
      const { id, writer, cluster } = inputs?.[at] ?? input;
      records.push(plain(record));
      writers.push([id, writer, cluster]);
      at += 1;
    }
  }
  await reader.close();
  const problems = [...reader.problems].sort(([a], [b]) => (a < b ? -1 : 1));
  return { records, writers, bytes: reader.bytes, count: reader.records, problems };
}

/** What both ways of reading make of a source. */
export async function bothWays(source: Source): Promise<{ here: Read; there: Read }> {
  const here = await readAll(new InputReader({ ...source.input, id: 0 }, source));
  const { reader, thread } = threaded(source);
  const there = await readAll(reader);
  await thread.close();
  return { here, there };
}

/** Content in chunks of `size`, as from a pipe. */
export function source(content: string | Buffer, { size = 1 << 20, failsAt = Number.POSITIVE_INFINITY } = {}): Source {
  const bytes = Buffer.from(content);
  return {
    input: { name: 'audit.log', kind: 'memory', yearHintUs: Date.UTC(2026, 5, 1) * 1000 },
    bytes: bytes.length,
    live: false,
    async *open() {
      for (let at = 0; at < bytes.length; at += size) {
        if (at >= failsAt) throw new SourceError('audit.log', 'audit.log: the disk failed');
        yield Buffer.from(bytes.subarray(at, at + size));
      }
    },
  };
}

/** Content that stands in a file until `dropFiles`. */
export function fileOf(content: string | Buffer): Source {
  const folder = makeFolder({ 'audit.log': content });
  folders.push(folder);
  const path = `${folder.path}/audit.log`;
  return fileSource(path, statSync(path));
}

const folders: { drop(): void }[] = [];

export function dropFiles(): void {
  for (const { drop } of folders.splice(0)) drop();
}

/** All that a record says, its own text and bodies included. */
export function plain(record: Rec): unknown {
  if (record.type === 'log') {
    const { type, line, offset, timeUs, severity, file, message, fields, text } = record;
    return { type, line, offset, timeUs, severity, file, message, fields: fields && [...fields], text };
  }
  if (record.type === 'metric') return { ...record, labels: [...record.labels] };
  if (record.type !== 'audit') return { ...record };
  const { bytes, start, end, requestObject, responseObject } = record;
  const { bytes: _, start: _start, end: _end, ...fields } = detachEvent(record);
  const textOf = (from: number, to: number) => bytes.toString('latin1', from, to);
  return {
    ...fields,
    text: textOf(start, end),
    requestObject: requestObject && textOf(requestObject.start, requestObject.end),
    responseObject: responseObject && textOf(responseObject.start, responseObject.end),
  };
}
