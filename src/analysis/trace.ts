/** Tells the whole story of one Audit-ID over all servers: their audit events, and the log lines of the calls between. */

import { Correlator } from '../correlate/correlator.js';
import { quoteEvent } from '../correlate/evidence.js';
import type { InputRef } from '../model/origin.js';
import { type AuditEvent, detachEvent, type LogLine, type Rec } from '../model/record.js';
import { MILLISECOND, SECOND } from '../model/time.js';
import { assignSources, type Source } from '../sources/index.js';
import { InputReader, reread } from './input-reader.js';
import { mergeByTime } from './merge.js';
import type { AnalyzeOptions } from './options.js';
import { survey, timeOf } from './survey.js';
import type { TracedRequest, TraceStep, TraceStory } from './trace-story.js';

/** A call line stands right after the request came in; its error right before the source answers. */
const BEFORE = 5 * MILLISECOND;
const AFTER = 250 * MILLISECOND;
/** Events of one Audit-ID that are told; a client may reuse one without end. */
const LIMIT = 400;
const LINES = 2_000;

interface Seen<T> {
  readonly record: T;
  readonly input: InputRef;
}

/** A first pass finds the events, a second the log lines near them; file contents are read twice, stdin only once. */
export async function traceRequest(
  sources: readonly Source[],
  auditID: string,
  options: Omit<AnalyzeOptions, 'rules'>,
): Promise<TraceStory> {
  const { sources: assigned } = assignSources(sources, options.servers ?? [], options.cluster);
  const surveyed = await survey(assigned, options.signal);
  const events: Seen<AuditEvent>[] = [];
  const lines: Seen<LogLine>[] = [];
  const correlator = new Correlator(reread);
  let overflow = 0;
  const take = (record: Rec, input: InputRef) => {
    const time = timeOf(record);
    if (time > 0 && (time < (options.since ?? 0) || time > (options.until ?? Number.POSITIVE_INFINITY))) return;
    correlator.take(record, input);
    if (record.type === 'log' && isPeerLine(record, auditID)) keepLine(lines, { record, input });
    else if (record.type === 'audit' && record.auditID === auditID) {
      // The event lies in a chunk that is let go; its text is copied.
      if (events.length < LIMIT) events.push({ record: detachEvent(record), input });
      else overflow += 1;
    }
  };
  const inputs = surveyed.map(({ source, input, beginsAt }) => ({ reader: new InputReader(input, source), beginsAt }));
  await mergeByTime(inputs, take, options.signal);
  correlator.end();
  const { writers } = correlator.snapshot();
  const serverOf = (input: InputRef) => writers.get(input.id) ?? null;
  return {
    auditID,
    requests: requestsOf(events, lines, serverOf),
    notes: notes(
      events,
      overflow,
      inputs.map(({ reader }) => reader),
    ),
  };
}

/** Lines that speak of calls to peers, and lines that name the Audit-ID (which httplog cuts to 64 characters). */
function isPeerLine(line: LogLine, auditID: string): boolean {
  if (line.file === 'peerproxy_handler.go') return line.message.startsWith('Proxying request') || line.severity === 'E';
  return line.text.includes(auditID.slice(0, 64));
}

function keepLine(lines: Seen<LogLine>[], line: Seen<LogLine>): void {
  lines.push(line);
  if (lines.length > LINES * 2) lines.splice(0, LINES);
}

/** Stages of one request on one server share its time of receipt; a destination's request follows its source's. */
function requestsOf(
  events: readonly Seen<AuditEvent>[],
  lines: readonly Seen<LogLine>[],
  serverOf: (input: InputRef) => string | null,
): TracedRequest[] {
  const groups: Seen<AuditEvent>[][] = [];
  const sorted = [...events].sort(
    (a, b) => a.record.receivedUs - b.record.receivedUs || a.record.timeUs - b.record.timeUs,
  );
  for (const event of sorted) {
    const home = groups.find((group) => group.some((other) => sameRequest(other.record, event.record)));
    if (home === undefined) groups.push([event]);
    else home.push(event);
  }
  return groups.map((group) => tell(group, lines, serverOf));
}

/** The same request at one server, or a source's and its destination's: the addresses are the same or one longer. */
function sameRequest(a: AuditEvent, b: AuditEvent): boolean {
  if (a.verb !== b.verb || a.resource !== b.resource || a.userAgent !== b.userAgent) return false;
  if (pathOf(a.requestURI) !== pathOf(b.requestURI)) return false;
  if (a.receivedUs === b.receivedUs) return a.sourceIPs === b.sourceIPs;
  return b.sourceIPs.startsWith(`${a.sourceIPs},`) || a.sourceIPs.startsWith(`${b.sourceIPs},`);
}

function tell(
  group: readonly Seen<AuditEvent>[],
  lines: readonly Seen<LogLine>[],
  serverOf: (input: InputRef) => string | null,
): TracedRequest {
  const [first] = group;
  const answers = group.filter(({ record }) => record.stage === 'ResponseComplete' || record.stage === 'Panic');
  const steps: TraceStep[] = [
    ...group.map((seen) => eventStep(seen, serverOf)),
    ...nearLines(group, lines, serverOf).map((seen) => lineStep(seen, serverOf)),
  ].sort((a, b) => a.timeUs - b.timeUs);
  return {
    title: first === undefined ? '' : `${first.record.verb} ${first.record.requestURI}`,
    outcome: outcomeOf(group, answers, serverOf),
    steps,
  };
}

function nearLines(
  group: readonly Seen<AuditEvent>[],
  lines: readonly Seen<LogLine>[],
  serverOf: (input: InputRef) => string | null,
): Seen<LogLine>[] {
  const [first] = group;
  if (first === undefined) return [];
  const auditID = first.record.auditID.slice(0, 64);
  const path = pathOf(first.record.requestURI);
  const servers = new Set(group.map(({ input }) => serverOf(input)));
  const from = Math.min(...group.map(({ record }) => record.receivedUs || record.timeUs)) - BEFORE;
  const to = Math.max(...group.map(({ record }) => record.timeUs)) + AFTER;
  const here = lines.filter(
    ({ record, input }) => record.timeUs >= from && record.timeUs <= to && servers.has(serverOf(input)),
  );
  const named = here.filter(({ record }) => record.text.includes(auditID));
  const calls = here.filter(({ record }) => record.message.startsWith(`Proxying request for ${path} `)).slice(0, 1);
  const ends = group.filter(({ record }) => record.code >= 500).map(({ record }) => record.timeUs);
  const errors = here.filter(
    ({ record }) => record.severity === 'E' && ends.some((end) => Math.abs(end - record.timeUs) < AFTER),
  );
  return [...new Set([...named, ...calls, ...errors.slice(0, 1)])];
}

function eventStep({ record, input }: Seen<AuditEvent>, serverOf: (input: InputRef) => string | null): TraceStep {
  const what =
    record.stage === 'RequestReceived'
      ? `received from ${record.sourceIPs || 'nowhere'} as ${record.username || 'nobody'}`
      : record.stage === 'ResponseStarted'
        ? `began to answer with ${record.code}`
        : record.stage === 'Panic'
          ? `the stream was cut (Panic, ${record.code})`
          : `answered ${record.code}${record.reason === '' ? '' : ` ${record.reason}`}${took(record)}`;
  return {
    timeUs: record.timeUs,
    server: serverOf(input),
    what,
    evidence: evidence(record, input, quoteEvent(record)),
  };
}

function lineStep({ record, input }: Seen<LogLine>, serverOf: (input: InputRef) => string | null): TraceStep {
  const to = /^Proxying request for \S+ from \S* to (\S+)$/.exec(record.message)?.[1];
  const error = record.fields?.get('err');
  const what =
    to !== undefined
      ? `passes it on to ${to}`
      : error !== undefined
        ? `the call failed: ${error.slice(0, 300)}`
        : record.message.slice(0, 200);
  return { timeUs: record.timeUs, server: serverOf(input), what, evidence: evidence(record, input, record.text) };
}

function evidence(record: { line: number; offset: number }, input: InputRef, quote: string) {
  return { input: input.name, line: record.line, offset: record.offset, quote: quote.slice(0, 600) };
}

function took(event: AuditEvent): string {
  return event.receivedUs === 0 ? '' : ` after ${((event.timeUs - event.receivedUs) / MILLISECOND).toFixed(1)} ms`;
}

function outcomeOf(
  group: readonly Seen<AuditEvent>[],
  answers: readonly Seen<AuditEvent>[],
  serverOf: (input: InputRef) => string | null,
): string {
  const byLength = [...answers].sort(
    (a, b) => a.record.sourceIPs.length - b.record.sourceIPs.length || a.record.timeUs - b.record.timeUs,
  );
  const source = byLength[0];
  const destination = byLength.find(({ record }) => record.sourceIPs.length > (source?.record.sourceIPs.length ?? 0));
  const name = (seen: Seen<AuditEvent>) => serverOf(seen.input) ?? 'an unknown server';
  if (source === undefined)
    return group.length === 0 ? 'nothing is known' : 'no answer was recorded: it was still open, or the server ended';
  if (destination === undefined) return `${name(source)} answered ${source.record.code}; no other server logged it`;
  const late = destination.record.receivedUs - source.record.timeUs;
  const addition =
    late > SECOND
      ? `; it reached ${name(destination)} ${(late / SECOND).toFixed(1)} s after the client had its answer`
      : '';
  return `passed on by ${name(source)} to ${name(destination)}, which answered ${destination.record.code}; the client got ${source.record.code}${addition}`;
}

function notes(events: readonly Seen<AuditEvent>[], overflow: number, readers: readonly InputReader[]): string[] {
  const list: string[] = [];
  if (events.length === 0)
    list.push(
      'no audit event with this ID is in the inputs; the policy may leave the request out, or its file is missing',
    );
  if (overflow > 0) list.push(`${overflow} more events carry this ID and are not told`);
  for (const reader of readers)
    for (const [reason, count] of reader.problems)
      list.push(`${reader.input.name}: ${count} records not read (${reason})`);
  return list;
}

function pathOf(uri: string): string {
  const mark = uri.indexOf('?');
  return mark < 0 ? uri : uri.slice(0, mark);
}
