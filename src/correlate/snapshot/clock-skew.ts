/**
 * Whose clock is off: the offsets between pairs of servers, put together. The clocks that agree with each other are
 * taken for right when they are more than any others that agree: so the fewest servers explain all offsets.
 */
import type { Observation } from '../../model/observations/index.js';
import { TimeHistogram } from '../time-histogram.js';
import { byName, type ClockLink, clockLinks } from './clock-links.js';
import { type Context, edgeNames, facts } from './context.js';
import type { ServerView } from './server-view.js';
import { order } from './servers.js';
import { Union } from './union.js';

/** Clocks that differ by less, in milliseconds, agree: half of what a request and its answer may differ on their ways. */
const AGREE = 100;

/** Servers whose clocks agree, with the middle of their clocks in milliseconds from one that all of them share. */
interface Clock {
  readonly servers: readonly ServerView[];
  readonly at: number;
}

/** One observation for each server that is off; where as many servers say one thing as another, one without a server. */
export function clockObservations({ pairs }: Pick<Context, 'pairs'>): Observation[] {
  const links = clockLinks(pairs);
  return connected(links).flatMap((joined) => {
    const clocks = clocksOf(joined, placesOf(joined));
    const most = clocks[0]?.servers.length ?? 0;
    const tied = clocks.filter(({ servers }) => servers.length === most).sort((a, b) => a.at - b.at);
    const [reference] = tied;
    if (reference === undefined) return [];
    const doubtful = tied.filter((clock) => clock !== reference);
    const off = clocks
      .filter((clock) => !tied.includes(clock))
      .flatMap(({ servers, at }) => servers.map((server): Clock => ({ servers: [server], at })));
    return [
      ...off.flatMap((clock) => observation(clock, reference, linksAcross(joined, clock, clocks), true)),
      ...doubtful.flatMap((clock) => observation(clock, reference, linksAcross(joined, clock, clocks), false)),
      ...unsteady(joined, clocks),
    ];
  });
}

/** Links by groups of servers that they join. */
function connected(links: readonly ClockLink[]): ClockLink[][] {
  const union = new Union<ServerView>();
  for (const { a, b } of links) {
    union.add(a);
    union.add(b);
    union.join(a, b);
  }
  const byRoot = new Map<ServerView, ClockLink[]>();
  for (const link of links) {
    const root = union.root(link.a);
    byRoot.set(root, [...(byRoot.get(root) ?? []), link]);
  }
  return [...byRoot.values()];
}

/** Where each clock stands, by the links with the most requests, as few as join them all. */
function placesOf(links: readonly ClockLink[]): Map<ServerView, number> {
  const [first] = links;
  const places = new Map<ServerView, number>(first === undefined ? [] : [[first.a, 0]]);
  for (let next = reaching(links, places); next !== undefined; next = reaching(links, places)) {
    const { a, b, offset } = next;
    const [at, other] = [places.get(a), places.get(b)];
    if (at !== undefined) places.set(b, at + offset);
    else if (other !== undefined) places.set(a, other - offset);
  }
  return places;
}

function reaching(links: readonly ClockLink[], places: ReadonlyMap<ServerView, number>): ClockLink | undefined {
  return links.find(({ a, b }) => places.has(a) !== places.has(b));
}

/** The clock of the most servers first. */
function clocksOf(links: readonly ClockLink[], places: ReadonlyMap<ServerView, number>): Clock[] {
  const at = (server: ServerView) => places.get(server) ?? 0;
  let left = [...new Set(links.flatMap(({ a, b }) => [a, b]))].sort((x, y) => at(x) - at(y) || byName(x, y));
  const clocks: Clock[] = [];
  while (left.length > 0) {
    const near = left.map((server) => left.filter((other) => Math.abs(at(other) - at(server)) < AGREE));
    const servers = near.reduce((most, each) => (each.length > most.length ? each : most));
    clocks.push({ servers, at: at(servers[Math.floor((servers.length - 1) / 2)] as ServerView) });
    left = left.filter((server) => !servers.includes(server));
  }
  return clocks;
}

function linksAcross(links: readonly ClockLink[], { servers }: Clock, clocks: readonly Clock[]): ClockLink[] {
  return links.filter(
    ({ a, b, offset }) =>
      servers.includes(a) !== servers.includes(b) &&
      Math.abs(offset) >= AGREE &&
      clockOf(a, clocks) !== clockOf(b, clocks),
  );
}

/** Links that do not fit: a clock was set while requests went on, so that pairs of other times show other offsets. */
function unsteady(links: readonly ClockLink[], clocks: readonly Clock[]): Observation[] {
  return links
    .filter(({ a, b, offset }) => Math.abs(offset) >= AGREE && clockOf(a, clocks) === clockOf(b, clocks))
    .flatMap((link) =>
      observation({ servers: [link.b], at: link.offset }, { servers: [link.a], at: 0 }, [link], false),
    );
}

function clockOf(server: ServerView, clocks: readonly Clock[]): Clock | undefined {
  return clocks.find(({ servers }) => servers.includes(server));
}

/** `told`: it is `clock` that is off, and not `reference`. */
function observation(clock: Clock, reference: Clock, links: readonly ClockLink[], told: boolean): Observation[] {
  const [server] = clock.servers;
  const directions = links.flatMap((link) => link.directions);
  if (server === undefined || directions.length === 0) return [];
  const times = new TimeHistogram();
  for (const direction of directions) times.merge(direction.times);
  return [
    {
      type: 'clock-skew',
      ...facts({
        cluster: server.cluster,
        server: told ? server.name : null,
        from: times.first,
        to: times.last,
        count: links.reduce((sum, { count }) => sum + count, 0),
        certainty: 'likely',
        edges: edgeNames(directions),
        evidence: directions.map(({ evidence }) => evidence),
      }),
      servers: clock.servers.map(({ name }) => name).sort(order),
      others: reference.servers.map(({ name }) => name).sort(order),
      skewMs: Math.round(clock.at - reference.at),
    },
  ];
}
