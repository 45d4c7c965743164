/** One JSON object a line, appended to a file or written to a stream: each change of each finding. */
import { type FileHandle, open } from 'node:fs/promises';
import { explainSystemError } from '../../../sources/source.js';
import type { Notice } from '../../delivery/notice.js';
import { createReliableOutput, type DeliveryOptions } from '../../delivery/reliable-output.js';
import type { Sink } from '../../delivery/sink.js';
import type { Output } from '../../output.js';
import { noticeLine } from './line.js';

export interface NdjsonOptions {
  readonly name?: string;
  /** A file that is created where it is missing, or how to write to a stream such as standard output. */
  readonly target: string | ((text: string) => Promise<void>);
  readonly delivery?: Partial<DeliveryOptions>;
}

const BATCH = 64;

/** @example createNdjson({ target: '/var/log/skewscope/findings.ndjson' }) */
export function createNdjson({ name = 'ndjson', target, delivery = {} }: NdjsonOptions): Output {
  const sink = typeof target === 'string' ? fileSink(name, target) : streamSink(name, target);
  const storm = delivery.storm ?? { limit: Number.POSITIVE_INFINITY, windowMs: 1 };
  return createReliableOutput(sink, { ...delivery, storm });
}

function streamSink(name: string, write: (text: string) => Promise<void>): Sink {
  return {
    name: `${name} standard output`,
    batch: BATCH,
    payload: noticeLine,
    async send(notices) {
      await write(textOf(notices));
      return { outcome: 'delivered', answer: 'written' };
    },
    close: async () => {},
  };
}

function fileSink(name: string, path: string): Sink {
  let handle: FileHandle | undefined;
  return {
    name: `${name} ${path}`,
    batch: BATCH,
    payload: noticeLine,
    async send(notices) {
      try {
        handle ??= await openAtLineStart(path);
        await handle.appendFile(textOf(notices));
        await handle.datasync().catch(ignoreNoSync);
        return { outcome: 'delivered', answer: 'written' };
      } catch (error) {
        await handle?.close();
        handle = undefined;
        return { outcome: 'retry', reason: explainSystemError(path, error), answered: false };
      }
    },
    async close() {
      await handle?.close();
      handle = undefined;
    },
  };
}

/** A process that died while it wrote has left half a line: the next one starts on its own. */
async function openAtLineStart(path: string): Promise<FileHandle> {
  const handle = await open(path, 'a+', 0o640);
  const { size } = await handle.stat();
  if (size === 0) return handle;
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
  if (buffer[0] !== 10) await handle.appendFile('\n');
  return handle;
}

/** Pipes and devices cannot be synced. */
function ignoreNoSync(error: unknown): void {
  if (!(error instanceof Error) || !('code' in error) || (error.code !== 'EINVAL' && error.code !== 'ENOTSUP'))
    throw error;
}

function textOf(notices: readonly Notice[]): string {
  return notices.map((notice) => `${noticeLine(notice)}\n`).join('');
}
