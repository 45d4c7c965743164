/** Sees to it that all of a cluster is in one partition of the topic between the stages, and says when it is not. */
import type { TopicPartition } from '../../kafka/port.js';
import type { BlockHeader } from '../stage-one/block-format.js';
import { partitionOf } from '../stage-one/keying.js';

export class KeyingCheck {
  readonly #between: { readonly partitions: number };
  readonly #onNote: (text: string) => void;
  readonly #said = new Set<string>();
  /** The latest event time of blocks that lie in the wrong partition, in microseconds. */
  #wrongUs = Number.NEGATIVE_INFINITY;
  #wrong = '';

  /** `partitions`: how many this replica spreads clusters over. */
  constructor(between: { readonly partitions: number }, onNote: (text: string) => void) {
    this.#between = between;
    this.#onNote = onNote;
  }

  /** Looks at a block, also at one without frames: all replicas write those to all partitions that they know of. */
  check(header: BlockHeader, { topic, partition }: TopicPartition): void {
    const { partitions } = this.#between;
    const { of, cluster } = header;
    const right = header.frames === 0 ? partition : partitionOf(cluster, of);
    if (right === partition && of === partitions) return;
    if (of !== partitions) {
      this.#wrong = `${topic}: a replica spreads clusters over ${of} partitions and this one over ${partitions}, so parts of a cluster may lie in two of them: partitions were added; restart all replicas, and findings are whole again when the windows of that time have ended`;
    } else {
      const name = cluster === '' ? 'what names no cluster' : `cluster ${JSON.stringify(cluster.slice(0, 100))}`;
      this.#wrong = `${topic}/${partition}: ${name} belongs to partition ${right}: another program than skewscope writes blocks there; let only skewscope write to the topic`;
    }
    for (const { us } of header.states) this.#wrongUs = Math.max(this.#wrongUs, us ?? 0);
    this.#say(`${of} ${right === partition}`, this.#wrong);
  }

  /** A message that is no block. */
  foreign({ topic, partition }: TopicPartition, what: string): void {
    this.#say(
      'foreign',
      `${topic}/${partition}: ${what}, and is left out: let only skewscope write to the topic, all replicas of one version`,
    );
  }

  /** Why findings may be wrong, when windows are open that begin at `openUs` (microseconds); '' when they are not. */
  wrongSince(openUs: number | undefined): string {
    return openUs === undefined || openUs <= this.#wrongUs ? this.#wrong : '';
  }

  /** Once. */
  #say(kind: string, text: string): void {
    if (this.#said.has(kind)) return;
    this.#said.add(kind);
    this.#onNote(text);
  }
}
