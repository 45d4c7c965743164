/** Replicas that share the work die at any point, and others take over: the story is the same in the end. */
import { afterEach, describe, expect, it } from '@jest/globals';
import { MINUTE } from '../../src/model/time.js';
import { FRAME, openBlock } from '../../src/service/stage-one/block-format.js';
import { linesOf, messageOf } from './audit-lines.js';
import { readAll } from './engine-kit.js';
import { MemoryCluster } from './memory-cluster.js';
import { MemoryKafka } from './memory-kafka.js';
import { BETWEEN, feedReplicas, killAll, type Replica, startReplica } from './replica.js';
import { chance, type Story, storyOf } from './story.js';

const LINES = linesOf('upgrade-with-failure');
const PARTITIONS = 6;
/** Several windows open and close during the run. */
const WINDOW = MINUTE;

function fill(kafka: Pick<MemoryKafka | MemoryCluster, 'create' | 'produce'>): void {
  kafka.create('audit', PARTITIONS);
  for (const [index, line] of LINES.entries()) kafka.produce('audit', (index * 31) % PARTITIONS, messageOf(line));
}

async function undisturbed(): Promise<Story> {
  const kafka = new MemoryKafka();
  fill(kafka);
  const { outputs } = await readAll(kafka, { windowUs: WINDOW });
  return storyOf([outputs], outputs);
}

const UNDISTURBED = await undisturbed();

/** Those that died are no more; of the living one correlates. */
function storyOfReplicas(all: readonly Replica[], living: readonly Replica[]): Story {
  const correlating = living.filter(({ engine }) => engine.analysis !== undefined);
  // One that had the cluster before shows what it judged then.
  const last = correlating.find(({ engine }) =>
    [...engine.partitions.all()].some(({ stream }) => stream.lastUs !== undefined),
  );
  if (last === undefined) throw new Error('nobody correlates');
  return storyOf(
    all.map(({ outputs }) => outputs),
    last.outputs,
  );
}

afterEach(killAll);

describe('replicas that die', () => {
  it.each(Array.from({ length: 6 }, (_, seed) => [seed + 1]))('tell the same in the end, seed %d', async (seed) => {
    const cluster = new MemoryCluster();
    fill(cluster);
    const next = chance(seed);
    const all: Replica[] = [];
    const start = async () => {
      // Of different speed.
      const replica = await startReplica(cluster, { windowUs: WINDOW, speed: 20 + next(200) });
      all.push(replica);
      return replica;
    };
    const living = [await start(), await start(), await start()];
    for (let kills = 0; kills < 4; kills += 1) {
      let steps = next(60);
      await feedReplicas(living, () => {
        steps -= 1;
        return steps < 0;
      });
      // Of some transactions nobody hears whether they were committed.
      cluster.losesAnswers = next(3);
      await living.splice(next(living.length), 1)[0]?.kill();
      living.push(await start());
    }
    await feedReplicas(living);
    // They end without a rebalance: what each has judged last is what it shows.
    for (const { engine } of living) await engine.stop(AbortSignal.timeout(5_000));
    const story = storyOfReplicas(all, living);
    for (const replica of living) await replica.kill();
    expect(story).toEqual(UNDISTURBED);
    expect(all.flatMap(({ notes }) => notes).filter((note) => note.startsWith('failed'))).toEqual([]);
    expect(placesIn(cluster)).toEqual(LINES.length);
  });
});

/** Records in the topic between the stages; each once, however often replicas died. */
function placesIn(cluster: MemoryCluster): number {
  const places = new Set<string>();
  for (const messages of cluster.topics.get(BETWEEN) ?? []) {
    for (const { value } of messages) {
      for (const place of framesOf(value)) {
        if (places.has(place)) throw new Error(`${place} is there twice`);
        places.add(place);
      }
    }
  }
  return places.size;
}

function* framesOf(value: Buffer): Generator<string> {
  const opened = openBlock(value, 0, value.length);
  const state = opened?.header.states[0];
  if (opened === undefined || opened.header.frames === 0) return;
  for (let at = opened.at; at < value.length; at += FRAME.bytes + value.readUInt32LE(at + FRAME.length)) {
    yield `${state?.topic}/${state?.partition}@${value.readDoubleLE(at + FRAME.offset)}:${value.readUInt32LE(at + FRAME.line)}`;
  }
}
