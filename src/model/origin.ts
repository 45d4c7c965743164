/** Where a fact came from: an input and a place in it, so that every statement can be traced back to bytes. */

/** One input of a run: a file, standard input, a Kafka partition, or memory (tests, library callers). */
export interface InputRef {
  /** Position in the run's sorted list of inputs; unique in one run. Those of an input's parts lie between its own and the next. */
  readonly id: number;
  /** Name shown to people: the path as given, `-` for stdin, `topic/partition` for Kafka. */
  readonly name: string;
  readonly kind: 'file' | 'stdin' | 'kafka' | 'memory';
  /** Server name that the user assigned to this input (`--server NAME=GLOB`). */
  readonly server?: string;
  /** Name of the server that wrote these records, as the envelopes around them tell. */
  readonly writer?: string;
  /** The input of which this is what one writer wrote. */
  readonly of?: InputRef;
  /** Cluster name that the user or the envelope assigned. */
  readonly cluster?: string;
  /**
   * What one server wrote into several partitions of a topic, whose name this input has: in place of a line stands
   * `partitionLine`, from which `placeIn` tells the partition.
   */
  readonly partitioned?: true;
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
  /** Of what came from Kafka: `input` is `topic/partition`, and `line` one of the message at `offset`. */
  readonly kind?: 'kafka' | undefined;
  readonly input: string;
  readonly line: number;
  readonly offset: number;
  readonly quote: string;
}

/** Records of one message are counted up to here. */
const LINES = 1 << 20;

/** A line within a message, and the partition that the message came from, as one number. */
export function partitionLine(partition: number, line: number): number {
  return partition * LINES + Math.min(line, LINES - 1);
}

/** The input and the line as people know them: `topic/partition` and the line in the message, where it is partitioned. */
export function placeIn(input: InputRef, line: number): { readonly input: string; readonly line: number } {
  if (input.partitioned !== true) return { input: input.name, line };
  return { input: `${input.name}/${Math.floor(line / LINES)}`, line: line % LINES };
}

/** `audit.log:17`, or `topic/partition@offset` for what came from Kafka. */
export function originText(input: InputRef, line: number, offset: number): string {
  return placeText({ ...kindOf(input), ...placeIn(input, line), offset });
}

/** The kind as an Evidence has it. */
export function kindOf({ kind }: InputRef): Pick<Evidence, 'kind'> {
  return kind === 'kafka' ? { kind } : {};
}

/** Where an evidence stands, in the same words. */
export function placeText({ kind, input, line, offset }: Omit<Evidence, 'quote'>): string {
  return kind === 'kafka' ? `${input}@${offset}` : `${input}:${line}`;
}
