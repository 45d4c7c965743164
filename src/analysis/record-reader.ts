/** What the merge asks of whoever reads an input: its records batch by batch, and what was counted up to there. */
import type { InputRef } from '../model/origin.js';
import type { ProblemReason, Rec } from '../model/record.js';
import type { Source } from '../sources/index.js';

/** The records of a batch; an array of them, or what makes each of them when it is asked for it. */
export interface Records extends Iterable<Rec> {
  readonly length: number;
  /** From 0; undefined from `length` on. */
  at(index: number): Rec | undefined;
}

export interface RecordReader {
  readonly input: InputRef;
  readonly source: Source;
  /** Content bytes, records and problems of the batches that were given out. */
  readonly bytes: number;
  readonly records: number;
  readonly problems: ReadonlyMap<ProblemReason, number>;
  /**
   * The next records, possibly none; undefined after the last. The events given before may not be used any more: what is
   * wanted of them later is to be copied.
   */
  next(): Promise<Records | undefined>;
  /** The input that each of the records given last belongs to (see InputParts); undefined when all belong to `input`. */
  readonly inputs: readonly InputRef[] | undefined;
  /** Records that only wait for a possible continuation line; for live inputs that have gone quiet. */
  idle(): Rec[];
  /** Ends reading, at any time; `next` gives undefined from then on. */
  close(): Promise<void>;
}
