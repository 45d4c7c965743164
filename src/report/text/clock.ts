/** Times for people, in UTC: the time of day alone while everything lies on one day, else with the date. */
import type { Analysis } from '../../model/analysis.js';
import { formatDuration, formatTime } from '../../model/time.js';

export interface Clock {
  /** `11:19:02`, or `2026-01-02 11:19:02` when the analysis spans days. */
  at(us: number): string;
  /** `at 11:19:02`, `11:19:02 to 11:27:44`. */
  range(from: number, to: number): string;
  /** With date and zone, for the head: `2026-01-02 11:02:03 to 13:12:44 UTC (2 h 10 min)`. */
  span(from: number, to: number): string;
}

export function createClock(analysis: Analysis): Clock {
  const times = [analysis.window, ...analysis.findings].flatMap((span) => (span ? [span.from, span.to] : []));
  // What has no time of its own (a damaged file) has 0.
  const days = new Set(times.filter((us) => us > 0).map((us) => dateOf(us)));
  const at = (us: number) => (days.size > 1 ? `${dateOf(us)} ${timeOf(us)}` : timeOf(us));
  const range = (from: number, to: number) => {
    if (at(from) === at(to)) return `at ${at(from)}`;
    return `${at(from)} to ${dateOf(from) === dateOf(to) ? timeOf(to) : at(to)}`;
  };
  const span = (from: number, to: number) => {
    const end = dateOf(from) === dateOf(to) ? timeOf(to) : `${dateOf(to)} ${timeOf(to)}`;
    return `${dateOf(from)} ${timeOf(from)} to ${end} UTC (${formatDuration(to - from)})`;
  };
  return { at, range, span };
}

function dateOf(us: number): string {
  return formatTime(us).slice(0, 10);
}

function timeOf(us: number): string {
  return formatTime(us).slice(11, 19);
}
