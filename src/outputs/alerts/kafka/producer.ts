/** What the Kafka output needs of a producer, whatever library is behind it. */

export interface ProducedMessage {
  readonly key: string;
  readonly value: string;
  readonly headers: Readonly<Record<string, string>>;
}

export type ProduceResult =
  | { readonly outcome: 'acknowledged' }
  /** `retry`: the cluster may take it later. */
  | { readonly outcome: 'failed'; readonly retry: boolean; readonly reason: string };

export interface EventProducer {
  /** Resolves when all in-sync replicas have the messages, or have not. */
  produce(topic: string, messages: readonly ProducedMessage[]): Promise<ProduceResult>;
  close(): Promise<void>;
}
