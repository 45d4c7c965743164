/**
 * Small clusters that write what real ones write, so that a test reads as a story: `const cp1 = server('cp1')`,
 * `cp1.boots(T0)`, `proxied(cp1, cp2, T0 + MIN)`. What they wrote is decoded by the real decoder.
 */
import { reread } from '../../src/analysis/input-reader.js';
import { Correlator } from '../../src/correlate/correlator.js';
import { identityOf } from '../../src/correlate/identity/identity-hash.js';
import { createFastDecoder, RecordDecoder } from '../../src/formats/index.js';
import type { Snapshot } from '../../src/model/analysis.js';
import type { Observation, ObservationOf } from '../../src/model/observations/index.js';
import type { InputRef } from '../../src/model/origin.js';
import type { AuditEvent, LogLine, Rec } from '../../src/model/record.js';
import type { Source } from '../../src/sources/index.js';
import { auditLine, type DatedLine, klogLine, leaseObject, MS, type ResourceRef, SEC, T0, uuidOf } from './lines.js';

export * from './lines.js';

export const CLIENT = '192.0.2.50';
export const JOBS: ResourceRef = { resource: 'jobs', namespace: 'shop', apiGroup: 'batch', apiVersion: 'v1' };
export const UNKNOWN_TYPE = {
  metadata: {},
  status: 'Failure',
  message: 'the server could not find the requested resource',
  reason: 'NotFound',
  details: {},
  code: 404,
};
export const UNAUTHORIZED = {
  metadata: {},
  status: 'Failure',
  message: 'Unauthorized',
  reason: 'Unauthorized',
  code: 401,
};

/** A request as one server logs it; what is left out is that of an ordinary client that lists jobs. */
export interface RequestOptions {
  readonly auditID?: string;
  readonly verb?: string;
  readonly uri?: string;
  readonly ref?: ResourceRef | null;
  readonly username?: string;
  readonly user?: Readonly<Record<string, unknown>>;
  readonly userAgent?: string;
  readonly impersonated?: string;
  readonly from?: readonly string[];
  readonly code?: number;
  readonly status?: Readonly<Record<string, unknown>>;
  /** Microseconds from receipt to answer. */
  readonly takes?: number;
  /** Stages to write, by their first letters: R(eceived), S(tarted), C(omplete), P(anic). */
  readonly stages?: string;
  readonly requestObject?: unknown;
}

export interface ServerOptions {
  readonly ip?: string;
  readonly version?: string;
  /** `host:port` in the lease annotation; '' for none. Its own address by default. */
  readonly advertises?: string;
  /** Milliseconds that its clock is ahead. */
  readonly clock?: number;
}

export class TestServer {
  readonly ip: string;
  readonly identity: string;
  readonly advertises: string;
  readonly audit: DatedLine[] = [];
  readonly log: DatedLine[] = [];
  version: string;
  uid = '';
  #boots = 0;
  #requests = 0;
  readonly #clock: number;

  constructor(
    readonly name: string,
    options: ServerOptions = {},
  ) {
    this.ip = options.ip ?? `10.0.0.${10 + Number(/\d+$/.exec(name)?.[0] ?? 0)}`;
    this.identity = identityOf(name);
    this.version = options.version ?? 'v1.36.3';
    this.advertises = options.advertises ?? `${this.ip}:6443`;
    this.#clock = (options.clock ?? 0) * MS;
  }

  /** Starts: log head, own discovery (when it has a peer proxy), lease made anew, and a renewal every 10 s until `until`. */
  boots(
    at: number,
    options: { until?: number; peerProxy?: boolean; version?: string; flags?: Record<string, string> } = {},
  ): this {
    this.version = options.version ?? this.version;
    this.#boots += 1;
    this.uid = uuidOf(`${this.name} boot ${this.#boots}`);
    this.says(at, 'I', 'options.go', `external host was not specified, using ${this.ip}`);
    for (const [name, value] of Object.entries(options.flags ?? {}))
      this.says(at + MS, 'I', 'flags.go', `FLAG: --${name}="${value}"`);
    this.says(at + 10 * MS, 'I', 'server.go', `Version: ${this.version}`);
    this.loopback(at + 1400 * MS, 'get', '/readyz');
    if (options.peerProxy !== false) {
      this.says(at + 1410 * MS, 'I', 'peer_discovery.go', 'Workers: 1');
      this.loopback(at + 1440 * MS, 'get', '/api?timeout=32s');
      this.loopback(at + 1450 * MS, 'get', '/apis?timeout=32s');
    }
    this.#lease(at + 1500 * MS, 'delete', 404);
    this.#lease(at + 1510 * MS, 'create', 201);
    return this.renews(at + 11 * SEC, options.until ?? at + 61 * SEC);
  }

  renews(from: number, until: number): this {
    for (let at = from; at <= until; at += 10 * SEC) this.#lease(at, 'update', 200);
    return this;
  }

  /** Ends without a word: what it would have written later is not there. */
  dies(at: number): this {
    for (const lines of [this.audit, this.log]) lines.splice(0, lines.length, ...lines.filter((line) => line.at < at));
    return this;
  }

  /** Stops gracefully: it deletes its own lease. */
  stops(at: number): this {
    this.says(at, 'I', 'controller.go', '"Shutting down peer endpoint lease reconciler"');
    return this.#lease(at + 10 * MS, 'delete', 200);
  }

  loopback(at: number, verb: string, uri: string, more: RequestOptions = {}): this {
    return this.request(at, {
      verb,
      uri,
      ref: null,
      user: { username: 'system:apiserver', uid: this.uid, groups: ['system:authenticated', 'system:masters'] },
      userAgent: `kube-apiserver/${this.version} (linux/amd64) kubernetes/0123456`,
      from: ['::1'],
      ...more,
    });
  }

  /** Writes the events of one request. */
  request(at: number, options: RequestOptions = {}): this {
    const ref = options.ref === null ? undefined : (options.ref ?? JOBS);
    const received = at + this.#clock;
    const done = received + (options.takes ?? 2 * MS);
    const common = {
      auditID: options.auditID ?? this.newID(),
      verb: options.verb ?? 'list',
      requestURI: options.uri ?? uriOf(ref),
      user: options.user ?? { username: options.username ?? 'alice', groups: ['system:authenticated'] },
      sourceIPs: options.from ?? [CLIENT],
      userAgent: options.userAgent ?? 'kubectl/v1.36.3 (linux/amd64)',
      received,
      status: options.status ?? { metadata: {}, code: options.code ?? 200 },
      ...(options.impersonated === undefined ? {} : { impersonated: options.impersonated }),
      ...(ref === undefined ? {} : { objectRef: ref }),
      ...(options.requestObject === undefined
        ? {}
        : { requestObject: options.requestObject, level: 'RequestResponse' }),
    };
    for (const letter of options.stages ?? 'RC') {
      if (letter === 'R') this.#write({ ...common, stage: 'RequestReceived', at: received });
      else if (letter === 'S') this.#write({ ...common, stage: 'ResponseStarted', at: Math.min(done, received + MS) });
      else this.#write({ ...common, stage: letter === 'P' ? 'Panic' : 'ResponseComplete', at: done });
    }
    return this;
  }

  /** A line of its process log. */
  says(at: number, severity: 'I' | 'W' | 'E' | 'F', file: string, text: string): this {
    this.log.push({ at, text: klogLine(at + this.#clock, severity, file, text) });
    return this;
  }

  newID(): string {
    this.#requests += 1;
    return uuidOf(`${this.name} request ${this.#requests}`);
  }

  #lease(at: number, verb: string, code: number): this {
    const name = this.identity;
    return this.loopback(at, verb, `/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/${name}`, {
      ref: { resource: 'leases', namespace: 'kube-system', name, apiGroup: 'coordination.k8s.io', apiVersion: 'v1' },
      code,
      ...(verb === 'delete' ? {} : { requestObject: leaseObject(name, this.name, this.advertises, at, at) }),
    });
  }

  #write(event: Parameters<typeof auditLine>[0]): void {
    this.audit.push({ at: event.at, text: auditLine(event) });
  }
}

export function server(name: string, options?: ServerOptions): TestServer {
  return new TestServer(name, options);
}

export interface ProxiedOptions extends RequestOptions {
  /** What the destination logs otherwise. */
  readonly there?: RequestOptions;
  /** Microseconds from the source's receipt to the destination's. */
  readonly delay?: number;
  readonly logged?: boolean;
}

/** One request that `source` passes on to `destination`: events on both sides and the source's call line. */
export function proxied(source: TestServer, destination: TestServer, at: number, options: ProxiedOptions = {}): string {
  const auditID = options.auditID ?? source.newID();
  const { there = {}, delay = 2 * MS, logged = true, ...here } = options;
  const takes = options.takes ?? 10 * MS;
  source.request(at, { ...here, auditID, takes });
  destination.request(at + delay, {
    ...here,
    uri: options.uri ?? uriOf(options.ref ?? JOBS),
    takes: Math.max(MS, takes - delay - 2 * MS),
    from: [...(options.from ?? [CLIENT]), source.ip],
    ...there,
    auditID,
  });
  if (logged) calls(source, destination, at + MS, (options.uri ?? uriOf(options.ref ?? JOBS)).split('?')[0] ?? '');
  return auditID;
}

/** The call line that a source logs before it passes a request on. */
export function calls(
  source: TestServer,
  destination: TestServer,
  at: number,
  path: string,
  host = 'api.shop:6443',
): void {
  source.says(
    at,
    'I',
    'peerproxy_handler.go',
    `Proxying request for ${path} from ${host} to ${destination.advertises}`,
  );
}

/** A successful discovery fetch: two call lines at the source, four events at the destination. */
export function learns(source: TestServer, destination: TestServer, at: number): void {
  for (const [step, path] of ['/api', '/apis'].entries()) {
    const when = at + step * 10 * MS;
    calls(source, destination, when, path, '');
    destination.request(when + MS, { verb: 'get', uri: path, ref: null, ...PEER, from: [source.ip] });
  }
}

export const PEER = {
  user: { username: 'system:apiserver', groups: ['system:authenticated'] },
  userAgent: '',
} as const;

/** A discovery fetch that never arrives, with the error that ends it in the source's log. */
export function failsToLearn(source: TestServer, destination: TestServer, at: number, error: string): void {
  for (const [step, path] of ['/api', '/apis'].entries()) {
    const when = at + step * 10 * MS;
    calls(source, destination, when, path, '');
    callError(source, when + 3 * MS, error);
    queryError(source, destination, when + 4 * MS, path, 'discovery request failed with status: 503');
  }
}

export function callError(source: TestServer, at: number, error: string): void {
  const text = `"Error while proxying request to destination apiserver" err=${JSON.stringify(`error trying to reach service: ${error}`)}`;
  source.says(at, 'E', 'peerproxy_handler.go', text);
}

export function queryError(source: TestServer, destination: TestServer, at: number, path: string, error: string): void {
  const text = `"error querying discovery endpoint for serverID" err=${JSON.stringify(error)} path="${path}" serverID="${destination.identity}"`;
  source.says(at, 'E', 'peer_discovery.go', text);
}

/** Servers that all know each other 20 s after the first start; they run until `until`. */
export function cluster(names: readonly string[], options: { until?: number; at?: number } = {}): TestServer[] {
  const at = options.at ?? T0;
  const servers = names.map((name) => server(name).boots(at, { until: options.until ?? at + 3 * 60 * SEC }));
  for (const [step, source] of servers.entries())
    for (const destination of servers)
      if (source !== destination) learns(source, destination, at + 15 * SEC + step * 100 * MS);
  return servers;
}

function uriOf(ref: ResourceRef | undefined): string {
  if (ref === undefined) return '/version';
  const root =
    ref.apiGroup === undefined ? `/api/${ref.apiVersion ?? 'v1'}` : `/apis/${ref.apiGroup}/${ref.apiVersion ?? 'v1'}`;
  const namespace = ref.namespace === undefined ? '' : `/namespaces/${ref.namespace}`;
  return [`${root}${namespace}/${ref.resource}`, ref.name, ref.subresource]
    .filter((part) => part !== undefined)
    .join('/');
}

// ---- what the servers wrote, as inputs

export interface TestInput {
  readonly name: string;
  readonly content: string | Buffer;
  readonly server?: string;
  readonly cluster?: string;
}

export function textOf(lines: readonly DatedLine[]): string {
  const sorted = lines.map((line, order) => ({ ...line, order })).sort((a, b) => a.at - b.at || a.order - b.order);
  return sorted.map(({ text }) => `${text}\n`).join('');
}

/** The audit log and, unless `audit` alone is wanted, the process log of each server. */
export function inputsOf(servers: readonly TestServer[], which: 'all' | 'audit' | 'log' = 'all'): TestInput[] {
  return servers.flatMap((s) => [
    ...(which === 'log' || s.audit.length === 0 ? [] : [{ name: `${s.name}-audit.log`, content: textOf(s.audit) }]),
    ...(which === 'audit' || s.log.length === 0
      ? []
      : [{ name: `${s.name}-kube-apiserver.log`, content: textOf(s.log) }]),
  ]);
}

export function refOf(name: string, id = 0): InputRef {
  return { id, name, kind: 'memory', yearHintUs: T0 + 3600 * SEC };
}

/** Decodes a text as one input. */
export function decode(content: string | Buffer, input: InputRef = refOf('memory')): Rec[] {
  const decoder = new RecordDecoder(input, { audit: createFastDecoder() });
  return [...decoder.feed(Buffer.from(content)), ...decoder.finish()];
}

export function events(lines: readonly DatedLine[] | string): AuditEvent[] {
  return decode(typeof lines === 'string' ? lines : textOf(lines)).filter((record) => record.type === 'audit');
}

export function logLines(lines: readonly DatedLine[] | string): LogLine[] {
  return decode(typeof lines === 'string' ? lines : textOf(lines)).filter((record) => record.type === 'log');
}

/** The snapshot of a fresh Correlator that took all records, the oldest first. */
export function correlate(inputs: readonly TestInput[]): Snapshot {
  const correlator = new Correlator(reread);
  const all: { record: Rec; input: InputRef; time: number }[] = [];
  for (const [id, { name, content, server: configured, cluster: named }] of inputs.entries()) {
    const input = {
      ...refOf(name, id),
      ...(configured === undefined ? {} : { server: configured }),
      ...(named === undefined ? {} : { cluster: named }),
    };
    let time = 0;
    for (const record of decode(content, input)) {
      if ('timeUs' in record && record.timeUs > 0) time = Math.max(time, record.timeUs);
      all.push({ record, input, time });
    }
  }
  for (const { record, input } of all.sort((a, b) => a.time - b.time)) correlator.take(record, input);
  correlator.end();
  return correlator.snapshot();
}

/** The snapshot of what the servers wrote. */
export function observe(servers: readonly TestServer[], which: 'all' | 'audit' | 'log' = 'all'): Snapshot {
  return correlate(inputsOf(servers, which));
}

export function only<T extends Observation['type']>(snapshot: Snapshot, type: T): ObservationOf<T>[] {
  return snapshot.observations.filter((o): o is ObservationOf<T> => o.type === type);
}

/** A source of bytes in memory that behaves like a file, cut into chunks of at most `chunk` bytes. */
export function memorySource({ name, content }: TestInput, chunk = 64 * 1024): Source {
  const bytes = Buffer.from(content);
  return {
    input: { name, kind: 'file', yearHintUs: T0 + 300 * 24 * 3600 * SEC },
    bytes: bytes.length,
    live: false,
    async *open() {
      for (let at = 0; at < bytes.length; at += chunk) yield Buffer.from(bytes.subarray(at, at + chunk));
    },
  };
}

export function memorySources(inputs: readonly TestInput[], chunk?: number): Source[] {
  return inputs.map((input) => memorySource(input, chunk));
}
