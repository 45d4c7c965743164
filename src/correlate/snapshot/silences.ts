/** When a server's audit log held nothing although it had been full before: it stood still, or was dead. */
import { SECOND } from '../../model/time.js';
import { TimeHistogram } from '../time-histogram.js';
import type { Context } from './context.js';
import type { ServerView } from './server-view.js';

/** A server renews its lease every 10 s; where the policy leaves that out, its clients may be quiet for a while. */
const SILENT = 15 * SECOND;
/** Requests are counted by stretches of time; coarser ones than this show no silence. */
const SHARP = 4 * SECOND;

/**
 * The longest stretch within the given times and around them in which the audit log holds no request, in microseconds and
 * about as sharp as a second; undefined when there is none, or when others like it show that the log is often silent.
 */
export function silenceOf(
  { state }: Context,
  server: ServerView,
  { first, last }: TimeHistogram,
): { from: number; to: number } | undefined {
  const requests = new TimeHistogram(1_024);
  for (const { lives } of server.boots) for (const life of lives) requests.merge(ratesOf(state, life));
  if (requests.total === 0 || requests.width > SHARP) return undefined;
  const gaps: { from: number; to: number; long: number }[] = [];
  let end = Number.POSITIVE_INFINITY;
  for (const [at] of requests.entries()) {
    if (at - end >= SILENT / 2) gaps.push({ from: end, to: at, long: at - end });
    end = at + requests.width;
  }
  gaps.sort((a, b) => b.long - a.long || a.from - b.from);
  const within = gaps.find(({ from, to }) => from <= last && to >= first);
  if (within === undefined || within.long < SILENT) return undefined;
  const others = gaps.filter((gap) => gap !== within);
  return others.some(({ long }) => long * 2 > within.long) ? undefined : { from: within.from, to: within.to };
}

function ratesOf(state: Context['state'], life: ServerView['boots'][number]['lives'][number]): TimeHistogram {
  return state.rates.get(life)?.requests ?? new TimeHistogram();
}
