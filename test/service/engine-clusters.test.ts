import { afterEach, describe, expect, it } from '@jest/globals';
import type { Finding } from '../../src/model/finding.js';
import { RUNS } from '../analysis/samples.js';
import { linesOf, messageOf } from './audit-lines.js';
import { readAll } from './engine-kit.js';
import { MemoryCluster } from './memory-cluster.js';
import { MemoryKafka } from './memory-kafka.js';
import { feedReplicas, killAll, startReplica } from './replica.js';
import type { ToldOutputs } from './told.js';

const DAY = 24 * 3_600_000_000;

/** Audit logs of runs in one topic, each as that of a cluster of its name, in the order in which shippers would send them. */
function fill<Kafka extends Pick<MemoryKafka, 'create' | 'produce'>>(
  kafka: Kafka,
  runs: readonly string[],
  inTurn = false,
): Kafka {
  kafka.create('audit', 3);
  const lines = runs.flatMap((run) => {
    let time = '';
    return linesOf(run).map((line, at) => {
      const own = /"stageTimestamp":"([^"]+)"/.exec(line.text)?.[1] ?? '';
      if (own > time) time = own;
      return { message: messageOf(line, run), time, partition: at % 3 };
    });
  });
  if (!inTurn) lines.sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0));
  for (const { partition, message } of lines) kafka.produce('audit', partition, message);
  return kafka;
}

/** The findings as they were told last, without the places that evidence points to, and by which it is ordered: offsets differ. */
function toldOf({ batches }: ToldOutputs, cluster: string): unknown[] {
  const last = new Map<string, Finding>();
  for (const { findings } of batches) for (const finding of findings) last.set(finding.fingerprint, finding);
  return [...last.values()]
    .filter((finding) => finding.cluster === cluster)
    .map(({ evidence, ...finding }) => ({ ...finding, evidence: evidence.map(({ quote }) => quote).sort() }))
    .sort((a, b) => (a.fingerprint < b.fingerprint ? -1 : 1));
}

async function outputsOf(runs: readonly string[], inTurn = false): Promise<ToldOutputs> {
  return (await readAll(fill(new MemoryKafka(), runs, inTurn), { windowUs: DAY })).outputs;
}

const ALONE = new Map<string, Promise<ToldOutputs>>();
function alone(run: string): Promise<ToldOutputs> {
  const outputs = ALONE.get(run) ?? outputsOf([run]);
  ALONE.set(run, outputs);
  return outputs;
}

/** Such pairs as were sent one after the other, the younger first. */
const ONE_AFTER_THE_OTHER = [
  ['namespace-orphans', 'wrong-peer-ca'],
  ['gc-harm', 'namespace-orphans'],
] as const;

describe('the engine, given two clusters in one topic', () => {
  it.each(RUNS.flatMap((one, at) => RUNS.slice(at + 1).map((other) => [one, other] as const)))(
    '%s and %s: tells of each what it tells of it alone',
    async (one, other) => {
      const both = await outputsOf([one, other]);
      for (const run of [one, other]) expect(toldOf(both, run)).toEqual(toldOf(await alone(run), run));
      const clusters = new Set(both.batches.flatMap(({ findings }) => findings.map(({ cluster }) => cluster)));
      for (const cluster of clusters) expect([one, other]).toContain(cluster);
    },
  );

  it.each(ONE_AFTER_THE_OTHER)('%s and then %s: the same', async (one, other) => {
    const both = await outputsOf([one, other], true);
    for (const run of [one, other]) expect(toldOf(both, run)).toEqual(toldOf(await alone(run), run));
  });
});

describe('two replicas, given two clusters in one topic', () => {
  afterEach(killAll);

  it.each(ONE_AFTER_THE_OTHER)('%s and %s: hold open what one instance does for each alone', async (one, other) => {
    const cluster = fill(new MemoryCluster(), [one, other]);
    const replicas = [await startReplica(cluster, { windowUs: DAY }), await startReplica(cluster, { windowUs: DAY })];
    await feedReplicas(replicas);
    for (const replica of replicas) await replica.stop();
    const open = replicas.flatMap(({ outputs }) => outputs.open).sort();
    expect(open).toEqual([...(await alone(one)).open, ...(await alone(other)).open].sort());
  });
});
