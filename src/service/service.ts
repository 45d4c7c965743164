/** The service as a whole: opened from a configuration, reloaded, stopped. Tests embed it as the command does. */
import { hostname } from 'node:os';
import type { Config } from '../config/index.js';
import type { KafkaConfig } from '../config/service-config.js';
import { type ServiceSecrets, serviceSecrets } from '../config/service-secrets.js';
import type { Kafka, KafkaConsumer } from '../kafka/port.js';
import { errorText } from '../model/error-text.js';
import { Metrics, resourceOf } from '../outputs/metrics/index.js';
import type { RuleSet } from '../rules/index.js';
import { type DeadLetters, DeadLetterTopic } from './dead-letters.js';
import { endedWithin, unlessAborted } from './ending.js';
import { Engine } from './engine.js';
import type { AdminServer } from './http/index.js';
import { watchMembers } from './members.js';
import { Notes } from './notes.js';
import { asConfigured, openPage, startMs } from './opening.js';
import { openReceiver, type Receiver } from './receiver.js';
import { createScaleOut, type ScaleOut } from './scale-out.js';
import type { Service, ServiceOptions } from './service-options.js';
import { Sinks } from './sinks.js';
import { Status } from './status.js';

export type { Service, ServiceOptions } from './service-options.js';

/** One message may hold as much as a whole batch of an audit webhook. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
const PRODUCE_TIMEOUT_MS = 30_000;
/** Of the time to stop, what outputs have for what is left. */
const SINKS_SHARE = 0.5;
/** What waits for Kafka at the end gets so long at least; and so long where nothing was read yet. */
const KAFKA_MS = 1_000;
const ABANDON_MS = 2_000;

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
  readonly #notes = new Notes();
  readonly #secrets: ServiceSecrets;
  readonly failed: Promise<Error>;
  #fail: (error: Error) => void = () => {};
  #config: Config;
  #kafka: Kafka | undefined;
  #consumer: KafkaConsumer | undefined;
  #sinks: Sinks | undefined;
  #engine: Engine | undefined;
  #status: Status | undefined;
  #deadLetters: DeadLetters | undefined;
  #admin: AdminServer | undefined;
  #receiver: Receiver | undefined;
  #stages: ScaleOut | undefined;
  #endMembers: () => void = () => {};
  #stopped: Promise<void> | undefined;

  constructor(options: ServiceOptions) {
    this.#options = options;
    this.#config = options.config;
    this.#secrets = serviceSecrets(options.config, options.env);
    this.failed = new Promise((resolve) => {
      this.#fail = resolve;
    });
  }

  get url(): string | undefined {
    return this.#admin?.url;
  }

  get webhookUrl(): string | undefined {
    return this.#receiver?.url;
  }

  get view(): Status {
    if (this.#status === undefined) throw new Error('the service is not open');
    return this.#status;
  }

  async open(): Promise<void> {
    const { config, rules, env, clock, version, createKafka } = this.#options;
    const { kafka: section, service, listen } = config;
    const settings = this.#secrets.kafka;
    if (section === undefined || settings === undefined) throw new Error('the configuration has no section kafka');
    const metrics = new Metrics({
      startMs: clock.now(),
      instance: hostname(),
      resource: resourceOf(env),
      more: () => this.#status?.families() ?? [],
    });
    const sinks = await Sinks.open(config.outputs, { ...this.#options, metrics, onMessage: this.#warn });
    this.#sinks = sinks;
    const kafka = createKafka(settings, (level, text) => this.#say(level, text));
    this.#kafka = kafka;
    const sender = section.sender;
    const from = typeof section.from === 'string' ? section.from : startMs(section.from, clock.now());
    const scaleOut = this.#scaleOut(kafka, section, from);
    const consumer =
      scaleOut?.consumer ??
      kafka.consumer({
        groupId: section.group,
        topics: section.topics,
        from,
        committedOnly: section.committedOnly,
        sender,
      });
    this.#consumer = consumer;
    if (section.deadLetters !== undefined) {
      const topic = section.deadLetters;
      const ensure = async () => void (await kafka.ensureTopic(topic, 1));
      void this.#ensure(topic, ensure);
      const producer = kafka.producer({ timeoutMs: PRODUCE_TIMEOUT_MS, compression: 'none' });
      this.#deadLetters = new DeadLetterTopic({ topic, producer, ensure, clock, onMessage: this.#warn });
    }
    const readyLagUs = service.readyLagMs * 1_000;
    const engine = new Engine({
      rules,
      windowUs: service.windowMs * 1_000,
      readyLagUs,
      cluster: config.cluster,
      maxMessageBytes: MAX_MESSAGE_BYTES,
      outputs: sinks,
      deadLetters: this.#deadLetters,
      clock,
      consumer,
      onNote: this.#warn,
      onNews: (text) => this.#say('info', text),
      onBatch: (batch) => this.#status?.take(batch),
      onFailure: (error) => this.#die(error),
      ...(scaleOut === undefined ? {} : { upstream: scaleOut.stageTwo }),
    });
    this.#engine = engine;
    const status = new Status({
      version,
      readyLagUs,
      engine,
      outputs: sinks,
      notes: this.#notes,
      now: clock.now,
      ...(scaleOut === undefined ? {} : { scaleOut }),
    });
    this.#status = status;
    if (listen.admin !== undefined) {
      this.#admin = await openPage({
        listen: listen.admin,
        access: this.#secrets.admin,
        view: status,
        metrics,
        now: clock.now,
        onMessage: this.#warn,
      });
      this.#say('info', `page and interface at ${this.#admin.url}`);
    }
    engine.start();
    if (scaleOut === undefined) await unlessAborted(consumer.start(engine), this.#options.signal);
    else await scaleOut.start(engine, this.#options.signal);
    if (listen.webhook !== undefined) {
      const producer = kafka.producer({ timeoutMs: PRODUCE_TIMEOUT_MS, compression: 'none' });
      const opening = openReceiver({
        config: listen.webhook,
        access: this.#secrets.webhook ?? {},
        sender,
        deadLetters: section.deadLetters,
        producer,
        clock,
        onMessage: this.#warn,
      });
      this.#receiver = await asConfigured(opening);
      this.#say('info', `audit webhook at ${this.#receiver.url}`);
    }
    this.#endMembers = watchMembers({
      consumer,
      sharesWork: section.scaleOut !== undefined,
      status,
      onMessage: this.#warn,
    });
  }

  async reload(config: Config, rules: RuleSet): Promise<void> {
    const { env } = this.#options;
    const secrets = serviceSecrets(config, env);
    const webhook = secrets.webhook?.tls;
    if (webhook !== undefined) this.#receiver?.reload(webhook);
    const replaced = await this.#sinks?.replace(config.outputs, this.#config.outputs);
    this.#engine?.use(rules, replaced === true);
    const waits = ['kafka', 'service', 'listen', 'cluster'].filter(
      (key) => textOf(config, key) !== textOf(this.#config, key),
    );
    this.#config = { ...this.#config, outputs: config.outputs, rules: config.rules };
    const rest = waits.length === 0 ? '' : `; what changed in ${waits.join(', ')} waits for the next start`;
    this.#say('info', `rules and outputs are loaded anew${rest}`);
    this.view.configLoadedAtMs = this.#options.clock.now();
    this.view.configFailure = '';
  }

  reloadFailed(reason: string): void {
    this.view.configFailure = reason;
    this.#say('error', `the configuration is not taken, the old one goes on: ${reason}`);
  }

  stop(withinMs: number): Promise<void> {
    this.#stopped ??= this.#stop(withinMs);
    return this.#stopped;
  }

  /** Of a service that did not open. */
  async abandon(): Promise<void> {
    this.#endMembers();
    await Promise.allSettled([this.#admin?.close(), this.#receiver?.close(0), this.#engine?.stop(AbortSignal.abort())]);
    await endedWithin(ABANDON_MS, this.#stages?.stop(AbortSignal.abort()), this.#warn);
    await endedWithin(ABANDON_MS, this.#deadLetters?.stop(), this.#warn);
    await endedWithin(ABANDON_MS, this.#kafka?.close(), this.#warn);
    await this.#sinks?.finish(0);
  }

  async #stop(withinMs: number): Promise<void> {
    const { clock } = this.#options;
    const ends = clock.now() + withinMs;
    if (this.#status !== undefined) this.#status.stopping = true;
    this.#endMembers();
    await this.#receiver?.close(withinMs * SINKS_SHARE);
    const left = () => Math.max(0, ends - clock.now());
    await endedWithin(
      Math.max(KAFKA_MS, left() * SINKS_SHARE),
      this.#stages?.stop(AbortSignal.timeout(Math.max(1, Math.round(left() * SINKS_SHARE)))),
      this.#warn,
    );
    // What is settled is committed while this member is still in the group.
    await this.#engine?.stop(AbortSignal.timeout(Math.max(1, Math.round(left() * SINKS_SHARE))));
    await endedWithin(Math.max(KAFKA_MS, left() * SINKS_SHARE), this.#consumer?.stop(), this.#warn);
    await endedWithin(KAFKA_MS, this.#deadLetters?.stop(), this.#warn);
    await this.#sinks?.finish(left());
    await endedWithin(Math.max(KAFKA_MS, left()), this.#kafka?.close(), this.#warn);
    await this.#admin?.close();
  }

  #scaleOut(kafka: Kafka, section: KafkaConfig, from: 'latest' | 'earliest' | number): ScaleOut | undefined {
    const { config, clock } = this.#options;
    const { scaleOut, deadLetters } = section;
    if (scaleOut === undefined) return undefined;
    const ensure = async () => void (await kafka.ensureTopic(deadLetters ?? '', 1));
    this.#stages = createScaleOut({
      kafka,
      section,
      scaleOut,
      from,
      windowMs: config.service.windowMs,
      readyLagMs: config.service.readyLagMs,
      cluster: config.cluster,
      maxMessageBytes: MAX_MESSAGE_BYTES,
      clock,
      onNote: this.#warn,
      onFailure: (error) => this.#die(error),
      ...(deadLetters === undefined ? {} : { ensureDeadLetters: () => this.#ensure(deadLetters, ensure) }),
    });
    return this.#stages;
  }

  async #ensure(topic: string, make: () => Promise<void>): Promise<void> {
    try {
      await make();
    } catch (error) {
      if (this.#options.signal?.aborted === true || this.#stopped !== undefined) return;
      const advice = 'it is tried again when there is something for it; make it, or allow this user to';
      this.#warn(`the topic ${topic} cannot be made: ${errorText(error)}; ${advice}`);
    }
  }

  #die(error: Error): void {
    this.#say('error', `the service cannot go on: ${error.message}`);
    this.#fail(error);
  }

  readonly #warn = (text: string): void => this.#say('warn', text);

  #say(level: 'info' | 'warn' | 'error', text: string): void {
    this.#options.log.say(level, text);
    if (level !== 'info') this.#notes.add(this.#options.clock.now(), text);
  }
}

function textOf(config: Config, key: string): string {
  return JSON.stringify(config[key as keyof Config] ?? null, (_, value) =>
    value instanceof RegExp ? String(value) : value,
  );
}
