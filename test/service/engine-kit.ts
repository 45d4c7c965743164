/** Runs the service's engine over a Kafka in memory. */
import type { Analysis } from '../../src/model/analysis.js';
import { type Clock, systemClock } from '../../src/outputs/delivery/clock.js';
import { Engine, type EngineOptions } from '../../src/service/engine.js';
import { RULES } from '../analysis/samples.js';
import { PATIENCE_MS, until } from '../until.js';
import type { MemoryConsumer, MemoryKafka } from './memory-kafka.js';
import { ToldOutputs } from './told.js';

export interface RunningEngine {
  readonly engine: Engine;
  readonly consumer: MemoryConsumer;
  readonly outputs: ToldOutputs;
  readonly notes: string[];
}

/** Nobody waits in tests: a tick is a turn of the event loop. */
export const EAGER_CLOCK: Clock = {
  now: systemClock.now,
  random: () => 0.5,
  sleep: (ms, signal) => systemClock.sleep(Math.min(ms, 5), signal),
};

export function startEngine(kafka: MemoryKafka, options: Partial<EngineOptions> = {}): RunningEngine {
  const consumer = kafka.consumer();
  const outputs = new ToldOutputs();
  const notes: string[] = [];
  const engine = new Engine({
    rules: RULES,
    windowUs: 12 * 3_600_000_000,
    readyLagUs: 300_000_000,
    cluster: undefined,
    maxMessageBytes: 16 * 1024 * 1024,
    outputs,
    deadLetters: undefined,
    clock: EAGER_CLOCK,
    consumer,
    onNote: (text) => notes.push(text),
    ...options,
  });
  engine.start();
  return { engine, consumer, outputs, notes };
}

/** Reads all that the topics hold, as a service does that is then stopped; gives what was judged last, and what was told. */
export async function readAll(
  kafka: MemoryKafka,
  options: Partial<EngineOptions> = {},
): Promise<{ readonly analysis: Analysis; readonly outputs: ToldOutputs }> {
  const running = startEngine(kafka, options);
  await running.consumer.start(running.engine);
  await feedAll(running);
  await running.engine.stop(AbortSignal.timeout(5_000));
  const { analysis } = running.engine;
  if (analysis === undefined) throw new Error('nothing was judged');
  return { analysis, outputs: running.outputs };
}

/** Feeds everything that is in the topics, and waits until the engine has taken it. */
export async function feedAll({ engine, consumer }: RunningEngine, limit = 500): Promise<void> {
  const ends = Date.now() + PATIENCE_MS;
  while (consumer.fetch(limit)) {
    if (engine.failure !== undefined) throw engine.failure;
    if (Date.now() > ends) throw new Error('the engine does not take what the topics hold');
    await turn();
  }
  const hasAll = () => engine.isLive && engine.partitions.streams().every(({ isAtEnd }) => isAtEnd);
  await until(() => engine.failure !== undefined || hasAll());
  if (engine.failure !== undefined) throw engine.failure;
}

export function turn(ms = 0): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
