/** How to reach a Kafka cluster: what the configuration says, with secrets and files already read. */
import type { TlsOptions } from '../outputs/delivery/http-client.js';

export type SaslSettings =
  | {
      readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
      readonly username: string;
      readonly password: string;
    }
  /** The file is read anew for each token: whoever renews it only writes it. */
  | { readonly mechanism: 'oauthbearer'; readonly tokenFile: string };

export interface KafkaSettings {
  /** `host:port` each. */
  readonly brokers: readonly string[];
  readonly clientId: string;
  /** Given (also when empty): TLS is spoken. */
  readonly tls?: TlsOptions;
  readonly sasl?: SaslSettings;
  /**
   * After how long without a sign of life a group gives the partitions of a consumer to others, in milliseconds; 20 s
   * unless given. It is also how long a consumer that was cut off may have to wait to be let in again.
   */
  readonly sessionMs?: number;
}
