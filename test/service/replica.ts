/** One replica of the service with two stages, over a Kafka in memory. */
import { Engine, type EngineOptions } from '../../src/service/engine.js';
import { createScaleOut, type ScaleOut } from '../../src/service/scale-out.js';
import { decodeGroup } from '../../src/service/stage-one/stage-one.js';
import { RULES } from '../analysis/samples.js';
import { PATIENCE_MS } from '../until.js';
import { EAGER_CLOCK, turn } from './engine-kit.js';
import type { MemoryCluster, MemoryConnection } from './memory-cluster.js';
import { ToldOutputs } from './told.js';

export interface Replica extends ScaleOut {
  readonly engine: Engine;
  readonly outputs: ToldOutputs;
  readonly notes: string[];
  readonly connection: MemoryConnection;
  /** Messages that it gets at once from each partition. */
  speed: number;
  /** Ends it as kill -9 does. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

export interface ReplicaOptions extends Partial<Pick<EngineOptions, 'windowUs' | 'cluster'>> {
  readonly partitions?: number;
  readonly speed?: number;
  readonly deadLetters?: string;
}

const HOUR_US = 3_600_000_000;
const GROUP = 'skewscope';
export const BETWEEN = 'between';

const started: Replica[] = [];

export async function startReplica(cluster: MemoryCluster, options: ReplicaOptions = {}): Promise<Replica> {
  const { windowUs = 12 * HOUR_US, cluster: name, partitions = 4, speed = 200, deadLetters } = options;
  const connection = cluster.connect();
  const notes: string[] = [];
  const outputs = new ToldOutputs();
  const common = {
    cluster: name,
    maxMessageBytes: 16 * 1024 * 1024,
    clock: EAGER_CLOCK,
    onNote: (text: string) => notes.push(text),
    onFailure: (error: Error) => notes.push(`failed: ${error.message}`),
  };
  const scaleOut = createScaleOut({
    ...common,
    kafka: connection,
    section: {
      group: GROUP,
      topics: ['audit'],
      committedOnly: true,
      sender: { serverHeaders: [], clusterHeaders: [], key: 'ignore', topic: undefined },
      deadLetters,
    },
    scaleOut: { topic: BETWEEN, partitions, compression: 'none' },
    from: 'earliest',
    windowMs: windowUs / 1_000,
    readyLagMs: 300_000,
    lingerMs: 5,
    settleMs: 100,
  });
  const engine = new Engine({
    ...common,
    rules: RULES,
    windowUs,
    readyLagUs: 300_000_000,
    outputs,
    deadLetters: undefined,
    consumer: scaleOut.consumer,
    upstream: scaleOut.stageTwo,
  });
  engine.start();
  await scaleOut.start(engine);
  const replica: Replica = {
    ...scaleOut,
    engine,
    outputs,
    notes,
    connection,
    speed,
    async kill() {
      await connection.kill();
      await engine.stop(AbortSignal.abort());
      await scaleOut.stageOne.stop(AbortSignal.abort());
    },
    async stop() {
      await scaleOut.stop(AbortSignal.timeout(5_000));
      await engine.stop(AbortSignal.timeout(5_000));
      await scaleOut.consumer.stop();
    },
  };
  started.push(replica);
  return replica;
}

/** Of replicas that a test that failed has left running. */
export async function killAll(): Promise<void> {
  for (const replica of started.splice(0)) await replica.kill();
}

/** Feeds the replicas until all that there is was taken by all of them, or `isOver`. */
export async function feedReplicas(replicas: readonly Replica[], isOver: () => boolean = () => false): Promise<void> {
  const ends = Date.now() + PATIENCE_MS;
  while (!isOver()) {
    let any = false;
    for (const { connection, speed } of replicas) if (connection.fetch(speed)) any = true;
    for (const { engine, stageOne } of replicas) {
      const failure = engine.failure ?? stageOne.failure;
      if (failure !== undefined) throw failure;
    }
    if (!any && replicas.every(hasAll)) return;
    if (Date.now() > ends) throw new Error(`not taken: ${JSON.stringify(replicas.map(stateOf))}`);
    await turn(any ? 0 : 2);
  }
}

/** Nothing of what it took waits in one of its stages or on the way between them, and it knows so. */
function hasAll({ engine, stageOne, connection: { cluster } }: Replica): boolean {
  const { committed } = cluster.group(decodeGroup(GROUP));
  const isWritten = stageOne.partitions.streams().every((stream) => {
    return stream.isAtEnd && committed.get(`${stream.topic}/${stream.partition}`)?.offset === stream.end;
  });
  const isTaken = engine.partitions.streams().every(({ isAtEnd }) => isAtEnd);
  return isWritten && isTaken && (engine.isLive || engine.partitions.size === 0);
}

function stateOf({ engine, stageOne, notes }: Replica) {
  const of = (all: Iterable<{ stream: { topic: string; partition: number; received: number; end: number } }>) =>
    [...all].map(({ stream }) => `${stream.topic}/${stream.partition} ${stream.received}/${stream.end}`);
  return { live: engine.isLive, one: of(stageOne.partitions.all()), two: of(engine.partitions.all()), notes };
}
