/** What the optional configuration file says, as the program uses it. */
import { SEVERITIES, type Severity } from '../model/finding.js';
import type { OutputsSection } from './outputs-schema.js';
import {
  DEFAULT_LISTEN,
  DEFAULT_SERVICE,
  type KafkaConfig,
  type ListenConfig,
  type ServiceConfig,
} from './service-config.js';

export const FAIL_ON = [...SEVERITIES, 'never'] as const;
export type FailOn = (typeof FAIL_ON)[number];

/** `--server NAME=GLOB` or an entry of `servers`: the inputs that the glob names were written by this server. */
export interface ServerGlob {
  readonly name: string;
  readonly glob: string;
}

export interface Config {
  readonly rules: {
    /** Folders of rules beside the shipped ones. */
    readonly dirs: readonly string[];
    /** Ids of rules that are switched off. */
    readonly disable: readonly string[];
    /** Severity by rule id, instead of the rule's own. */
    readonly severity: Readonly<Record<string, Severity>>;
  };
  readonly servers: readonly ServerGlob[];
  readonly failOn: FailOn | undefined;
  /** Name of the cluster that all inputs belong to. */
  readonly cluster: string | undefined;
  /** What findings and spans are sent to; undefined when the file does not say. */
  readonly outputs: OutputsConfig | undefined;
  /** What the service reads; undefined when the file does not say, and there is no service then. */
  readonly kafka: KafkaConfig | undefined;
  readonly service: ServiceConfig;
  readonly listen: ListenConfig;
  /** That files in the configuration are relative to. */
  readonly folder: string;
}

export interface OutputsConfig extends OutputsSection {
  /** That files in it are relative to. */
  readonly folder: string;
}

export const NO_CONFIG: Config = {
  rules: { dirs: [], disable: [], severity: {} },
  servers: [],
  failOn: undefined,
  cluster: undefined,
  outputs: undefined,
  kafka: undefined,
  service: DEFAULT_SERVICE,
  listen: DEFAULT_LISTEN,
  folder: '.',
};
