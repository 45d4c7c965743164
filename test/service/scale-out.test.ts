/** Replicas that share the work tell together what one service tells alone. */
import { afterEach, describe, expect, it } from '@jest/globals';
import { type AnalysisResult, toResult } from '../../src/report/index.js';
import { RUNS } from '../analysis/samples.js';
import { linesOf, messageOf } from './audit-lines.js';
import { readAll } from './engine-kit.js';
import { MemoryCluster } from './memory-cluster.js';
import { MemoryKafka } from './memory-kafka.js';
import { feedReplicas, killAll, type Replica, startReplica } from './replica.js';

const PARTITIONS = 6;

/** The lines lie in any partition. */
function fill(kafka: Pick<MemoryKafka | MemoryCluster, 'create' | 'produce'>, run: string): void {
  kafka.create('audit', PARTITIONS);
  for (const [index, line] of linesOf(run).entries()) {
    kafka.produce('audit', (index * 7919) % PARTITIONS, messageOf(line));
  }
}

interface Told {
  readonly result: AnalysisResult;
  readonly requests: string[];
  readonly open: string[];
}

async function alone(run: string): Promise<Told> {
  const kafka = new MemoryKafka();
  fill(kafka, run);
  const { analysis, outputs } = await readAll(kafka);
  return { result: sorted(toResult(analysis)), requests: [...outputs.requests].sort(), open: outputs.open };
}

/** Inputs are numbered as they turn up. */
function sorted({ inputs, ...rest }: AnalysisResult): AnalysisResult {
  const key = ({ name, server, records }: (typeof inputs)[number]) => `${name} ${server} ${records}`;
  return { ...rest, inputs: [...inputs].sort((a, b) => (key(a) < key(b) ? -1 : 1)) };
}

function clusterOf(run: string): MemoryCluster {
  const cluster = new MemoryCluster();
  fill(cluster, run);
  return cluster;
}

/** What the replica that correlates shows, and what all have told. */
function told(replicas: readonly Replica[]): Told {
  const analyses = replicas.flatMap(({ engine }) => engine.analysis ?? []);
  const [analysis] = analyses;
  if (analysis === undefined || analyses.length > 1) throw new Error(`${analyses.length} replicas have judged`);
  const requests = replicas.flatMap(({ outputs }) => outputs.requests).sort();
  const open = replicas.flatMap(({ outputs }) => outputs.open).sort();
  return { result: sorted(toResult(analysis)), requests, open };
}

afterEach(killAll);

describe.each(RUNS)('of the run %s', (run) => {
  it.each([1, 2, 3])('%d replicas tell what one service tells alone', async (count) => {
    const cluster = clusterOf(run);
    const replicas: Replica[] = [];
    for (let at = 0; at < count; at += 1) replicas.push(await startReplica(cluster));
    await feedReplicas(replicas);
    for (const replica of replicas) await replica.stop();
    const { result, requests, open } = await alone(run);
    const all = told(replicas);
    expect(all.result).toEqual(result);
    expect(all.requests).toEqual(requests);
    expect(all.open).toEqual(open);
    expect(replicas.flatMap(({ notes }) => notes).filter((note) => !note.startsWith('the group gave'))).toEqual([]);
  });
});
