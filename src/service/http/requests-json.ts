/** The latest proxied requests as `/api/v1/requests` gives them: bounded, and without what may be a secret. */
import type { ProxiedRequest, RequestSide } from '../../model/proxied-request.js';
import { formatTime, MILLISECOND } from '../../model/time.js';
import { safeText } from '../../outputs/otlp/safe-text.js';
import { uriParts } from '../../outputs/otlp/url.js';

export interface RequestAnswer {
  readonly auditID: string;
  readonly cluster: string;
  readonly verb: string;
  /** Path and query; values of parameters that may hold data are replaced. */
  readonly uri: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly userAgent: string;
  readonly source: SideAnswer;
  /** null: it reached no destination. */
  readonly destination: SideAnswer | null;
  readonly cause: string | null;
  /** At the source; null while it is open. */
  readonly durationMs: number | null;
  /** What the source took beyond the destination; null when one of them is open or missing. */
  readonly hopMs: number | null;
  readonly ambiguous: boolean;
}

export interface SideAnswer {
  readonly server: string;
  readonly received: string;
  readonly done: string | null;
  readonly code: number | null;
  readonly input: string;
  readonly line: number;
}

const MOST = 200;
const MAX_WORD = 253;

export function requestsAnswer(requests: readonly ProxiedRequest[]): { requests: RequestAnswer[] } {
  return { requests: requests.slice(0, MOST).map(requestAnswer) };
}

function requestAnswer(request: ProxiedRequest): RequestAnswer {
  const { shownPath, shownQuery } = uriParts(request.requestURI);
  const durationMs = durationOf(request.source);
  const there = request.destination === null ? null : durationOf(request.destination);
  const word = (text: string) => safeText(text, MAX_WORD);
  return {
    auditID: word(request.auditID),
    cluster: word(request.cluster),
    verb: word(request.verb),
    uri: shownQuery === '' ? shownPath : `${shownPath}?${shownQuery}`,
    resource: word(request.resource),
    namespace: word(request.namespace),
    name: word(request.name),
    userAgent: word(request.userAgent),
    source: sideAnswer(request.source),
    destination: request.destination && sideAnswer(request.destination),
    cause: request.cause,
    durationMs,
    hopMs: durationMs === null || there === null ? null : Math.max(0, durationMs - there),
    ambiguous: request.ambiguous,
  };
}

function sideAnswer({ server, receivedUs, doneUs, code, input, line }: RequestSide): SideAnswer {
  const done = doneUs === null ? null : formatTime(doneUs);
  return { server, received: formatTime(receivedUs), done, code, input, line };
}

function durationOf({ receivedUs, doneUs }: RequestSide): number | null {
  return doneUs === null ? null : (doneUs - receivedUs) / MILLISECOND;
}
