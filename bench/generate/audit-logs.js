/** Audit logs of an invented control plane, any size, a megabyte at a time; the same options give the same bytes. */
import { eventsOf } from './event.js';
import { randomIntegers } from './random.js';
import { leaseCreation, localDiscovery, peerDiscovery, renewal } from './routine.js';
import { controlPlane } from './servers.js';
import { compileTemplate, stamp } from './template.js';
import { Timetable } from './timetable.js';
import { PROXIED, TRAFFIC } from './traffic.js';

/** @typedef {import('./event.js').Call} Call */

/**
 * @typedef {object} Options
 * @property {number} servers how many kube-apiservers, 1 … 200
 * @property {number} bytes size over all logs; the result exceeds it by less than one event
 * @property {number} [seed] default 1
 * @property {number} [rate] events per second of event time over all servers, default 1000
 * @property {number} [startUs] time of the first event, microseconds since the epoch
 */

/**
 * @typedef {object} Chunk
 * @property {string} server
 * @property {Buffer} bytes whole lines; never used again by the generator
 */

const SECOND = 1_000_000;
const CHUNK = 1 << 20;
const HOP_US = 2_000;
const RENEWAL_US = 10 * SECOND;
const LOCAL_DISCOVERY_US = 1800 * SECOND;
/** Events that one request leaves, on average. */
const EVENTS_PER_REQUEST = 2.1;

/**
 * Lines of one server are in order of stageTimestamp, as in a real log; chunks of several servers alternate.
 * @param {Options} options
 * @returns {Generator<Chunk, void, void>}
 */
export function* auditLogs({
  servers: count,
  bytes,
  seed = 1,
  rate = 1000,
  startUs = Date.UTC(2026, 2, 14, 9) * 1000,
}) {
  const servers = controlPlane(count);
  const plan = compilePlan(servers);
  const random = randomIntegers(seed);
  const timetable = new Timetable();
  const outputs = servers.map(() => ({ bytes: Buffer.allocUnsafe(CHUNK), used: 0 }));
  const gapUs = (2 * EVENTS_PER_REQUEST * SECOND) / rate;
  let written = 0;

  /**
   * Puts the lines of one request on the timetable; the peer's lines, if it is passed on, under the same audit id.
   * @param {Request} request @param {number} server @param {number} at
   */
  const schedule = (request, server, at) => {
    const id = [random(), random(), random(), random()];
    const number = random() % request.spread;
    const end = at + Math.floor((request.ms[0] + (random() / 2 ** 32) * (request.ms[1] - request.ms[0])) * 1000);
    const lines = [[server, request.received, at, at]];
    if (request.started >= 0) lines.push([server, request.started, at, at + 1500]);
    lines.push([server, request.complete, at, end]);
    const hop = request.hops === undefined ? undefined : request.hops[random() % request.hops.length];
    if (hop) {
      lines.push([hop.server, hop.received, at + HOP_US, at + HOP_US]);
      lines.push([hop.server, hop.complete, at + HOP_US, end - HOP_US / 2]);
    }
    for (const [where = 0, template = 0, receivedUs = 0, dueUs = 0] of lines) {
      const slot = timetable.reserve();
      timetable.ids.set(id, slot * 4);
      timetable.received[slot] = receivedUs;
      timetable.number[slot] = number;
      timetable.server[slot] = where;
      timetable.template[slot] = template;
      timetable.push(slot, dueUs);
    }
  };

  const routine = plan.routine.map((r) => ({ ...r, nextUs: startUs + r.firstUs }));
  let arrivalUs = startUs;
  while (written < bytes) {
    arrivalUs += 1 + Math.floor((random() / 2 ** 32) * gapUs);
    for (const task of routine) {
      if (task.nextUs > arrivalUs) continue;
      schedule(task.request, task.server, task.nextUs);
      task.nextUs += task.everyUs;
    }
    const server = random() % count;
    if (plan.proxied.length > 0 && random() < PROXIED.share * 2 ** 32) {
      schedule(pick(plan.proxied, random()), 0, arrivalUs);
    } else {
      schedule(pick(pick(plan.traffic, random())[server] ?? [], random()), server, arrivalUs);
    }

    while (timetable.nextDue <= arrivalUs && written < bytes) {
      const stageUs = timetable.nextDue;
      const slot = timetable.pop();
      const where = timetable.server[slot] ?? 0;
      const template = at(plan.templates, timetable.template[slot] ?? 0);
      const output = at(outputs, where);
      const length = template.bytes.length;
      if (output.used + length > CHUNK) {
        yield { server: at(servers, where).name, bytes: output.bytes.subarray(0, output.used) };
        output.bytes = Buffer.allocUnsafe(CHUNK);
        output.used = 0;
      }
      stamp(output.bytes, output.used, template, {
        ids: timetable.ids,
        slot,
        receivedUs: timetable.received[slot] ?? 0,
        stageUs,
        number: timetable.number[slot] ?? 0,
      });
      output.used += length;
      written += length;
    }
  }
  for (const [i, output] of outputs.entries()) {
    yield { server: at(servers, i).name, bytes: output.bytes.subarray(0, output.used) };
  }
}

/**
 * A request compiled for one server: indexes into the plan's templates.
 * @typedef {object} Request
 * @property {number} received
 * @property {number} started -1 when the request is not long-running
 * @property {number} complete
 * @property {readonly [number, number]} ms
 * @property {number} spread
 * @property {{server: number, received: number, complete: number}[]} [hops] where it may be passed on to
 */

/** @param {import('./servers.js').Server[]} servers */
function compilePlan(servers) {
  /** @type {import('./template.js').Template[]} */
  const templates = [];
  /** @param {object} event */
  const add = (event) => templates.push(compileTemplate(event)) - 1;
  /** @param {Call} call @param {readonly [number, number]} ms @param {number} spread @returns {Request} */
  const compile = (call, ms, spread) => {
    const { received, started, complete } = eventsOf(call);
    return { received: add(received), started: started ? add(started) : -1, complete: add(complete), ms, spread };
  };

  const kinds = TRAFFIC.map((kind) =>
    servers.map((server) => kind.calls(server).map((call) => compile(call, kind.ms, kind.spread))),
  );
  const total = TRAFFIC.reduce((sum, kind) => sum + kind.weight, 0);
  // A kind is drawn from a table where it stands as often as its weight says.
  const traffic = kinds.flatMap((kind, i) =>
    Array.from({ length: Math.round((at(TRAFFIC, i).weight / total) * 2000) }, () => kind),
  );
  const proxied = servers.length < 2 ? [] : PROXIED.calls().map((call) => compileProxied(call, servers, compile));
  return { templates, traffic, proxied, routine: compileRoutine(servers, compile) };
}

/**
 * The source records the bare code of an answer that it did not make itself.
 * @param {Call} call @param {import('./servers.js').Server[]} servers
 * @param {(call: Call, ms: readonly [number, number], spread: number) => Request} compile
 * @returns {Request}
 */
function compileProxied(call, servers, compile) {
  const source = compile({ ...call, status: {} }, PROXIED.ms, PROXIED.spread);
  const passedOn = { ...call, sourceIPs: [...call.sourceIPs, at(servers, 0).ip] };
  const hops = servers.slice(1).map((_, i) => ({ ...compile(passedOn, PROXIED.ms, PROXIED.spread), server: i + 1 }));
  return { ...source, hops };
}

/**
 * What every server does by itself: its lease, its own discovery, and discovery of its peers once they are up.
 * @param {import('./servers.js').Server[]} servers
 * @param {(call: Call, ms: readonly [number, number], spread: number) => Request} compile
 */
function compileRoutine(servers, compile) {
  /** @type {{request: Request, server: number, firstUs: number, everyUs: number}[]} */
  const routine = [];
  /** @param {Call} call @param {number} server @param {number} firstUs @param {number} everyUs */
  const add = (call, server, firstUs, everyUs) =>
    routine.push({ request: compile(call, [1, 6], 1), server, firstUs, everyUs });
  for (const [i, server] of servers.entries()) {
    const bootUs = i * 20_000;
    add(leaseCreation(server), i, bootUs, Number.POSITIVE_INFINITY);
    add(renewal(server), i, bootUs + RENEWAL_US, RENEWAL_US);
    for (const [n, call] of localDiscovery(server).entries()) add(call, i, bootUs + (n + 1) * 5000, LOCAL_DISCOVERY_US);
    for (const destination of servers.keys()) {
      if (destination === i) continue;
      const firstUs = 2 * SECOND + i * 30_000 + destination * 2_000;
      for (const [n, call] of peerDiscovery(server).entries()) {
        add(call, destination, firstUs + n * 3_000, Number.POSITIVE_INFINITY);
      }
    }
  }
  return routine;
}

/**
 * @template T
 * @param {readonly T[]} choices @param {number} random
 */
function pick(choices, random) {
  return at(choices, random % choices.length);
}

/**
 * @template T
 * @param {readonly T[]} list @param {number} index
 * @returns {T}
 */
function at(list, index) {
  const item = list[index];
  if (item === undefined) throw new RangeError(`no item ${index} in a list of ${list.length}`);
  return item;
}
