/** A Kafka in memory for several replicas: consumer groups that share partitions, transactions, and members that die. */
import { assignPartitions } from '../../src/kafka/assignment.js';
import {
  type Assigned,
  type ConsumerHandlers,
  type ConsumerOptions,
  type Kafka,
  type KafkaConsumer,
  KafkaFailure,
  type KafkaProducer,
  type OutgoingMessage,
  type PartitionOffset,
  type ProducerOptions,
  type TopicPartition,
} from '../../src/kafka/port.js';
import { partitionOf } from '../../src/service/stage-one/keying.js';
import { keyOf, type MemoryMessage, MemoryReader } from './memory-reader.js';

interface Group {
  members: Member[];
  readonly committed: Map<string, PartitionOffset>;
}

export interface StoredMessage extends MemoryMessage {
  readonly headers?: OutgoingMessage['headers'];
}

export class MemoryCluster {
  readonly topics = new Map<string, StoredMessage[][]>();
  readonly #groups = new Map<string, Group>();
  readonly epochs = new Map<string, number>();
  /** So many of the next transactions are committed, but nobody hears of it. */
  losesAnswers = 0;
  /** So many of the next transactions are not committed. */
  losesTransactions = 0;

  create(topic: string, partitions: number): void {
    this.topics.set(
      topic,
      Array.from({ length: partitions }, () => []),
    );
  }

  produce(topic: string, partition: number, message: StoredMessage): void {
    this.topics.get(topic)?.[partition]?.push(message);
  }

  append(topic: string, { partition, key, value, headers }: OutgoingMessage): void {
    const partitions = this.topics.get(topic) ?? [];
    const at = partition ?? partitionOf(String(key ?? ''), partitions.length);
    partitions[at]?.push({ value, headers, timestampMs: Date.now() });
  }

  group(id: string): Group {
    let group = this.#groups.get(id);
    if (group === undefined) {
      group = { members: [], committed: new Map() };
      this.#groups.set(id, group);
    }
    return group;
  }

  /** Of one process. */
  connect(): MemoryConnection {
    return new MemoryConnection(this);
  }

  async rebalance(group: Group): Promise<void> {
    const members = [...group.members];
    for (const member of members) member.revoke();
    const wanted = members.map((member) => ({
      id: member.id,
      topics: new Set([...this.topics.keys()].filter((topic) => member.options.topics.includes(topic))),
      owned: member.owned,
      generation: 1,
    }));
    const all = [...this.topics].flatMap(([topic, list]) => list.map((_, partition) => ({ topic, partition })));
    const given = assignPartitions(wanted, all);
    await Promise.all(members.map((member) => member.assign(given.get(member.id) ?? [])));
  }
}

/** What one process has of the cluster, until it dies. */
export class MemoryConnection implements Kafka {
  readonly members: Member[] = [];
  isDead = false;
  /** What every transaction meets. */
  fails: Error | undefined;

  constructor(readonly cluster: MemoryCluster) {}

  consumer(options: ConsumerOptions): KafkaConsumer {
    const member = new Member(this, options);
    this.members.push(member);
    return member;
  }

  producer(options: ProducerOptions): KafkaProducer {
    return new MemoryProducer(this, options);
  }

  async committed(groupId: string, topics: readonly string[] | 'any'): Promise<readonly PartitionOffset[]> {
    this.check();
    const all = [...this.cluster.group(groupId).committed.values()];
    return topics === 'any' ? all : all.filter(({ topic }) => topics.includes(topic));
  }

  async ensureTopic(topic: string, partitions: number): Promise<number> {
    if (!this.cluster.topics.has(topic)) this.cluster.create(topic, partitions);
    return this.cluster.topics.get(topic)?.length ?? 0;
  }

  async close(): Promise<void> {}

  /** The process is gone: nothing of it arrives any more, and the groups go on without it. */
  async kill(): Promise<void> {
    this.isDead = true;
    for (const member of this.members) await member.leave();
  }

  /** Gives each consumer some messages of each partition; false when all are at their ends. */
  fetch(limit: number): boolean {
    let any = false;
    for (const member of this.members) if (member.fetch(limit)) any = true;
    return any;
  }

  check(): void {
    if (this.isDead) throw new KafkaFailure('the process is gone', true);
  }
}

let created = 0;

export class Member extends MemoryReader implements KafkaConsumer {
  readonly id: string;
  owned: TopicPartition[] = [];
  #assignment = 0;

  constructor(
    readonly connection: MemoryConnection,
    readonly options: ConsumerOptions,
  ) {
    super();
    created += 1;
    this.id = `member-${String(created).padStart(6, '0')}`;
  }

  async start(handlers: ConsumerHandlers): Promise<void> {
    this.handlers = handlers;
    this.#group.members.push(this);
    await this.connection.cluster.rebalance(this.#group);
  }

  override revoke(): void {
    this.#assignment += 1;
    super.revoke();
  }

  async assign(list: readonly TopicPartition[]): Promise<void> {
    const assignment = this.#assignment;
    const assigned = list.map((one): Assigned => {
      const committed = this.#group.committed.get(keyOf(one));
      const high = this.messagesOf(one).length;
      const begin = committed?.offset ?? (this.options.from === 'latest' ? high : 0);
      return { ...one, committed, begin, low: 0, high };
    });
    const begins = (await this.handlers?.onAssigned(assigned)) ?? [];
    if (assignment !== this.#assignment) return;
    this.owned = [...list];
    this.begin(assigned, begins);
  }

  async commit(offsets: readonly PartitionOffset[]): Promise<void> {
    this.connection.check();
    for (const one of offsets) {
      if (!this.holds(one)) throw new KafkaFailure(`${keyOf(one)} is not assigned`, false);
      this.#group.committed.set(keyOf(one), one);
    }
  }

  async members(): Promise<number> {
    return this.#group.members.length;
  }

  async stop(): Promise<void> {
    await this.leave();
  }

  async leave(): Promise<void> {
    if (!this.#group.members.includes(this)) return;
    this.#group.members = this.#group.members.filter((one) => one !== this);
    this.revoke();
    await this.connection.cluster.rebalance(this.#group);
  }

  get #group(): Group {
    return this.connection.cluster.group(this.options.groupId);
  }

  protected messagesOf({ topic, partition }: TopicPartition): readonly StoredMessage[] {
    return this.connection.cluster.topics.get(topic)?.[partition] ?? [];
  }

  protected get isOver(): boolean {
    return this.connection.isDead;
  }
}

class MemoryProducer implements KafkaProducer {
  #epoch: number | undefined;

  constructor(
    readonly connection: MemoryConnection,
    readonly options: ProducerOptions,
  ) {}

  async send(topic: string, messages: readonly OutgoingMessage[]): Promise<void> {
    this.connection.check();
    for (const message of messages) this.connection.cluster.append(topic, message);
  }

  async sendAtomically(
    messages: readonly { readonly topic: string; readonly messages: readonly OutgoingMessage[] }[],
    groupId: string,
    offsets: readonly PartitionOffset[],
  ): Promise<void> {
    const { cluster } = this.connection;
    const { transactionalId = '' } = this.options;
    // As on a network: others come in between.
    await new Promise((resolve) => setTimeout(resolve, 0));
    this.connection.check();
    if (this.connection.fails !== undefined) throw this.connection.fails;
    this.#epoch ??= this.#begin(transactionalId);
    if (cluster.epochs.get(transactionalId) !== this.#epoch) {
      throw new KafkaFailure('another producer with this transactional id has taken over', false);
    }
    if (cluster.losesTransactions > 0 && offsets.length > 0) {
      cluster.losesTransactions -= 1;
      throw new KafkaFailure('no answer', true);
    }
    for (const { topic, messages: list } of messages) for (const message of list) cluster.append(topic, message);
    const { committed } = cluster.group(groupId);
    for (const one of offsets) committed.set(keyOf(one), one);
    if (cluster.losesAnswers > 0) {
      cluster.losesAnswers -= 1;
      throw new KafkaFailure('no answer', true);
    }
  }

  async close(): Promise<void> {}

  #begin(id: string): number {
    const { epochs } = this.connection.cluster;
    const epoch = (epochs.get(id) ?? 0) + 1;
    epochs.set(id, epoch);
    return epoch;
  }
}
