/** What the service is opened with, and what can be done with it then. */
import type { Config } from '../config/index.js';
import type { Kafka } from '../kafka/port.js';
import type { KafkaSettings } from '../kafka/settings.js';
import type { Clock } from '../outputs/delivery/clock.js';
import type { RuleSet } from '../rules/index.js';
import type { Log } from './log.js';
import type { Status } from './status.js';

export interface ServiceOptions {
  readonly config: Config;
  readonly rules: RuleSet;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly writeStdout: (text: string) => Promise<void>;
  /** Aborted while the service is being opened, as while Kafka is away: it is not opened. */
  readonly signal?: AbortSignal;
  readonly createKafka: (
    settings: KafkaSettings,
    onMessage: (level: 'info' | 'warn' | 'error', text: string) => void,
  ) => Kafka;
}

export interface Service {
  /** Of the page; undefined when nothing is served. */
  readonly url: string | undefined;
  readonly webhookUrl: string | undefined;
  readonly view: Status;
  /** Resolves with the reason when the service cannot go on. */
  readonly failed: Promise<Error>;
  /** Goes on with other rules, outputs and certificates. Throws when they cannot be used: all stays as it was then. */
  reload(config: Config, rules: RuleSet): Promise<void>;
  /** Notes that a reload failed before it got here. */
  reloadFailed(reason: string): void;
  /** Takes nothing more, finishes what was taken, commits, and tells what is left, within so many milliseconds. */
  stop(withinMs: number): Promise<void>;
}
