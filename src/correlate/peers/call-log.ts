/**
 * Calls to peers as the source's process log shows them. A call line names the destination but not the outcome, and
 * the error line that follows names the outcome but not the destination, so the two are joined here: by the address
 * in the error where there is one, else by what the next peer line says about the error. Requests of clients go on side
 * by side: theirs are only gathered here.
 */
import type { LogLine } from '../../model/record.js';
import { formatResource } from '../../model/resource.js';
import { SECOND } from '../../model/time.js';
import { stemOfInput } from '../identity/input-name.js';
import type { Life } from '../writer.js';
import { AttemptMap, type Attempts } from './attempts.js';
import { addressOf, causeOf } from './error-cause.js';
import { PATH_LIMIT } from './failed-answers.js';
import { OpenCalls, RequestLog } from './request-log.js';

const CALL = /^Proxying request for (\S+) from (\S*) to (\S+)$/;
const CALL_ERROR = /^Error while proxying request to destination apiserver/;
const QUERY_ERROR = 'error querying discovery endpoint for serverID';
const NO_ENDPOINT = /failed to get host port info from identity lease for server (\S+): (.*)$/s;
const DROPPED = /Dropping lease (\S+) out of the queue/;
const SYNC_ERROR = /^Error syncing discovery for peer lease (\S+): (.*)$/s;
const UNBUILT = /failed to build proxy round tripper/;
const UNRESOLVED = 'error finding serviceable-by apiservers';
const GVR = /^(?:([^/,]*)\/)?([^/,]+), Resource=(\S+)$/;
/** A discovery error is named by the line that follows it; later than this it was not discovery's. */
const ERROR_DELAY = SECOND;
/** A fetch with nothing behind it but the end of the records is good only if its answer would have come. */
const ANSWER = 2 * SECOND;
const DIAL_TIMEOUT = 31 * SECOND;
const TRANSPORT_STATUS = /status: 503/;
const NAMED = 1_000;

interface Call {
  readonly timeUs: number;
  readonly path: string;
  readonly address: string;
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
  readonly requests = new OpenCalls();
  /** The discovery fetch under way; there is one worker. */
  discovery: Call | undefined;
  /** Errors that no line has claimed for discovery yet. */
  readonly pending: CallError[] = [];

  constructor(public life: Life) {}
}

export class CallLog {
  /** By source life and address: `<life id> <host:port>`. */
  readonly byAddress = new AttemptMap<string>();
  /** Client requests passed on, apart from discovery. */
  readonly requests = new RequestLog();
  /** By source life and identity, for errors that name the identity and no address. */
  readonly byIdentity = new AttemptMap<string>();
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
      this.#open(line, life, joiner, call[1] ?? '', call[2] ?? '', call[3] ?? '');
    } else if (CALL_ERROR.test(line.message)) {
      joiner.pending.push({ line, error: stripPrefix(line.fields?.get('err') ?? line.message) });
    } else if (UNBUILT.test(line.message)) {
      this.requests.failed(line, line.message, life, new OpenCalls());
    } else if (line.message.startsWith(UNRESOLVED)) {
      const resource = resourceOf(line.fields?.get('gvr') ?? '');
      if (resource !== '') this.requests.unresolved(line, resource, line.fields?.get('err') ?? '', life);
    }
  }

  #open(line: LogLine, life: Life, joiner: Joiner, path: string, host: string, address: string): void {
    const discovery = host === '' && (path === '/api' || path === '/apis');
    const call = { life, timeUs: line.timeUs, path: path.slice(0, PATH_LIMIT), address };
    if (!discovery) {
      this.requests.called(call, joiner.requests);
      return;
    }
    // One worker fetches one path after the other, so the previous fetch has ended, and well unless an error came.
    // An error of its own would have been followed by a line that says so; what is pending belongs to requests.
    this.#assignOlder(Number.POSITIVE_INFINITY, life, joiner);
    this.#endDiscovery(life, joiner);
    joiner.discovery = call;
    const attempts = this.byAddress.of(`${life.id} ${address}`);
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

  /** Without a request that may have had it, the fetch that is under way failed and its second line is missing. */
  #assignToRequest(error: CallError, life: Life, joiner: Joiner): void {
    const fetch = joiner.discovery;
    if (
      fetch !== undefined &&
      fits(fetch, error) &&
      !joiner.requests.any(error.line.timeUs, (call) => fits(call, error))
    ) {
      joiner.discovery = undefined;
      this.#fail(this.byAddress.of(`${life.id} ${fetch.address}`), error, life);
    } else this.requests.failed(error.line, error.error, life, joiner.requests);
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

/** `policy/v1, Resource=poddisruptionbudgets` as `poddisruptionbudgets.policy/v1`. */
function resourceOf(gvr: string): string {
  const match = GVR.exec(gvr);
  return match === null ? '' : formatResource(match[3] ?? '', match[1] ?? '', match[2] ?? '');
}

function stripPrefix(error: string): string {
  return error.replace(/^error trying to reach service: /, '');
}
