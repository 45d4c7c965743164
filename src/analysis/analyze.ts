/** Reads inputs to their end and says what the records prove. */
import type { Analysis } from '../model/analysis.js';
import { assignSources, type Source } from '../sources/index.js';
import { mergeByTime } from './merge.js';
import type { AnalyzeOptions } from './options.js';
import { Readers } from './readers.js';
import { Session } from './session.js';
import { survey } from './survey.js';

/**
 * The same records give the same result whatever the order, partition, duplication or compression of the inputs.
 * Memory is bounded by windows over event time, not by the inputs' size. An unreadable input is counted, not thrown.
 */
export async function analyze(sources: readonly Source[], options: AnalyzeOptions): Promise<Analysis> {
  const { sources: assigned } = assignSources(sources, options.servers ?? [], options.cluster);
  const progress = countBytes(assigned, options);
  const readers = new Readers(assigned, options.workers);
  const session = new Session(options, readers.memories);
  try {
    const surveyed = await survey(assigned, options.signal, (input, source) => readers.look(input, source));
    const inputs = surveyed.map(({ source, input, beginsAt }) => ({
      reader: readers.open(input, source, progress),
      beginsAt,
    }));
    session.readers = inputs.map(({ reader }) => reader);
    await mergeByTime(inputs, session.take, options.signal);
    await Promise.all(inputs.map(({ reader }) => reader.close()));
  } finally {
    await readers.close();
  }
  return session.end();
}

export function countBytes(sources: readonly Source[], options: AnalyzeOptions): (count: number) => void {
  const sizes = sources.map((source) => source.bytes);
  const totalBytes = sizes.some((size) => size === null)
    ? null
    : sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);
  let bytes = 0;
  return (count) => {
    bytes += count;
    options.onProgress?.({ bytes, totalBytes });
  };
}
