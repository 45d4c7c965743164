/** Whether a server's records would tell what it did at a time. */
import { SECOND } from '../../model/time.js';
import type { ServerView } from './server-view.js';

/** A server renews its lease every 10 s: a log that ends a little earlier may be complete. */
const SLACK = 15 * SECOND;

/** True when the server may have run then and its audit log would not show it: before, behind and between its parts. */
export function mayRunUnseen(server: ServerView, from: number, to: number): boolean {
  const audited = server.boots.flatMap((boot) => boot.lives).filter(({ writer }) => writer.audit > 0 && !writer.mixed);
  if (audited.some((life) => life.from - SLACK <= from && to <= life.to + SLACK)) return false;
  const before = server.boots.findLast((boot) => boot.from <= from);
  if (before === undefined || from <= before.to) return true;
  const next = server.boots.find((boot) => boot.from > from);
  return next === undefined ? before.stoppedAt === 0 : next.startSeenAt === 0;
}
