/** Takes gzip off a stream of bytes, member after member; anything else passes through as it is. */
import { crc32 } from 'node:zlib';
import type { ProblemReason } from '../model/record.js';
import { isGzip, takeHeader } from './gzip/header.js';
import { Inflate, STEP } from './gzip/inflate.js';
import { Pushback } from './gzip/pushback.js';

export interface DecompressOptions {
  /** Size of the content, in bytes, at which reading stops; 1 TiB by default. */
  readonly maxBytes?: number;
  /**
   * Ratio of content to compressed bytes at which reading stops once there is more than 1 MiB of content. Without a
   * limit by default: content is never held, and a log that begins with gigabytes of NUL bytes reaches gzip's 1032.
   */
  readonly maxRatio?: number;
}

type Report = (reason: ProblemReason, detail: string) => void;
type Problem = readonly [reason: ProblemReason, detail: string];

const TRAILER = 8;
const RATIO_FLOOR = 1024 * 1024;
const CUT: Problem = ['truncated-gzip', 'the compressed content ends too early'];

/**
 * Recognises gzip by its first two bytes. Concatenated members are read to the end. Reported, with all content before
 * it kept: `damaged-gzip` (a damaged member, a wrong checksum, bytes behind the last member that are no member),
 * `truncated-gzip` (the end is missing), `unreadable` (content beyond the limits). Errors of the source are passed on.
 * Holds one chunk of the source and at most 17 MB of content.
 *
 * @example
 * for await (const chunk of decompress(createReadStream(path), report)) decoder.feed(chunk);
 */
export async function* decompress(
  chunks: AsyncIterable<Buffer>,
  onProblem: Report,
  options: DecompressOptions = {},
): AsyncGenerator<Buffer, void, undefined> {
  const source = new Pushback(chunks);
  try {
    if (isGzip(await source.peek(2))) yield* readMembers(source, onProblem, new Budget(options));
    else for (let chunk = await source.next(); chunk !== undefined; chunk = await source.next()) yield chunk;
  } finally {
    await source.close();
  }
}

async function* readMembers(source: Pushback, report: Report, budget: Budget): AsyncGenerator<Buffer, void, undefined> {
  for (;;) {
    const header = await takeHeader(source);
    if (header === 'cut') report(...CUT);
    else if (header === 'damaged') report('damaged-gzip', 'a gzip header that is none');
    if (header !== 'ok') return;
    const problem = yield* readMember(source, report, budget);
    if (problem !== undefined) {
      report(...problem);
      return;
    }
    const next = await source.peek(2);
    if (next.length === 0) return;
    if (!isGzip(next)) {
      report('damaged-gzip', 'bytes behind the compressed content that are no part of it');
      return;
    }
  }
}

/** The content of one member; the problem after which nothing more can be read, if there is one. */
async function* readMember(
  source: Pushback,
  report: Report,
  budget: Budget,
): AsyncGenerator<Buffer, Problem | undefined, undefined> {
  const inflate = new Inflate();
  let checksum = 0;
  try {
    for (let chunk = await source.next(); chunk !== undefined; chunk = await source.next()) {
      source.putBack(chunk.subarray(STEP));
      const step = await inflate.step(chunk.subarray(0, STEP));
      budget.read(step.used);
      for (const piece of step.content) {
        checksum = crc32(piece, checksum);
        if (!budget.allows(piece.length)) return ['unreadable', budget.complaint];
        yield piece;
      }
      if (step.failure !== undefined) return ['damaged-gzip', `damaged compressed content: ${step.failure}`];
      if (step.ended) {
        source.putBack(chunk.subarray(step.used, STEP));
        return await checkTrailer(source, checksum, report);
      }
    }
    return CUT;
  } finally {
    inflate.close();
  }
}

async function checkTrailer(source: Pushback, checksum: number, report: Report): Promise<Problem | undefined> {
  const trailer = await source.peek(TRAILER);
  if (trailer.length < TRAILER) return CUT;
  if (trailer.readUInt32LE(0) !== checksum) report('damaged-gzip', 'the checksum of the content is wrong');
  await source.drop(TRAILER);
  return undefined;
}

/** Keeps the content within the limits. */
class Budget {
  complaint = '';
  private compressed = 0;
  private content = 0;

  constructor(private readonly options: DecompressOptions) {}

  read(bytes: number): void {
    this.compressed += bytes;
  }

  allows(bytes: number): boolean {
    this.content += bytes;
    const { maxBytes = 2 ** 40, maxRatio = Number.POSITIVE_INFINITY } = this.options;
    if (this.content > maxBytes) this.complaint = `more than ${maxBytes} bytes of content: the rest was not read`;
    else if (this.content > RATIO_FLOOR && this.content > this.compressed * maxRatio)
      this.complaint = `content more than ${maxRatio} times its compressed size: the rest was not read`;
    return this.complaint === '';
  }
}
