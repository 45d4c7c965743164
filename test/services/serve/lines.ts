/** Audit events of a recorded run as if they were written lately, and how to send them. */
import type kafkajs from 'kafkajs';
import { linesOf } from '../../service/audit-lines.js';

export interface Sent {
  readonly value: string;
  /** `cp1` and so on. */
  readonly server: string;
  /** '' where nothing names it. */
  readonly cluster: string;
}

const SECOND_MS = 1_000;

/** In the order in which they were written; the last one `agoMs` before the present. */
export function recentLines(run: string, agoMs = 10_000, cluster = ''): Sent[] {
  const lines = linesOf(run);
  const times = lines.map(({ text }) => Date.parse(timeIn(text)));
  const byMs = Math.floor((Date.now() - agoMs - Math.max(...times)) / SECOND_MS) * SECOND_MS;
  return lines.map(({ text, server }) => ({ value: shifted(text, byMs), server: `cp${server + 1}`, cluster }));
}

/** Of several runs, as one topic would hold them. */
export function byTime(lines: readonly Sent[]): Sent[] {
  const time = ({ value }: Sent) => timeIn(value);
  return [...lines].sort((a, b) => (time(a) < time(b) ? -1 : time(a) > time(b) ? 1 : 0));
}

/** The same event at another time, to the second. */
export function shifted(event: string, byMs: number): string {
  return event.replace(
    /("(?:requestReceivedTimestamp|stageTimestamp)":")(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)/g,
    (_, name, time) => name + new Date(Date.parse(`${time}Z`) + byMs).toISOString().slice(0, 19),
  );
}

/** Spread over three partitions, each with the name of its server, as a collector would that keys by nothing. */
export async function send(producer: kafkajs.Producer, topic: string, lines: readonly Sent[], from = 0): Promise<void> {
  for (let at = 0; at < lines.length; at += 1_000) {
    const messages = lines.slice(at, at + 1_000).map(({ value, server, cluster }, i) => ({
      value,
      partition: (from + at + i) % 3,
      headers: { 'x-server': server, ...(cluster === '' ? {} : { 'x-cluster': cluster }) },
    }));
    await producer.send({ topic, messages });
  }
}

function timeIn(event: string): string {
  return /"stageTimestamp":"([^"]+)"/.exec(event)?.[1] ?? '';
}
