/**
 * The inputs of the service: what one server sent to one topic, or one partition where nobody says who wrote it. Counts
 * are kept by slot, so that each window tells its own.
 */
import type { InputAccount } from '../analysis/session.js';
import type { Sender } from '../kafka/port.js';
import type { InputRef } from '../model/origin.js';
import type { ProblemReason } from '../model/record.js';
import { EARLY } from './slots.js';

/** Senders beyond this are not told apart from nobody: names are part of messages, and those may be hostile. */
const MAX_NAMED = 2_000;

/** What tells an input from the others of its topic and cluster: at most one of both. */
export interface InputSender {
  readonly server: string;
  /** Of what nothing names. */
  readonly boot: string;
}

const NOBODY: InputSender = { server: '', boot: '' };

export class ServiceInput {
  readonly #slots = new Map<number, Counts>();
  #last: Counts | undefined;
  #lastSlot = Number.NaN;

  constructor(
    readonly ref: InputRef,
    readonly sender: InputSender,
  ) {}

  /** Counts records and bytes of content for the slot. */
  count(slot: number, records: number, bytes: number): void {
    const counts = this.#of(slot);
    counts.records += records;
    counts.bytes += bytes;
  }

  problem(slot: number, reason: ProblemReason): void {
    const { problems } = this.#of(slot);
    problems.set(reason, (problems.get(reason) ?? 0) + 1);
  }

  /** What the window shows that begins with the slot. */
  account(first: number): InputAccount {
    const parts = [EARLY, first, first + 1].flatMap((slot) => this.#slots.get(slot) ?? []);
    const problems = new Map<ProblemReason, number>();
    for (const part of parts) {
      for (const [reason, count] of part.problems) problems.set(reason, (problems.get(reason) ?? 0) + count);
    }
    return {
      input: this.ref,
      bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0),
      records: parts.reduce((sum, { records }) => sum + records, 0),
      problems,
    };
  }

  forgetBelow(slot: number): void {
    for (const known of this.#slots.keys()) if (known < slot) this.#slots.delete(known);
    this.#lastSlot = Number.NaN;
  }

  #of(slot: number): Counts {
    if (slot === this.#lastSlot && this.#last !== undefined) return this.#last;
    let counts = this.#slots.get(slot);
    if (counts === undefined) {
      counts = { bytes: 0, records: 0, problems: new Map() };
      this.#slots.set(slot, counts);
    }
    this.#lastSlot = slot;
    this.#last = counts;
    return counts;
  }
}

/** Whether a sender that has a name, or a boot of its own, was given an input that it shares with nobody in particular. */
export function isOneTooMany(
  { server, boot = '' }: { readonly server: string; readonly boot?: string },
  input: ServiceInput,
): boolean {
  return (server !== '' && input.sender.server === '') || (boot !== '' && input.sender.boot === '');
}

interface Counts {
  bytes: number;
  records: number;
  readonly problems: Map<ProblemReason, number>;
}

export class ServiceInputs {
  readonly #all: ServiceInput[] = [];
  readonly #byKey = new Map<string, ServiceInput>();
  #named = 0;

  /** `cluster`: of messages that name none. */
  constructor(private readonly cluster: string | undefined) {}

  /** The input of what a sender put into a partition. */
  of(topic: string, partition: number, { server, cluster }: Sender): ServiceInput {
    if (server === '') return this.#unnamedOf(topic, partition, cluster);
    return this.#namedOf(`${topic}\n${cluster}\n${server}`, topic, partition, cluster, { server, boot: '' });
  }

  /** The input of what one boot of a server sent, which nothing names. */
  ofBoot(topic: string, partition: number, cluster: string, boot: string): ServiceInput {
    return this.#namedOf(`${topic}\n${cluster}\n\nboot ${boot}`, topic, partition, cluster, { server: '', boot });
  }

  /** Of one of these inputs. */
  senderOf({ id }: InputRef): InputSender {
    return this.#all[id]?.sender ?? NOBODY;
  }

  #namedOf(key: string, topic: string, partition: number, cluster: string, sender: InputSender): ServiceInput {
    const known = this.#byKey.get(key);
    if (known !== undefined) return known;
    if (this.#named >= MAX_NAMED) return this.#unnamedOf(topic, partition, cluster);
    this.#named += 1;
    const writer = sender.server === '' ? {} : { writer: sender.server };
    return this.#add(key, { name: topic, partitioned: true, ...writer }, cluster, sender);
  }

  accounts(first: number): InputAccount[] {
    return this.#all
      .map((input) => input.account(first))
      .filter(({ bytes, problems }) => bytes > 0 || problems.size > 0);
  }

  forgetBelow(slot: number): void {
    for (const input of this.#all) input.forgetBelow(slot);
  }

  #unnamedOf(topic: string, partition: number, cluster: string): ServiceInput {
    // Names of clusters are bounded as well.
    if (cluster !== '' && this.#all.length >= 2 * MAX_NAMED) return this.#unnamedOf(topic, partition, '');
    const key = `${topic}\n${cluster}\n\n${partition}`;
    return this.#byKey.get(key) ?? this.#add(key, { name: `${topic}/${partition}` }, cluster, NOBODY);
  }

  #add(
    key: string,
    what: Pick<InputRef, 'name' | 'partitioned' | 'writer'>,
    named: string,
    sender: InputSender,
  ): ServiceInput {
    const cluster = named === '' ? this.cluster : named;
    const ref: InputRef = {
      id: this.#all.length,
      kind: 'kafka',
      ...what,
      ...(cluster === undefined ? {} : { cluster }),
    };
    const input = new ServiceInput(ref, sender);
    this.#all.push(input);
    this.#byKey.set(key, input);
    return input;
  }
}
