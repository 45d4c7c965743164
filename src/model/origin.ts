/** Where a fact came from: an input and a place in it, so that every statement can be traced back to bytes. */

/** One input of a run: a file, standard input, a Kafka partition, or memory (tests, library callers). */
export interface InputRef {
  /** Position in the run's sorted list of inputs; unique in one run. */
  readonly id: number;
  /** Name shown to people: the path as given, `-` for stdin, `topic/partition` for Kafka. */
  readonly name: string;
  readonly kind: 'file' | 'stdin' | 'kafka' | 'memory';
  /** Server name that the user assigned to this input (`--server NAME=GLOB`). */
  readonly server?: string;
  /** Cluster name that the user or the envelope assigned. */
  readonly cluster?: string;
  /** A first look showed that several servers write into it by turns, as into what an audit webhook collected. */
  readonly mixed?: boolean;
  /** Microseconds since the epoch; the year of klog text (which has none) is taken from here. */
  readonly yearHintUs?: number;
}

/** A place in an input. Lines count from 1; offsets are bytes of the decompressed content, or the Kafka offset. */
export interface Origin {
  readonly input: InputRef;
  readonly line: number;
  readonly offset: number;
}

/** An Origin with the quoted text that stands there, already cut to a bounded length. */
export interface Evidence {
  readonly input: string;
  readonly line: number;
  readonly offset: number;
  readonly quote: string;
}
