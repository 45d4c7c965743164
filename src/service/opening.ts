/**
 * Opens the service part after part, from where findings go back to where records come from: nothing is read before all
 * that it leads to is open.
 */
import { hostname } from 'node:os';
import type { Config } from '../config/index.js';
import type { KafkaConfig, StartFrom } from '../config/service-config.js';
import type { ServiceSecrets } from '../config/service-secrets.js';
import type { Kafka, KafkaConsumer, KafkaProducer } from '../kafka/port.js';
import type { KafkaSettings } from '../kafka/settings.js';
import { errorText } from '../model/error-text.js';
import { Metrics, resourceOf } from '../outputs/metrics/index.js';
import { asConfigured } from './as-configured.js';
import { watchForBlindSpots } from './blind-spots.js';
import { unlessAborted } from './bounded-wait.js';
import { DeadLetterTopic } from './dead-letters.js';
import { Engine } from './engine.js';
import { openPage } from './open-page.js';
import type { Parts } from './parts.js';
import { openReceiver } from './receiver.js';
import { createScaleOut } from './scale-out.js';
import type { ServiceOptions } from './service-options.js';
import { Sinks } from './sinks.js';
import { Status } from './status.js';
import type { Voice } from './voice.js';

export interface Given {
  readonly options: ServiceOptions;
  readonly secrets: ServiceSecrets;
  readonly voice: Voice;
  /** Hears why the service cannot go on. */
  readonly onFailure: (error: Error) => void;
}

/** One message may hold as much as a whole batch of an audit webhook. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
const PRODUCE_TIMEOUT_MS = 30_000;

/**
 * Notes in `parts` what is open, as soon as it is: whoever calls ends it, also when this rejects. Resolves when the
 * service consumes, which takes as long as Kafka is away; rejects as `openService` does.
 */
export async function openParts(parts: Parts, given: Given): Promise<void> {
  const { kafka: section } = given.options.config;
  const { kafka: settings } = given.secrets;
  if (section === undefined || settings === undefined) throw new Error('the configuration has no section kafka');
  await new Opening(parts, given, section).open(settings);
}

class Opening {
  readonly #parts: Parts;
  readonly #given: Given;
  readonly #options: ServiceOptions;
  readonly #config: Config;
  readonly #section: KafkaConfig;
  readonly #voice: Voice;

  constructor(parts: Parts, given: Given, section: KafkaConfig) {
    this.#parts = parts;
    this.#given = given;
    this.#options = given.options;
    this.#config = given.options.config;
    this.#section = section;
    this.#voice = given.voice;
  }

  async open(settings: KafkaSettings): Promise<void> {
    const metrics = this.#createMetrics();
    const sinks = await this.#openSinks(metrics);
    const kafka = this.#connect(settings);
    const ensureDeadLetters = this.#openDeadLetters(kafka);
    const consumer = this.#createConsumer(kafka, ensureDeadLetters);
    const engine = this.#createEngine(consumer, sinks);
    const status = this.#createStatus(engine, sinks);
    await this.#openPage(status, metrics);
    await this.#consume(consumer, engine);
    await this.#openWebhook(kafka);
    this.#watchForBlindSpots(consumer, status);
  }

  #createMetrics(): Metrics {
    const { env, clock } = this.#options;
    return new Metrics({
      startMs: clock.now(),
      instance: hostname(),
      resource: resourceOf(env),
      more: () => this.#parts.status?.families() ?? [],
    });
  }

  async #openSinks(metrics: Metrics): Promise<Sinks> {
    const { warn } = this.#voice;
    const sinks = await Sinks.open(this.#config.outputs, { ...this.#options, metrics, onMessage: warn });
    this.#parts.sinks = sinks;
    return sinks;
  }

  /** Nothing is sent yet: each consumer and producer connects when it is needed. */
  #connect(settings: KafkaSettings): Kafka {
    const kafka = this.#options.createKafka(settings, this.#voice.say);
    this.#parts.kafka = kafka;
    return kafka;
  }

  /** Gives what makes their topic when it is not there, and never rejects; undefined where they have none. */
  #openDeadLetters(kafka: Kafka): (() => Promise<void>) | undefined {
    const { deadLetters: topic } = this.#section;
    const { warn } = this.#voice;
    if (topic === undefined) return undefined;
    const make = async () => void (await kafka.ensureTopic(topic, 1));
    const makeOrTell = async () => {
      try {
        await make();
      } catch (error) {
        if (this.#isEnding()) return;
        const advice = 'it is tried again when there is something for it; make it, or allow this user to';
        warn(`the topic ${topic} cannot be made: ${errorText(error)}; ${advice}`);
      }
    };
    void makeOrTell();
    const producer = createProducer(kafka);
    const { clock } = this.#options;
    this.#parts.deadLetters = new DeadLetterTopic({ topic, producer, ensure: make, clock, onMessage: warn });
    return makeOrTell;
  }

  #isEnding(): boolean {
    return this.#options.signal?.aborted === true || this.#parts.status?.stopping === true;
  }

  /** Of the topics, or of the one between the stages where replicas share the work. */
  #createConsumer(kafka: Kafka, ensureDeadLetters: (() => Promise<void>) | undefined): KafkaConsumer {
    const { group: groupId, topics, committedOnly, sender, scaleOut } = this.#section;
    const from = startOf(this.#section.from, this.#options.clock.now());
    if (scaleOut === undefined) {
      this.#parts.consumer = kafka.consumer({ groupId, topics, from, committedOnly, sender });
      return this.#parts.consumer;
    }
    const { cluster, service } = this.#config;
    this.#parts.scaleOut = createScaleOut({
      kafka,
      section: this.#section,
      scaleOut,
      from,
      windowMs: service.windowMs,
      readyLagMs: service.readyLagMs,
      cluster,
      maxMessageBytes: MAX_MESSAGE_BYTES,
      clock: this.#options.clock,
      onNote: this.#voice.warn,
      onFailure: this.#given.onFailure,
      ...(ensureDeadLetters === undefined ? {} : { ensureDeadLetters }),
    });
    this.#parts.consumer = this.#parts.scaleOut.consumer;
    return this.#parts.consumer;
  }

  #createEngine(consumer: KafkaConsumer, sinks: Sinks): Engine {
    const { rules, clock } = this.#options;
    const { cluster, service } = this.#config;
    const { deadLetters, scaleOut } = this.#parts;
    const engine = new Engine({
      rules,
      windowUs: service.windowMs * 1_000,
      readyLagUs: service.readyLagMs * 1_000,
      cluster,
      maxMessageBytes: MAX_MESSAGE_BYTES,
      outputs: sinks,
      deadLetters,
      clock,
      consumer,
      onNote: this.#voice.warn,
      onNews: (text) => this.#voice.say('info', text),
      onBatch: (batch) => this.#parts.status?.take(batch),
      onFailure: this.#given.onFailure,
      ...(scaleOut === undefined ? {} : { upstream: scaleOut.stageTwo }),
    });
    this.#parts.engine = engine;
    return engine;
  }

  #createStatus(engine: Engine, outputs: Sinks): Status {
    const { version, clock } = this.#options;
    const { scaleOut } = this.#parts;
    const status = new Status({
      version,
      readyLagUs: this.#config.service.readyLagMs * 1_000,
      engine,
      outputs,
      notes: this.#voice.notes,
      now: clock.now,
      ...(scaleOut === undefined ? {} : { scaleOut }),
    });
    this.#parts.status = status;
    return status;
  }

  /** Before anything is read: who looks sees the service start. */
  async #openPage(view: Status, metrics: Metrics): Promise<void> {
    const { admin: listen } = this.#config.listen;
    if (listen === undefined) return;
    const { admin: access } = this.#given.secrets;
    const { now } = this.#options.clock;
    const admin = await openPage({ listen, access, view, metrics, now, onMessage: this.#voice.warn });
    this.#parts.admin = admin;
    this.#voice.say('info', `page and interface at ${admin.url}`);
  }

  async #consume(consumer: KafkaConsumer, engine: Engine): Promise<void> {
    const { signal } = this.#options;
    const { scaleOut } = this.#parts;
    engine.start();
    if (scaleOut === undefined) await unlessAborted(consumer.start(engine), signal);
    else await scaleOut.start(engine, signal);
  }

  /** After Kafka has answered: what is posted is acknowledged when it is there. */
  async #openWebhook(kafka: Kafka): Promise<void> {
    const { webhook: config } = this.#config.listen;
    if (config === undefined) return;
    const { sender, deadLetters } = this.#section;
    const access = this.#given.secrets.webhook ?? {};
    const { clock } = this.#options;
    const producer = createProducer(kafka);
    const onMessage = this.#voice.warn;
    const receiver = await asConfigured(
      openReceiver({ config, access, sender, deadLetters, producer, clock, onMessage }),
    );
    this.#parts.receiver = receiver;
    this.#voice.say('info', `audit webhook at ${receiver.url}`);
  }

  #watchForBlindSpots(consumer: KafkaConsumer, status: Status): void {
    const sharesWork = this.#section.scaleOut !== undefined;
    this.#parts.endWatch = watchForBlindSpots({ consumer, sharesWork, status, onMessage: this.#voice.warn });
  }
}

function createProducer(kafka: Kafka): KafkaProducer {
  return kafka.producer({ timeoutMs: PRODUCE_TIMEOUT_MS, compression: 'none' });
}

/** Where a new group begins: a time is in milliseconds since the epoch. */
function startOf(from: StartFrom, nowMs: number): 'latest' | 'earliest' | number {
  if (typeof from === 'string') return from;
  return 'atMs' in from ? from.atMs : nowMs - from.agoMs;
}
