/** What the service needs of a Kafka client, whatever library is behind it, and whichever thread it runs in. */

export interface TopicPartition {
  readonly topic: string;
  readonly partition: number;
}

export interface PartitionOffset extends TopicPartition {
  /** The next offset to read: everything below it is settled. */
  readonly offset: number;
  /** Kept by the broker with the offset; at most 4 KiB. */
  readonly metadata?: string;
}

/**
 * Messages of one partition in offset order, as columns: what thousands of small objects would cost is saved.
 * Message `i` is `bytes.subarray(starts[i], ends[i])`, already decompressed; both are equal for an empty or a null value.
 */
export interface MessageBatch extends TopicPartition {
  /** Memory of this batch alone, at most about 1 MiB unless one message is larger; it may be kept, and is never written again before `release`. */
  readonly bytes: Buffer;
  /** To be called when nobody refers to the memory any more: it is used again, for another batch. It need not be called. */
  readonly release?: () => void;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  readonly offsets: Float64Array;
  /** Milliseconds since the epoch: when the producer made it, or the broker took it. */
  readonly timestamps: Float64Array;
  /** Index into `senders` of each message. */
  readonly senderOf: Uint16Array;
  /** Who sent the messages, as their keys and headers tell; '' where they do not. */
  readonly senders: readonly Sender[];
  /** One above the last offset of the partition when the batch was fetched. */
  readonly highWatermark: number;
}

/** What key and headers of a message tell, by the configuration. */
export interface Sender {
  /** Server name; '' when unknown. */
  readonly server: string;
  /** Cluster name; '' when unknown. */
  readonly cluster: string;
}

export interface ConsumerHandlers {
  /** Called in offset order for each partition; must return soon. Who has enough pauses the partition. */
  onBatch(batch: MessageBatch): void;
  /** A fetch found nothing: the partition's end is here. Called now and then while it stays so. */
  onEnd(partition: TopicPartition, offset: number): void;
  /**
   * The group gave these partitions to this member, after joining and after each rebalance; partitions that were held
   * before are among them, when they stay. Gives where to begin in each; a partition that is left out begins where
   * `begin` of it says.
   */
  onAssigned(partitions: readonly Assigned[]): Promise<readonly PartitionOffset[]>;
  /** The group is being rebalanced, or was left: nothing that was read counts any more unless it is assigned again. */
  onRevoked(): void;
  /** Nothing more will come: the error cannot be mended by trying again. */
  onCrash(error: Error): void;
}

export interface Assigned extends TopicPartition {
  /** What this group has committed; undefined when nothing. */
  readonly committed: PartitionOffset | undefined;
  /** Where it begins unless told otherwise: at what was committed, if it is still there, else as `ConsumerOptions.from` says. */
  readonly begin: number;
  /** Lowest offset that is there, and one above the highest. */
  readonly low: number;
  readonly high: number;
}

export interface ConsumerOptions {
  readonly groupId: string;
  /** Topic names, and patterns as `/^audit-/`: topics that are made later and fit are taken in when they appear. */
  readonly topics: readonly (string | RegExp)[];
  /** Where a partition begins that has no committed offset: its end, its beginning, or the first message at or after a time (milliseconds). */
  readonly from: 'latest' | 'earliest' | number;
  /** Only what transactions have committed; false reads everything. */
  readonly committedOnly: boolean;
  /** Which fields of a message name its sender. */
  readonly sender: SenderRules;
}

/** Names of headers are compared without regard to case; the first that is there and not empty counts. */
export interface SenderRules {
  readonly serverHeaders: readonly string[];
  readonly clusterHeaders: readonly string[];
  /** The key names the server. `auto`: where it looks like a host name and not like an Audit-ID or another random id. */
  readonly key: 'server' | 'auto' | 'ignore';
  /** Named groups `server` and `cluster` are taken from the topic, as in `^audit\.(?<cluster>[^.]+)\.(?<server>.+)$`. */
  readonly topic: RegExp | undefined;
}

export interface KafkaConsumer {
  /** Connects, joins the group, and hands out batches until `stop`. Rejects when that cannot be done at all (credentials, no such host). */
  start(handlers: ConsumerHandlers): Promise<void>;
  pause(partitions: readonly TopicPartition[]): void;
  resume(partitions: readonly TopicPartition[]): void;
  /** Resolves when the broker has the offsets. Rejects when the group was rebalanced meanwhile, or the broker is away. */
  commit(offsets: readonly PartitionOffset[]): Promise<void>;
  /** Members of the group now, this one among them. */
  members(): Promise<number>;
  /** Leaves the group. May be called twice. */
  stop(): Promise<void>;
}

export interface OutgoingMessage {
  /** Partition of the topic; chosen by the key unless given. */
  readonly partition?: number;
  readonly key: string | Buffer | null;
  readonly value: Buffer;
  readonly headers: Readonly<Record<string, string | Buffer>>;
}

export interface KafkaProducer {
  /** Resolves when all in-sync replicas have the messages. Rejects with KafkaFailure. */
  send(topic: string, messages: readonly OutgoingMessage[]): Promise<void>;
  /**
   * All of it or nothing: messages to any topics, and offsets of the group that are committed with them. Only of a
   * producer with a transactional id; one that was fenced off by another with that id rejects for good.
   */
  sendAtomically(
    messages: readonly { readonly topic: string; readonly messages: readonly OutgoingMessage[] }[],
    groupId: string,
    offsets: readonly PartitionOffset[],
  ): Promise<void>;
  close(): Promise<void>;
}

/** `retry`: the cluster may take it later. */
export class KafkaFailure extends Error {
  override readonly name = 'KafkaFailure';

  constructor(
    message: string,
    readonly retry: boolean,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

export interface ProducerOptions {
  /** Given: the producer is idempotent and speaks transactions; another with the same id fences this one off. */
  readonly transactionalId?: string;
  readonly timeoutMs: number;
  readonly compression: 'none' | 'gzip' | 'snappy' | 'lz4';
}

/** Everything a service does with one Kafka cluster. */
export interface Kafka {
  consumer(options: ConsumerOptions): KafkaConsumer;
  producer(options: ProducerOptions): KafkaProducer;
  /** What a group has committed in these topics, or in any, with metadata; partitions without a commit are left out. */
  committed(groupId: string, topics: readonly string[] | 'any'): Promise<readonly PartitionOffset[]>;
  /** Makes a topic unless it is there, and gives its number of partitions. */
  ensureTopic(topic: string, partitions: number, settings?: Readonly<Record<string, string>>): Promise<number>;
  close(): Promise<void>;
}
