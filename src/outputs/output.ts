/** The contract of everything that findings and correlated requests are sent to. */
import type { FindingChange } from '../findings/index.js';
import type { Analysis } from '../model/analysis.js';
import type { Finding } from '../model/finding.js';
import type { ProxiedRequest } from '../model/proxied-request.js';

/** What is new since the last batch, and what holds now. */
export interface OutputBatch {
  /** Findings opened, updated or resolved since the last batch. */
  readonly changes: readonly FindingChange[];
  /** All findings that are open now. */
  readonly findings: readonly Finding[];
  /** Requests that were completed since the last batch. */
  readonly requests: readonly ProxiedRequest[];
  readonly analysis: Analysis;
  /**
   * True: `findings` is the whole truth now, for all records up to here were read. What a receiver still holds as open
   * from an earlier process, and is not among them, is resolved then. Whoever has only begun to read again leaves it out.
   * A function: so it is for the clusters of which it says so, as in a replica that does not hold all of them.
   */
  readonly complete?: boolean | ((cluster: string) => boolean);
  /** Whoever reads began anew after the last batch, as after a rebalance: what was told before is read once more. */
  readonly anew?: boolean;
}

/** Messages that share one fate. */
export interface Undelivered {
  readonly count: number;
  /** Why, in words for people: bounded, escaped, without secrets. */
  readonly reason: string;
  /** The folder or file that keeps them; null when only memory does, so that they end with the process. */
  readonly where: string | null;
  /** For how long the receiver has been tried without a success, in milliseconds; absent where it was not tried yet. */
  readonly triedMs?: number;
  /** An attempt has failed, and none was a success since; absent while the first one goes on. */
  readonly failed?: true;
}

/** What became of the messages that were settled since the last report, and of all that are still waiting. */
export interface DeliveryReport {
  /** Messages that the receiver has acknowledged. */
  readonly delivered: number;
  /** Findings, spans and records that were settled before this process began, each told once; not those that waited then. */
  readonly known: number;
  /** Not yet acknowledged; they are tried again, by this process or by the next one when `where` names a place. */
  readonly waiting: readonly Undelivered[];
  /** Turned down for good; they are not tried again. */
  readonly refused: readonly Undelivered[];
  /** What the receiver said last, in a few words (`HTTP 202`); absent while it has said nothing. */
  readonly answer?: string;
  /** Nothing of the batch was taken, for lack of room: it has to be given again, together with what came since. */
  readonly postponed?: true;
}

export interface Output {
  /** What people call it in messages (`alertmanager am.example:9093`): unique among the outputs, without secrets. */
  readonly name: string;
  /** False: no spool keeps what it could not send. */
  readonly spools?: false;
  /** Tells a state that the next batch replaces: nobody waits for it while the run goes on. */
  readonly replaces?: true;
  /** Makes it ready: takes its folder, reads what waits there. Throws OutputError when it cannot work as configured. */
  open?(): Promise<void>;
  /**
   * Sends what the batch holds, and what is waiting from before. Resolves when all of it is settled, or soon after the
   * signal was aborted; sending goes on in the background then, until `close`. A receiver that fails is reported, never
   * thrown. One call at a time.
   */
  deliver(batch: OutputBatch, signal?: AbortSignal): Promise<DeliveryReport>;
  /** What waits at this moment, also while `deliver` goes on; where it is left out the last report says it. */
  waiting?(): readonly Undelivered[];
  /**
   * Takes what was turned down before, and kept in the spool, back among what waits: the next `deliver` sends it. Throws
   * what the system says.
   */
  recall?(): Promise<Recalled>;
  /** Ends sending and frees what it holds. What was waiting stays where the last report said. May be called twice. */
  close(): Promise<void>;
}

/** What became of the messages that had been turned down. */
export interface Recalled {
  /** They wait again. */
  readonly taken: number;
  /** Later states of the same finding were told: they are removed. */
  readonly superseded: number;
  /** They could be sent, but nobody asks for them now: they stay where they are. */
  readonly unwanted: number;
  /** Undefined where all could be read. */
  readonly unreadable: Unreadable | undefined;
}

/** Lines of the file of what was turned down that are no messages of its output: they are in another file now. */
export interface Unreadable {
  readonly count: number;
  /** Where the first of them stood, from 1. */
  readonly lines: readonly number[];
  /** The file that has them now. */
  readonly where: string;
}

export const NOTHING_RECALLED: Recalled = { taken: 0, superseded: 0, unwanted: 0, unreadable: undefined };

/** An output cannot work as it is configured; `message` names what and what to do, without secrets. */
export class OutputError extends Error {
  override readonly name = 'OutputError';
}

/** Of nothing that was read. */
export const EMPTY_ANALYSIS: Analysis = {
  inputs: [],
  window: null,
  servers: [],
  clusters: [],
  proxied: { total: 0, failed: 0, routes: [] },
  discovery: [],
  notFound: [],
  findings: [],
  unjudged: [],
};

export const NOTHING_DELIVERED: DeliveryReport = { delivered: 0, known: 0, waiting: [], refused: [] };

/** Whether everything has reached its receiver. */
export function isComplete(report: DeliveryReport): boolean {
  return report.waiting.length === 0 && report.refused.length === 0;
}
