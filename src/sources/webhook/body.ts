/** Reads the body of one request, bounded in size, time and memory. */
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { type Answer, noRoom, refused } from './answer.js';
import type { Hold } from './budget.js';
import type { WebhookLimits } from './options.js';
import type { Tally } from './tally.js';

export interface BodyOptions {
  readonly gzip: boolean;
  readonly hold: Hold;
  readonly maxBytes: number;
  readonly limits: WebhookLimits;
  readonly tally: Tally;
}

const RATIO_FLOOR = 2 ** 20;

export function tooLarge(maxBytes: number): Answer {
  return refused(
    413,
    `the body is larger than ${maxBytes} bytes; lower --audit-webhook-batch-max-size or set ` +
      '--audit-webhook-truncate-enabled on the apiserver, or raise maxBodyBytes here',
  );
}

/**
 * The content, each byte of it counted in `hold`; an answer when it cannot be taken, and the rest of it is then still to
 * be read; undefined when the sender went away.
 */
export function readBody(request: IncomingMessage, options: BodyOptions): Promise<Buffer | Answer | undefined> {
  const { gzip, hold, maxBytes, limits, tally } = options;
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    let compressed = 0;
    const unzip = gzip ? createGunzip() : undefined;
    const source: Readable = unzip ?? request;
    const stalled = setTimeout(
      () => finish({ ...refused(408, `nothing of the body came for ${limits.stallMs} ms`), close: true }),
      limits.stallMs,
    );
    const finish = (result: Buffer | Answer | undefined) => {
      clearTimeout(stalled);
      source.off('data', take);
      request.off('data', note);
      if (unzip !== undefined) {
        request.unpipe(unzip);
        unzip.destroy();
      }
      resolve(result);
    };
    const take = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxBytes) finish(tooLarge(maxBytes));
      else if (gzip && bytes > RATIO_FLOOR && bytes > compressed * limits.gzipRatio) {
        finish(refused(413, `the body unpacks to more than ${limits.gzipRatio} times its size`));
      } else if (!hold.grow(chunk.length)) finish(noRoom(tally.overdue));
      else chunks.push(chunk);
    };
    const note = (chunk: Buffer) => {
      compressed += chunk.length;
      stalled.refresh();
    };
    request.on('data', note);
    const gone = () => {
      // A whole request is closed too, perhaps before all of it is unpacked.
      if (!request.complete) finish(undefined);
    };
    request.once('error', gone);
    request.once('close', gone);
    unzip?.once('error', () => finish(refused(400, 'the body says gzip and is not, or is damaged')));
    source.on('data', take);
    source.once('end', () => finish(Buffer.concat(chunks, bytes)));
    if (unzip !== undefined) request.pipe(unzip);
  });
}
