/** What the logs of a server would have shown, so that its absence says something. */
import type { ServerView } from './server-view.js';

/**
 * Whether a peer's discovery would stand in the server's audit log: it holds requests of its own apiserver, under whose
 * name peers come, and requests for /api or /apis of somebody known. Policies often leave out one or the other.
 */
export function recordsArrivals({ writers }: ServerView): boolean {
  const logs = writers.filter(({ mixed }) => !mixed);
  const ofApiserver = logs.some(({ lives }) => lives.some(({ uid }) => uid !== ''));
  return ofApiserver && logs.some(({ apiRequests }) => apiRequests > 0);
}

/**
 * Whether a fetch that went well would have been seen: in the destination's audit log or as a call line of the source's
 * process log. Call lines are of severity I: a log of warnings and errors alone shows none.
 */
export function recordsFetches(source: ServerView, destination: ServerView): boolean {
  return recordsArrivals(destination) || source.writers.some(({ infos, mixed }) => infos > 0 && !mixed);
}
