/** What the configuration file says about the service, as the program uses it: everything that was left out is filled in. */

import type { SenderRules } from '../kafka/port.js';
import type { KafkaSettings } from '../kafka/settings.js';
import type { ListenAddress } from './listen-address.js';

/** Files are named as they are in the configuration; `Config.folder` is what they are relative to. */
export interface KafkaConfig {
  readonly connection: KafkaConnectionConfig;
  /** Consumer group. */
  readonly group: string;
  /** Names, and patterns. */
  readonly topics: readonly (string | RegExp)[];
  /** Where a new group begins. */
  readonly from: StartFrom;
  readonly committedOnly: boolean;
  readonly sender: SenderRules;
  /** Topic for what cannot be read; undefined: it is only counted. */
  readonly deadLetters: string | undefined;
  /** Given: several replicas share the work through this topic. */
  readonly scaleOut: ScaleOutConfig | undefined;
}

/** `atMs`: since the epoch; `agoMs`: before the service starts. */
export type StartFrom = 'latest' | 'earliest' | { readonly atMs: number } | { readonly agoMs: number };

export interface ScaleOutConfig {
  readonly topic: string;
  readonly partitions: number;
  readonly compression: 'none' | 'gzip' | 'snappy' | 'lz4';
}

/** Like KafkaSettings, before files and secrets are read. */
export interface KafkaConnectionConfig extends Pick<KafkaSettings, 'brokers' | 'clientId' | 'sessionMs'> {
  readonly tls?: ClientTlsFiles | undefined;
  readonly sasl?: SaslConfig | undefined;
}

export interface ClientTlsFiles {
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  readonly serverName?: string | undefined;
}

export type SaslConfig =
  | {
      readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
      readonly username: string;
      /** `fromEnv:NAME` or `fromFile:PATH`. */
      readonly password: string;
    }
  | { readonly mechanism: 'oauthbearer'; readonly tokenFile: string };

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error'] as const;

export interface ServiceConfig {
  /** Stretch of event time that is judged together. */
  readonly windowMs: number;
  /** For SIGTERM to finish. */
  readonly drainMs: number;
  /** Lag in event time up to which the service is ready. */
  readonly readyLagMs: number;
  readonly logLevel: (typeof LOG_LEVELS)[number];
}

export interface ListenConfig {
  /** undefined: off. */
  readonly admin: ListenAddress | undefined;
  /** Where the bearer token is: `fromEnv:NAME` or `fromFile:PATH`. There is one unless `admin` is a loopback address. */
  readonly token: string | undefined;
  readonly tls: ServerTlsFiles | undefined;
  readonly webhook: WebhookConfig | undefined;
}

export interface WebhookConfig {
  readonly address: ListenAddress;
  readonly tls: ServerTlsFiles | undefined;
  /** Where the bearer token is. This or `tls.clientCa` is there unless the address is a loopback one. */
  readonly token: string | undefined;
  /** Batches are written to it before they are acknowledged; one of the topics that are read. */
  readonly topic: string;
  readonly maxInFlightBytes: number;
  readonly maxBodyBytes: number;
}

export interface ServerTlsFiles {
  readonly cert: string;
  readonly key: string;
  /** Given: clients must show a certificate that it signed. */
  readonly clientCa?: string | undefined;
}

const MINUTE_MS = 60_000;

export const DEFAULT_SERVICE: ServiceConfig = {
  windowMs: 12 * 60 * MINUTE_MS,
  drainMs: 25_000,
  readyLagMs: 5 * MINUTE_MS,
  logLevel: 'info',
};

export const DEFAULT_LISTEN: ListenConfig = {
  admin: { host: '127.0.0.1', port: 8080 },
  token: undefined,
  tls: undefined,
  webhook: undefined,
};
