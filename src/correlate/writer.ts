/** Who writes into a stream: one writer for each input (or part of one), its evidence of identity, and its lives. */
import type { InputRef } from '../model/origin.js';
import { OwnClient } from './identity/own-client.js';

/**
 * One run of one apiserver process as its own audit events show it: the loopback user's uid is new at every start.
 * What a writer wrote before the first uid is a life without one: of the same boot, or the end of the boot before.
 */
export interface Life {
  readonly id: number;
  readonly writer: Writer;
  uid: string;
  /** The life whose uid ended this one, which had none. */
  next: Life | undefined;
  version: string;
  /** First and last record, microseconds. */
  from: number;
  to: number;
  /** First and last event of this very boot (with its uid), by which versions are dated. */
  bootFrom: number;
  bootTo: number;
  /** The start was seen: own lease created or deleted at start, /readyz polled over loopback, `Version:` logged. */
  startSeenAt: number;
  /** The own lease was deleted on exit, or the log says so; 0 when not seen. */
  stoppedAt: number;
  /** The log shows that the start was refused: no event is of this process. */
  refused: boolean;
  /** Loopback non-resource requests seen at the start: the audit policy would have shown local discovery too. */
  loopbackNonResourceAt: number;
  /** Loopback `get /api?timeout=32s` and `/apis?timeout=32s`: only a built peer proxy reads its own discovery. */
  localDiscoveryAt: number;
  /** Renewals of the own lease, and its name. */
  renewals: number;
  identity: string;
}

/** The boot that a life is of or, where a restart lies between, whose next boot of the same server it is; '' when unknown. */
export function bootID({ uid, next }: Life): string {
  return uid === '' ? (next?.uid ?? '') : uid;
}

/** A stretch without any record of a writer. */
export interface Silence {
  readonly from: number;
  readonly to: number;
}

export interface Writer {
  readonly id: number;
  readonly input: InputRef;
  readonly lives: Life[];
  current: Life;
  readonly own: OwnClient;
  /** Identity leases renewed over loopback or cleaned up by this process: `apiserver-<26 characters>`. */
  readonly identities: Set<string>;
  /** Name of the binary in the loopback user agent; an aggregated API server has another one and no lease. */
  readonly binaries: Set<string>;
  /** A process log shows lines that only a kube-apiserver writes. */
  apiserverLog: boolean;
  /** Addresses that its own process log or flags tell. */
  readonly ownAddresses: Set<string>;
  /** Local ends of its connections to etcd, where its log shows them. */
  readonly localAddresses: Set<string>;
  /** Loopback uids alternate: several servers write into this stream without order. */
  mixed: boolean;
  /** Took requests of an aggregator: an aggregated API server, behind a kube-apiserver. */
  aggregated: boolean;
  audit: number;
  logs: number;
  /** Lines of severity I of its process log. */
  infos: number;
  /** Times of the latest audit event and of the latest line of a process log. */
  lastAt: number;
  loggedAt: number;
  readonly silences: Silence[];
  nonResource: number;
  /** Requests for /api or /apis, of anybody who is known: the policy records discovery. */
  apiRequests: number;
  /** Events at level Request or above for leases were seen. */
  leaseBodies: boolean;
}

/** Times that jump to and fro in one input are no appended files; beyond so many parts it stays one. */
const PARTS = 500;
/** Rotated files appended in an odd order bring back a boot ID once or twice. */
const RETURNS = 3;

export class Writers {
  readonly all: Writer[] = [];
  readonly lives: Life[] = [];
  #byInput = new Map<number, Writer>();
  readonly #parts = new Map<number, number>();
  readonly #turns = new Map<string, { uid: string; readonly seen: Set<string>; returns: number }>();

  /** The writer of an input's newest part. */
  of(input: InputRef): Writer {
    return this.#byInput.get(input.id) ?? this.begin(input);
  }

  /** A new writer for the input: at its first record, or where time jumps back and another file was appended. */
  begin(input: InputRef): Writer {
    const parts = this.#parts.get(input.id) ?? 0;
    const known = this.#byInput.get(input.id);
    if (parts >= PARTS && known !== undefined) return known;
    this.#parts.set(input.id, parts + 1);
    const lives: Life[] = [];
    const writer = {
      id: this.all.length,
      input,
      lives,
      own: new OwnClient(),
      identities: new Set<string>(),
      binaries: new Set<string>(),
      ownAddresses: new Set<string>(),
      localAddresses: new Set<string>(),
      apiserverLog: false,
      mixed: input.mixed === true && !isOneByOrder(input),
      aggregated: false,
      audit: 0,
      logs: 0,
      infos: 0,
      lastAt: 0,
      loggedAt: 0,
      silences: [],
      nonResource: 0,
      apiRequests: 0,
      leaseBodies: false,
    } as unknown as Writer;
    writer.current = this.newLife(writer, '');
    this.all.push(writer);
    this.#byInput.set(input.id, writer);
    return writer;
  }

  /**
   * Notes that the writer goes on with a boot ID, or with the number of a process. Appended logs come back to one seldom,
   * a restart never; where that happens again and again servers take turns, and all parts of the input are mixed.
   */
  goesOn(writer: Writer, uid: string): void {
    const key = `${writer.input.id} ${uid.startsWith('process ') ? 'process' : 'boot'}`;
    const turns = this.#turns.get(key) ?? { uid, seen: new Set(), returns: 0 };
    this.#turns.set(key, turns);
    if (turns.uid !== uid && turns.seen.has(uid)) turns.returns += 1;
    if (turns.seen.size < PARTS) turns.seen.add(uid);
    turns.uid = uid;
    if (turns.returns < RETURNS || isOneByOrder(writer.input)) return;
    if (turns.returns > RETURNS) writer.mixed = true;
    else for (const part of this.all) if (part.input.id === writer.input.id) part.mixed = true;
  }

  newLife(writer: Writer, uid: string): Life {
    const life: Life = {
      id: this.lives.length,
      writer,
      uid,
      next: undefined,
      version: '',
      from: Number.POSITIVE_INFINITY,
      to: Number.NEGATIVE_INFINITY,
      bootFrom: Number.POSITIVE_INFINITY,
      bootTo: Number.NEGATIVE_INFINITY,
      startSeenAt: 0,
      stoppedAt: 0,
      refused: false,
      loopbackNonResourceAt: 0,
      localDiscoveryAt: 0,
      renewals: 0,
      identity: '',
    };
    this.lives.push(life);
    writer.lives.push(life);
    return life;
  }
}

/** The user says that one server wrote it: then what comes back is the order of its records, or a copy. */
export function isOneByOrder({ server, kind }: InputRef): boolean {
  return server !== undefined && kind !== 'kafka';
}
