/** Replicas that share the work: clusters that move, what cannot be read, the way from one stage to two, wrong keys. */
import { afterEach, describe, expect, it } from '@jest/globals';
import { DEFAULT_CLUSTER } from '../../src/model/analysis.js';
import { openBlock } from '../../src/service/stage-one/block-format.js';
import { partitionOf } from '../../src/service/stage-one/keying.js';
import { until } from '../until.js';
import { type AuditLine, linesOf, messageOf } from './audit-lines.js';
import { MemoryCluster } from './memory-cluster.js';
import { BETWEEN, feedReplicas, killAll, type Replica, startReplica } from './replica.js';

const LINES = linesOf('gc-harm');
const PARTITIONS = 6;
/** Runs of their own, in different partitions of the topic between the stages. */
const CLUSTERS = { blue: 'gc-harm', green: 'wrong-peer-ca' };
const NAMES = Object.keys(CLUSTERS);

function partitionOfName(cluster: string): number {
  return partitionOf(cluster, 4);
}

/** The lines of a run, as a cluster of this name wrote them. */
function fill(cluster: MemoryCluster, name: string, lines = LINES): void {
  if (!cluster.topics.has('audit')) cluster.create('audit', PARTITIONS);
  for (const [index, line] of lines.entries()) {
    cluster.produce('audit', (index * 31) % PARTITIONS, messageOf(line, name));
  }
}

/** The run as servers of other names wrote it, elsewhere. */
function elsewhere(run: string): AuditLine[] {
  return linesOf(run).map(({ text, server }) => ({
    server: server + 3,
    text: text
      .replace(/apiserver-(\w)(?=\w{21})/g, (_, first) => `apiserver-${first === 'q' ? 'w' : 'q'}`)
      .replace(/\bcp(\d)\b/g, 'm$1')
      .replace(/\b10\.(\d+)\.\d+\.(\d+)/g, '10.$1.99.$2'),
  }));
}

const clustersOf = ({ engine }: Replica) =>
  [...new Set(engine.analysis?.findings.map(({ cluster }) => cluster))].sort();
const resolved = ({ outputs }: Replica) =>
  outputs.batches.flatMap(({ changes }) => changes.filter(({ kind }) => kind === 'resolved'));

afterEach(killAll);

describe('clusters', () => {
  it('have different partitions in this test', () => {
    expect(new Set(NAMES.map(partitionOfName)).size).toBe(NAMES.length);
  });

  it('are each correlated by the replica that holds them, and nobody resolves what another took over', async () => {
    const cluster = new MemoryCluster();
    for (const [name, run] of Object.entries(CLUSTERS)) fill(cluster, name, linesOf(run));
    const first = await startReplica(cluster);
    await feedReplicas([first]);
    expect(clustersOf(first)).toEqual(NAMES);
    const others = [await startReplica(cluster), await startReplica(cluster), await startReplica(cluster)];
    const all = [first, ...others];
    await feedReplicas(all);
    for (const { engine } of all) await engine.stop(AbortSignal.timeout(5_000));
    const held = all.map(({ engine }) =>
      NAMES.filter((name) => engine.partitions.of({ topic: BETWEEN, partition: partitionOfName(name) })),
    );
    // Each has one of the four partitions.
    expect(held.flat().sort()).toEqual(NAMES);
    for (const [at, replica] of all.entries()) {
      const last = replica.outputs.batches.at(-1);
      if (held[at]?.length === 0) continue;
      expect(clustersOf(replica)).toEqual(held[at]);
      if (typeof last?.complete !== 'function') throw new Error('whole for some clusters');
      expect(NAMES.filter(last.complete)).toEqual(held[at]);
    }
    expect(all.flatMap(resolved)).toEqual([]);
    for (const replica of all) await replica.kill();
  });

  it('of a replica that lost them are not what it tells any more, nor what a slow output hears when they come back', async () => {
    const cluster = new MemoryCluster();
    for (const [name, run] of Object.entries(CLUSTERS)) fill(cluster, name, linesOf(run));
    const first = await startReplica(cluster);
    await feedReplicas([first]);
    const others = [await startReplica(cluster), await startReplica(cluster), await startReplica(cluster)];
    await feedReplicas([first, ...others]);
    const heldBy = ({ engine }: Replica) =>
      NAMES.filter((name) => engine.partitions.of({ topic: BETWEEN, partition: partitionOfName(name) }));
    for (const replica of [first, ...others]) {
      const last = replica.outputs.batches.at(-1);
      // Receivers are reminded of what the last batch holds.
      expect(heldBy(replica)).toEqual(
        expect.arrayContaining([...new Set(last?.findings.map(({ cluster: name }) => name))]),
      );
    }
    const before = first.outputs.batches.at(-1);
    for (const replica of others) await replica.kill();
    expect(heldBy(first)).toEqual(NAMES);
    // It was told when the first held a part of them: it says nothing of what came back since.
    const complete = before?.complete ?? false;
    expect(NAMES.filter((name) => (typeof complete === 'function' ? complete(name) : complete))).toEqual([]);
    await feedReplicas([first]);
    await first.kill();
  });

  it('that no record names are of the replica that judges them: it alone says that all their findings are told', async () => {
    const cluster = new MemoryCluster();
    fill(cluster, '');
    const replicas = [await startReplica(cluster), await startReplica(cluster), await startReplica(cluster)];
    await feedReplicas(replicas);
    for (const { engine } of replicas) await engine.stop(AbortSignal.timeout(5_000));
    for (const { engine, outputs, stageTwo } of replicas) {
      const { findings = [] } = engine.analysis ?? {};
      expect(stageTwo.holds(DEFAULT_CLUSTER)).toBe(findings.length > 0);
      expect(outputs.open).toEqual(findings.map(({ fingerprint }) => fingerprint).sort());
    }
    expect(replicas.flatMap(clustersOf)).toEqual([DEFAULT_CLUSTER]);
    for (const replica of replicas) await replica.kill();
  });

  it('that went to another replica are shown, and reminded of, by that one alone', async () => {
    const cluster = new MemoryCluster();
    fill(cluster, 'green');
    const first = await startReplica(cluster);
    await feedReplicas([first]);
    expect(clustersOf(first)).toEqual(['green']);
    const all = [first, await startReplica(cluster), await startReplica(cluster), await startReplica(cluster)];
    await feedReplicas(all);
    const place = { topic: BETWEEN, partition: partitionOfName('green') };
    const [holder, ...others] = [...all].sort((a, b) => Number(holds(b)) - Number(holds(a)));
    expect(others.includes(first)).toBe(true);
    await until(() => others.every(({ engine }) => engine.analysis === undefined));
    expect(others.map(({ outputs }) => outputs.batches.at(-1)?.findings ?? [])).toEqual([[], [], []]);
    expect(holder?.outputs.batches.at(-1)?.findings).toEqual(holder?.engine.analysis?.findings);
    expect(holder?.engine.analysis?.findings.length).toBeGreaterThan(0);
    expect([
      ...all.flatMap(resolved),
      ...first.outputs.open.filter((open) => !holder?.outputs.open.includes(open)),
    ]).toEqual([]);
    for (const replica of all) await replica.kill();

    function holds({ engine }: Replica): boolean {
      return engine.partitions.of(place) !== undefined;
    }
  });

  it('that prove to be two are both of the replica that judges them', async () => {
    const cluster = new MemoryCluster();
    fill(cluster, 'prod');
    fill(cluster, 'prod', elsewhere('wrong-peer-ca'));
    const replicas = [await startReplica(cluster), await startReplica(cluster), await startReplica(cluster)];
    await feedReplicas(replicas);
    for (const { engine } of replicas) await engine.stop(AbortSignal.timeout(5_000));
    const parts = [...new Set(replicas.flatMap(clustersOf))];
    expect(parts).toHaveLength(2);
    for (const { engine, stageTwo, outputs } of replicas) {
      const { findings = [] } = engine.analysis ?? {};
      expect(parts.filter(stageTwo.holds)).toEqual(findings.length > 0 ? parts : []);
      expect(outputs.open).toEqual(findings.map(({ fingerprint }) => fingerprint).sort());
    }
    for (const replica of replicas) await replica.kill();
  });

  it('that only some records name are said to be taken apart', async () => {
    const cluster = new MemoryCluster();
    fill(cluster, 'blue', LINES.slice(0, 300));
    fill(cluster, '', LINES.slice(300, 600));
    const replica = await startReplica(cluster);
    await feedReplicas([replica]);
    expect(replica.notes).toEqual([expect.stringMatching(/name a cluster \("blue"\) and others none/)]);
    await replica.stop();
  });
});

describe('what cannot be read', () => {
  it('is in the topic for it once, with its origin, and counted, however often replicas die', async () => {
    const cluster = new MemoryCluster();
    cluster.create('dead', 1);
    fill(cluster, 'blue', LINES.slice(0, 1_200));
    const sender = { server: 'cp1', cluster: 'blue' };
    const bad = [50, 60, 150].map((offset, partition) => {
      const value = Buffer.from(`{"kind":"Event", damaged ${offset}`);
      cluster.topics.get('audit')?.[partition]?.splice(offset, 0, { value, sender });
      return `audit/${partition}@${offset}`;
    });
    const options = { deadLetters: 'dead', speed: 30 };
    const replicas = [await startReplica(cluster, options), await startReplica(cluster, options)];
    for (let kills = 0; kills < 3; kills += 1) {
      let steps = 12;
      await feedReplicas(replicas, () => {
        steps -= 1;
        return steps < 0;
      });
      await replicas.shift()?.kill();
      replicas.push(await startReplica(cluster, options));
    }
    await feedReplicas(replicas);
    const letters = cluster.topics.get('dead')?.[0] ?? [];
    const origins = letters.map(({ headers = {} }) => {
      return `${headers['skewscope-topic']}/${headers['skewscope-partition']}@${headers['skewscope-offset']}`;
    });
    expect(origins.sort()).toEqual(bad);
    expect(letters.every(({ value }) => String(value).includes('damaged'))).toBe(true);
    for (const { engine } of replicas) await engine.stop(AbortSignal.timeout(5_000));
    const inputs = replicas.flatMap(({ engine }) => engine.analysis?.inputs ?? []);
    expect(
      inputs
        .filter(({ problems }) => Object.keys(problems).length > 0)
        .map(({ server, problems }) => [server, problems]),
    ).toEqual([['cp1', { 'not-json': 3 }]]);
    for (const replica of replicas) await replica.kill();
  });
});

describe('the way from one stage to two', () => {
  it('goes on where the one stage was', async () => {
    const cluster = new MemoryCluster();
    fill(cluster, 'blue', LINES.slice(0, 600));
    const { committed } = cluster.group('skewscope');
    for (let partition = 0; partition < PARTITIONS; partition += 1) {
      committed.set(`audit/${partition}`, {
        topic: 'audit',
        partition,
        offset: 40 + partition,
        metadata: '{"v":1,"dead":0}',
      });
    }
    const replica = await startReplica(cluster);
    await feedReplicas([replica]);
    expect(replica.stageOne.records).toBe(600 - (40 + 41 + 42 + 43 + 44 + 45));
    await replica.stop();
  });
});

describe('keys', () => {
  it('that are spread over another number of partitions are told by all that see them', async () => {
    const cluster = new MemoryCluster();
    fill(cluster, 'blue', LINES.slice(0, 600));
    cluster.create(BETWEEN, 4);
    const before = await startReplica(cluster);
    await feedReplicas([before]);
    expect(before.stageTwo.wrong).toBe('');
    cluster.topics.get(BETWEEN)?.push([], [], []);
    for (const [index, line] of LINES.slice(600, 900).entries()) {
      cluster.produce('audit', index % PARTITIONS, messageOf(line, 'blue'));
    }
    const after = await startReplica(cluster);
    expect(after.notes).toEqual([expect.stringMatching(/between has 7 partitions, not 4 as kafka.scaleOut says/)]);
    await feedReplicas([before, after]);
    const all = [before, after];
    expect(all.some(({ notes }) => notes.some((note) => /partitions were added/.test(note)))).toBe(true);
    const wrong = all.filter(({ stageTwo }) => stageTwo.wrong !== '');
    expect(wrong.length).toBeGreaterThan(0);
    for (const { stageTwo } of wrong) expect(NAMES.filter((name) => stageTwo.holds(name))).toEqual([]);
    for (const replica of all) await replica.kill();
  });
});

describe('the topic between the stages', () => {
  it('is told how far all partitions are, and nothing more while nothing happens', async () => {
    const cluster = new MemoryCluster();
    fill(cluster, 'blue', LINES.slice(0, 300));
    const replicas = [await startReplica(cluster), await startReplica(cluster)];
    await feedReplicas(replicas);
    const messages = () => cluster.topics.get(BETWEEN)?.flat() ?? [];
    const settled = async () => {
      for (let before = -1; before !== messages().length; ) {
        before = messages().length;
        const ends = Date.now() + 1_200;
        await feedReplicas(replicas, () => Date.now() > ends);
        while (Date.now() < ends) await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };
    await settled();
    for (const partition of cluster.topics.get(BETWEEN) ?? []) {
      const states = new Map<string, boolean>();
      for (const { value } of partition) {
        const opened = openBlock(value, 0, value.length);
        for (const state of opened?.header.states ?? []) states.set(`${state.topic}/${state.partition}`, state.end);
      }
      expect([...states.values()]).toEqual(Array.from({ length: PARTITIONS }, () => true));
    }
    for (const replica of replicas) await replica.stop();
  });
});
