/** The service as a whole: opened from a configuration, reloaded, stopped. Tests embed it as the command does. */
import type { Config } from '../config/index.js';
import { type ServiceSecrets, serviceSecrets } from '../config/service-secrets.js';
import type { RuleSet } from '../rules/index.js';
import { abandonParts, stopParts } from './closing.js';
import { openParts } from './opening.js';
import type { Parts } from './parts.js';
import type { Service, ServiceOptions } from './service-options.js';
import type { Status } from './status.js';
import { Voice } from './voice.js';

export type { Service, ServiceOptions } from './service-options.js';

/**
 * Resolves when everything is open and the service consumes, which takes as long as Kafka is away. Throws ConfigError,
 * OutputError, KafkaFailure, Error with what to do, or the signal's reason when that was aborted before.
 */
export async function openService(options: ServiceOptions): Promise<Service> {
  const service = new RunningService(options);
  try {
    await service.open();
    return service;
  } catch (error) {
    await service.abandon();
    throw error;
  }
}

class RunningService implements Service {
  readonly #options: ServiceOptions;
  readonly #secrets: ServiceSecrets;
  readonly #voice: Voice;
  readonly #parts: Parts = {};
  /** As it is in force: what waits for the next start is not in it. */
  #config: Config;
  readonly failed: Promise<Error>;
  #fail: (error: Error) => void = () => {};
  #stopped: Promise<void> | undefined;

  constructor(options: ServiceOptions) {
    this.#options = options;
    this.#config = options.config;
    this.#secrets = serviceSecrets(options.config, options.env);
    this.#voice = new Voice(options.log, () => options.clock.now());
    this.failed = new Promise((resolve) => {
      this.#fail = resolve;
    });
  }

  get url(): string | undefined {
    return this.#parts.admin?.url;
  }

  get webhookUrl(): string | undefined {
    return this.#parts.receiver?.url;
  }

  get view(): Status {
    if (this.#parts.status === undefined) throw new Error('the service is not open');
    return this.#parts.status;
  }

  open(): Promise<void> {
    const onFailure = (error: Error) => this.#die(error);
    return openParts(this.#parts, { options: this.#options, secrets: this.#secrets, voice: this.#voice, onFailure });
  }

  async reload(config: Config, rules: RuleSet): Promise<void> {
    const { receiver, sinks, engine } = this.#parts;
    const webhook = serviceSecrets(config, this.#options.env).webhook?.tls;
    if (webhook !== undefined) receiver?.reload(webhook);
    const replaced = await sinks?.replace(config.outputs, this.#config.outputs);
    engine?.use(rules, replaced === true);
    const waits = waitingSections(config, this.#config);
    this.#config = { ...this.#config, outputs: config.outputs, rules: config.rules };
    const rest = waits.length === 0 ? '' : `; what changed in ${waits.join(', ')} waits for the next start`;
    this.#voice.answer('info', `rules and outputs are loaded anew${rest}`);
    this.view.configLoadedAtMs = this.#options.clock.now();
    this.view.configFailure = '';
  }

  reloadFailed(reason: string): void {
    this.view.configFailure = reason;
    this.#voice.answer('error', `the configuration is not taken, the old one goes on: ${reason}`);
  }

  stop(withinMs: number): Promise<void> {
    this.view.stopping = true;
    this.#stopped ??= stopParts(this.#parts, withinMs, this.#options.clock, this.#voice.warn);
    return this.#stopped;
  }

  /** Of a service that did not open. */
  abandon(): Promise<void> {
    // Asked to end while the group was being joined: that it takes longer is no trouble.
    const isAsked = this.#options.signal?.aborted === true;
    return abandonParts(this.#parts, (text) => this.#voice.say(isAsked ? 'info' : 'warn', text));
  }

  #die(error: Error): void {
    this.#voice.say('error', `the service cannot go on: ${error.message}`);
    this.#fail(error);
  }
}

/** What a running service cannot change, and the configuration has changed. */
function waitingSections(config: Config, inForce: Config): readonly (keyof Config)[] {
  const fixed = ['kafka', 'service', 'listen', 'cluster'] as const;
  return fixed.filter((key) => textOf(config[key]) !== textOf(inForce[key]));
}

function textOf(section: unknown): string {
  return JSON.stringify(section ?? null, (_, value) => (value instanceof RegExp ? String(value) : value));
}
