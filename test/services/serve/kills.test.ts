/** The program is killed again and again while events come in: in the end it has told what it would have told undisturbed. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from '@jest/globals';
import { Alertmanager, findAlertmanager } from '../alertmanager/alertmanager.js';
import { BUILD_TIMEOUT_MS, whyNoCollector } from '../collector/build.js';
import { type Collector, collect } from '../collector/collector.js';
import type { Received, ReceivedSpan } from '../collector/received.js';
import { KafkaOfTests, withKafka } from '../kafka/setup.js';
import { EventReceiver } from './event-receiver.js';
import { byTime, recentLines, send } from './lines.js';
import { type Program, ServiceFolder } from './program.js';

const KILLS = 20;
/** Several windows open and close within the four minutes of the recorded run. */
const SHORT = { short: { windowMs: 60_000 } };
const SEED = 7;
const HOUR_MS = 3_600_000;
/** Between an answer and its note in the spool lies no more, on a busy machine. */
const NOTED_MS = 1_500;

const noCollector = whyNoCollector();
if (noCollector !== undefined) console.warn(`spans are not looked at: ${noCollector}`);
const alertmanager = findAlertmanager();
if (alertmanager === undefined) console.warn('alerts are not looked at: no Alertmanager is installed');

/** Numbers from 0 to 1 that look random and are the same each time. */
function* numbers(seed: number): Generator<number, never> {
  for (let state = seed; ; ) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    yield state / 0x80000000;
  }
}

/** Enough to find the request that it is of. */
function nameOf({ spanId, attributes, resource }: ReceivedSpan): string {
  return [spanId, attributes['skewscope.side'], attributes['audit-id'], resource['service.instance.id']].join(' ');
}

/** Of twenty kills, so many may hit the moment between an answer and its note. */
const MAX_REPEATED = 3;
const SPANS_OF_MESSAGE = 512;

interface Receivers {
  readonly events: EventReceiver;
  readonly manager: Alertmanager | undefined;
  readonly folder: ServiceFolder;
}

withKafka('the service, killed at any point,', () => {
  const on = new KafkaOfTests({ properties: { 'group.min.session.timeout.ms': '500' } });
  const drops: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const drop of drops.splice(0).reverse()) await drop();
  });

  async function receivers(group: string, collector: Collector | undefined): Promise<Receivers> {
    const events = await EventReceiver.start();
    drops.push(() => events.stop());
    const manager =
      alertmanager === undefined ? undefined : await Alertmanager.start(alertmanager, `${events.url}notified`);
    if (manager !== undefined) drops.push(() => manager.stop());
    const folder = new ServiceFolder();
    drops.push(() => folder.drop());
    folder.configure(`
kafka: {brokers: ["${on.broker.brokers}"], topics: [audit], group: ${group}, from: earliest}
service: {drain: 10s}
listen: {admin: "127.0.0.1:0"}
outputs:
  spool: {dir: spool}
  ndjson: [{path: findings.ndjson}]
  webhook: [{url: "${events.url}"}]
  alertmanager: ${manager === undefined ? '[]' : `[{urls: ["${manager.url}"]}]`}
${collector === undefined ? '' : `  otlp: {endpoint: "${collector.endpoint}", metrics: false}`}
`);
    return { events, manager, folder };
  }

  test(
    `tells the same in the end as one that is not, over ${KILLS} kills`,
    async () => {
      await on.broker.createTopic('audit', 3);
      const lines = byTime([
        ...recentLines('upgrade-with-failure', HOUR_MS, 'one'),
        ...recentLines('wrong-peer-ca', HOUR_MS, 'two'),
      ]);
      const random = numbers(SEED);
      const deaths: number[] = [];
      let alerts: readonly string[][] = [];

      async function play(ours: Collector | undefined, others: Collector | undefined) {
        const killed = await receivers('killed', ours);
        const whole = await receivers('whole', others);
        const undisturbed = whole.folder.start(SHORT);
        await undisturbed.consumes();
        const producer = on.plain().producer();
        await producer.connect();
        drops.push(() => producer.disconnect());
        const share = Math.ceil(lines.length / (KILLS + 1));
        const feed = async (portion: number) => {
          const part = lines.slice(portion * share, (portion + 1) * share);
          for (let at = 0; at < part.length; at += 50) {
            await send(producer, 'audit', part.slice(at, at + 50), at);
            await sleep(10);
          }
        };
        for (let kill = 0; kill < KILLS; kill += 1) {
          const program = killed.folder.start(SHORT);
          const feeding = feed(kill);
          await diesSometime(program, killed.events, random);
          deaths.push(Date.now());
          await feeding;
        }
        await feed(KILLS);
        const last = killed.folder.start(SHORT);
        for (const program of [last, undisturbed]) {
          await program.consumes();
          await program.live(1);
        }
        await undisturbed.live(lines.length);
        const alertsOf = async ({ manager }: Receivers) =>
          (await manager?.alerts())?.map(({ labels }) => JSON.stringify(labels)).sort() ?? [];
        // What was judged last is told a second later.
        await last.until('all is told', async () => {
          alerts = await Promise.all([alertsOf(killed), alertsOf(whole)]);
          return [killed, whole].every(({ events, manager }, at) => {
            return events.open.length > 1 && (manager === undefined || events.open.length === alerts[at]?.length);
          });
        });
        for (const program of [last, undisturbed]) {
          await program.until('everything has arrived', async () => {
            const { sinks } = await program.json('/api/v1/status');
            return sinks.every(({ waiting }: { waiting: number }) => waiting === 0);
          });
        }
        expect(await last.stop()).toBe(0);
        expect(await undisturbed.stop()).toBe(0);
        for (const { text } of [last, undisturbed]) expect(text).not.toMatch(/not delivered/);
        return { killed, whole };
      }

      const { killed, whole, spans } = await withCollectors(play);
      // What fell between the answer of the receiver and its note in the spool, and nothing else, comes again under its id.
      for (const { id, atMs } of killed.events.repeated) {
        expect([id, deaths.some((death) => death >= atMs && death - atMs < NOTED_MS)]).toEqual([id, true]);
      }
      expect(killed.events.open).toEqual(whole.events.open);
      expect(killed.events.open.length).toBeGreaterThan(1);
      // Who is dead sees nothing of what passes meanwhile; what is not over is told by both.
      const missed = whole.events.opened.filter((key) => !killed.events.opened.includes(key));
      expect(missed.filter((key) => whole.events.open.includes(key))).toEqual([]);
      expect(killed.events.opened.filter((key) => !whole.events.opened.includes(key))).toEqual([]);
      expect(alerts[0]).toEqual(alerts[1]);
      if (alertmanager !== undefined) expect(alerts[1]?.join()).toMatch(/"cluster":"two".*"rule":"wrong-not-found"/);
      if (spans === undefined) return;
      const [ours = [], others = []] = spans;
      expect(others.length).toBeGreaterThan(500);
      expect(new Set(others).size).toBe(others.length);
      expect([...new Set(ours)].sort()).toEqual([...others].sort());
      // A kill between the answer of the collector and its note repeats that one message, here too under the same ids.
      expect(ours.length - new Set(ours).size).toBeLessThanOrEqual(MAX_REPEATED * SPANS_OF_MESSAGE);
    },
    BUILD_TIMEOUT_MS + 240_000,
  );

  /** Lets it live for a while, or until it has told something, and kills it then. */
  async function diesSometime(program: Program, events: EventReceiver, random: Iterator<number>): Promise<void> {
    const draw = () => random.next().value as number;
    const kind = draw();
    const before = events.told.length;
    if (kind < 0.25) await sleep(200 + draw() * 1_800);
    else {
      await program.consumes();
      if (kind < 0.6) await sleep(draw() * 1_200);
      else {
        const deadline = Date.now() + 2_500;
        while (events.told.length === before && Date.now() < deadline) await sleep(5);
        await sleep(draw() * 30);
      }
    }
    await program.kill();
  }

  async function withCollectors<T>(play: (ours?: Collector, others?: Collector) => Promise<T>) {
    if (noCollector !== undefined) return { ...(await play(undefined, undefined)), spans: undefined };
    let result: T | undefined;
    let others: Received | undefined;
    const ours = await collect(async (first) => {
      others = await collect(async (second) => {
        result = await play(first, second);
      });
    });
    if (result === undefined || others === undefined) throw new Error('nothing was collected');
    return { ...result, spans: [ours, others].map(({ spans }) => spans.map(nameOf)) };
  }
});
