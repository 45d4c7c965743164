/**
 * Calls to peers as the source's process log shows them. A call line names the destination but not the outcome, and
 * the error line that follows names the outcome but not the destination, so the two are joined here: by the address
 * in the error where there is one, else by what the next peer line says about the error.
 */
import type { LogLine } from '../../model/record.js';
import { resourceOfPath } from '../../model/resource.js';
import { MINUTE, SECOND } from '../../model/time.js';
import { stemOfInput } from '../identity/input-name.js';
import { NameCounts } from '../sketch.js';
import type { Life } from '../writer.js';
import { AttemptMap, type Attempts } from './attempts.js';
import { addressOf, causeOf } from './error-cause.js';

const CALL = /^Proxying request for (\S+) from (\S*) to (\S+)$/;
const CALL_ERROR = /^Error while proxying request to destination apiserver/;
const QUERY_ERROR = 'error querying discovery endpoint for serverID';
const NO_ENDPOINT = /failed to get host port info from identity lease for server (\S+): (.*)$/s;
const DROPPED = /Dropping lease (\S+) out of the queue/;
const SYNC_ERROR = /^Error syncing discovery for peer lease (\S+): (.*)$/s;
const UNBUILT = /failed to build proxy round tripper/;
/** A call that got no error within this time is taken to have gone through. */
const CALL_TIMEOUT = 2 * MINUTE;
/** A discovery error is named by the line that follows it; later than this it was not discovery's. */
const ERROR_DELAY = SECOND;
/** A fetch with nothing behind it but the end of the records is good only if its answer would have come. */
const ANSWER = 2 * SECOND;
const DIAL_TIMEOUT = 31 * SECOND;
const TRANSPORT_STATUS = /status: 503/;
const OPEN_LIMIT = 256;
const NAMED = 1_000;

interface Call {
  readonly timeUs: number;
  readonly path: string;
  readonly address: string;
  readonly discovery: boolean;
}

interface CallError {
  readonly line: LogLine;
  readonly error: string;
}

/** A lease that a source gave up on. */
export interface DroppedLease {
  readonly life: Life;
  readonly lease: string;
  readonly timeUs: number;
  readonly line: LogLine;
}

/** The state of joining for one writer. */
class Joiner {
  /** Client requests passed on whose outcome is open. */
  readonly calls: Call[] = [];
  /** The discovery fetch under way; there is one worker. */
  discovery: Call | undefined;
  /** Errors that no line has claimed for discovery yet. */
  readonly pending: CallError[] = [];

  constructor(public life: Life) {}
}

export class CallLog {
  /** By source life and address: `<life id> <host:port>`. */
  readonly byAddress = new AttemptMap<string>();
  /** Client requests passed on, by source life and address, apart from discovery. */
  readonly requests = new AttemptMap<string>();
  /** By source life and identity, for errors that name the identity and no address. */
  readonly byIdentity = new AttemptMap<string>();
  /** Resources of the client requests that failed, by source life. */
  readonly failedResources = new Map<number, NameCounts>();
  /** Which identity stands behind an address, as `error querying … serverID` lines tell. */
  readonly identities = new Map<string, string>();
  /** Identities whose discovery failed. */
  readonly named = new Set<string>();
  readonly dropped: DroppedLease[] = [];
  readonly #joiners = new Map<string, Joiner>();

  take(line: LogLine, life: Life): void {
    const joiner = this.#joinerOf(life);
    if (line.file === 'peerproxy_handler.go') this.#handlerLine(line, life, joiner);
    else if (line.file === 'peer_discovery.go' || line.message.includes('Dropping lease'))
      this.#discoveryLine(line, life, joiner);
  }

  /** Decides what is still open, at the end of the records. */
  settle(): void {
    for (const joiner of this.#joiners.values()) {
      this.#assignOlder(Number.POSITIVE_INFINITY, joiner.life, joiner);
      if (this.#hadTimeToFail(joiner)) this.#endDiscovery(joiner.life, joiner);
      this.#passed(joiner.life, joiner, Number.POSITIVE_INFINITY);
    }
  }

  /** Rejections and refusals come at once; where earlier fetches failed this one may still wait for its dial to time out. */
  #hadTimeToFail({ discovery, life }: Joiner): boolean {
    if (discovery === undefined) return false;
    const failedBefore = (this.byAddress.get(`${life.id} ${discovery.address}`)?.failures.size ?? 0) > 0;
    return life.to - discovery.timeUs >= (failedBefore ? DIAL_TIMEOUT : ANSWER);
  }

  #handlerLine(line: LogLine, life: Life, joiner: Joiner): void {
    this.#assignOlder(line.timeUs - ERROR_DELAY, life, joiner);
    const call = CALL.exec(line.message);
    if (call !== null) {
      this.#passed(life, joiner, line.timeUs - CALL_TIMEOUT);
      this.#open(line, life, joiner, call[1] ?? '', call[2] ?? '', call[3] ?? '');
    } else if (CALL_ERROR.test(line.message)) {
      joiner.pending.push({ line, error: stripPrefix(line.fields?.get('err') ?? line.message) });
    } else if (UNBUILT.test(line.message)) {
      this.#fail(this.requests.of(`${life.id} `), { line, error: line.message }, life);
    }
  }

  #open(line: LogLine, life: Life, joiner: Joiner, path: string, host: string, address: string): void {
    const discovery = host === '' && (path === '/api' || path === '/apis');
    const call = { timeUs: line.timeUs, path, address, discovery };
    if (discovery) {
      // One worker fetches one path after the other, so the previous fetch has ended, and well unless an error came.
      // An error of its own would have been followed by a line that says so; what is pending belongs to requests.
      this.#assignOlder(Number.POSITIVE_INFINITY, life, joiner);
      this.#endDiscovery(life, joiner);
      joiner.discovery = call;
    } else {
      joiner.calls.push(call);
      if (joiner.calls.length > OPEN_LIMIT) joiner.calls.shift();
    }
    const attempts = (discovery ? this.byAddress : this.requests).of(`${life.id} ${address}`);
    attempts.okEvidence.add(line.timeUs, life.writer.input, line.line, line.offset, line.text);
  }

  #discoveryLine(line: LogLine, life: Life, joiner: Joiner): void {
    const dropped = DROPPED.exec(line.message);
    if (dropped !== null) {
      if (this.dropped.length < 1_000) this.dropped.push({ life, lease: dropped[1] ?? '', timeUs: line.timeUs, line });
      return;
    }
    if (line.message.startsWith(QUERY_ERROR)) {
      this.#queryError(line, life, joiner);
      return;
    }
    const noEndpoint = NO_ENDPOINT.exec(line.message);
    if (SYNC_ERROR.test(line.message) && noEndpoint !== null) {
      const failures = this.byIdentity.of(`${life.id} ${noEndpoint[1] ?? ''}`).fail(causeOf(noEndpoint[2] ?? ''));
      failures.add(line.timeUs, noEndpoint[2] ?? '');
      failures.evidence.add(line.timeUs, life.writer.input, line.line, line.offset, line.text);
    }
  }

  /** `error querying discovery endpoint`: says which identity failed, and that an error was discovery's. */
  #queryError(line: LogLine, life: Life, joiner: Joiner): void {
    this.#assignOlder(line.timeUs - ERROR_DELAY, life, joiner);
    const identity = line.fields?.get('serverID') ?? '';
    const error = line.fields?.get('err') ?? '';
    if (identity !== '' && this.named.size < NAMED) this.named.add(identity);
    const call = joiner.discovery;
    joiner.discovery = undefined;
    if (call === undefined) {
      this.#uncalled(identity, joiner.pending.pop() ?? { line, error }, life);
      return;
    }
    if (identity !== '') this.identities.set(call.address, identity);
    const at = joiner.pending.findIndex((pending) => fits(call, pending));
    const [cause] = at < 0 ? [] : joiner.pending.splice(at, 1);
    // 503 stands for any error of dialling or TLS; without the line that names it, the status is all there is.
    this.#fail(this.byAddress.of(`${life.id} ${call.address}`), cause ?? { line, error }, life);
  }

  /** A log of errors alone has no call lines; what names the cause stands right before. A bare 503 may be a start. */
  #uncalled(identity: string, cause: CallError, life: Life): void {
    const address = addressOf(cause.error);
    if (identity !== '' && address !== '') this.identities.set(address, identity);
    const attempts =
      address === '' ? this.byIdentity.of(`${life.id} ${identity}`) : this.byAddress.of(`${life.id} ${address}`);
    if (!TRANSPORT_STATUS.test(cause.error)) this.#fail(attempts, cause, life);
  }

  /** Errors older than the time got no word of discovery: they belong to requests. */
  #assignOlder(before: number, life: Life, joiner: Joiner): void {
    while (joiner.pending[0] !== undefined && joiner.pending[0].line.timeUs < before) {
      const error = joiner.pending.shift();
      if (error !== undefined) this.#assignToRequest(error, life, joiner);
    }
  }

  /** The newest open request that fits; without one, the fetch that is under way failed and its second line is missing. */
  #assignToRequest(error: CallError, life: Life, joiner: Joiner): void {
    const at = joiner.calls.findLastIndex((call) => fits(call, error));
    const [call] = at < 0 ? [] : joiner.calls.splice(at, 1);
    const fetch = joiner.discovery;
    if (call === undefined && fetch !== undefined && fits(fetch, error)) {
      joiner.discovery = undefined;
      this.#fail(this.byAddress.of(`${life.id} ${fetch.address}`), error, life);
      return;
    }
    this.#fail(this.requests.of(`${life.id} ${call?.address ?? addressOf(error.error)}`), error, life);
    const resource = call === undefined ? '' : resourceOfPath(call.path);
    if (resource === '') return;
    const counts = this.failedResources.get(life.id) ?? new NameCounts(64);
    this.failedResources.set(life.id, counts);
    counts.add(resource);
  }

  #fail(attempts: Attempts, { line, error }: CallError, life: Life): void {
    const failures = attempts.fail(causeOf(error));
    failures.add(line.timeUs, error);
    failures.evidence.add(line.timeUs, life.writer.input, line.line, line.offset, line.text);
  }

  #endDiscovery(life: Life, joiner: Joiner): void {
    const call = joiner.discovery;
    if (call?.path === '/apis') this.byAddress.of(`${life.id} ${call.address}`).ok.add(call.timeUs);
    joiner.discovery = undefined;
  }

  /** Requests opened before the time got no error: they went through. */
  #passed(life: Life, joiner: Joiner, before: number): void {
    let kept = 0;
    for (const call of joiner.calls) {
      if (call.timeUs < before) this.requests.of(`${life.id} ${call.address}`).ok.add(call.timeUs);
      else joiner.calls[kept++] = call;
    }
    joiner.calls.length = kept;
  }

  /** Parts of one log (rotated, split) go on where the part before ended, so they share a joiner. */
  #joinerOf(life: Life): Joiner {
    const stem = stemOfInput(life.writer.input);
    const key = stem === '' ? `#${life.writer.id}` : `${life.writer.input.cluster ?? ''} ${stem}`;
    let joiner = this.#joiners.get(key);
    if (joiner === undefined) {
      joiner = new Joiner(life);
      this.#joiners.set(key, joiner);
    }
    joiner.life = life;
    return joiner;
  }
}

function fits(call: Call, { line, error }: CallError): boolean {
  const address = addressOf(error);
  return call.timeUs <= line.timeUs && (address === '' || address === call.address);
}

function stripPrefix(error: string): string {
  return error.replace(/^error trying to reach service: /, '');
}
