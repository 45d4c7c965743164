/** Puts the lives of a server's inputs together into boots: by boot ID, and log lives by their time. */
import { MINUTE, SECOND } from '../../model/time.js';
import type { State } from '../cluster-correlator.js';
import type { Life } from '../writer.js';
import type { Boot, ServerView } from './server-view.js';

/** The process log starts a moment before the first audit event and ends a moment after the last. */
const SLACK = 20 * SECOND;

/** A server renews its lease every 10 s: its boot is over when its log is silent for so long. */
const PAUSE = 1.5 * MINUTE;

/** The first sign of a start comes this soon after the first record. */
const STARTING = 5 * SECOND;

export function bootsOf(server: ServerView, lives: readonly Life[], state: State): Boot[] {
  const groups = groupByBoot(
    lives.filter((life) => life.from <= life.to),
    (life) => (state.logFacts.get(life)?.headAt ?? 0) !== 0,
  );
  return groups.map((group) => boot(server, group, state)).sort((a, b) => a.from - b.from || a.to - b.to);
}

function groupByBoot(lives: readonly Life[], hasHead: (life: Life) => boolean): Life[][] {
  const groups = new Map<string, Life[]>();
  for (const life of lives) if (life.uid !== '') groups.set(life.uid, [...(groups.get(life.uid) ?? []), life]);
  const marked = [...groups.values()];
  for (const life of lives) if (life.next !== undefined) groups.get(bootBefore(life, life.next, marked))?.push(life);
  const anonymous = lives
    .filter((life) => life.uid === '' && life.next === undefined)
    .sort((a, b) => a.from - b.from || a.to - b.to);
  const loose: Life[][] = [];
  for (const life of anonymous) {
    // The head of a log belongs to the start that follows it, and what stands before one to no boot that comes later.
    const isHead = life.version === '' && hasHead(life);
    const isEnd = endsAtHead(life, hasHead);
    const open = (group: readonly Life[]) =>
      (!isHead || group.some((other) => other.to >= life.from)) &&
      (!isEnd || group.some((other) => other.from <= life.to));
    const home = nearest(life, [...groups.values(), ...loose].filter(open));
    if (home === undefined) loose.push([life]);
    else home.push(life);
  }
  return [...groups.values(), ...loose];
}

/** Behind it in its log stands the head of another boot. */
function endsAtHead(life: Life, hasHead: (life: Life) => boolean): boolean {
  const { lives } = life.writer;
  const next = lives[lives.indexOf(life) + 1];
  return next !== undefined && hasHead(next);
}

/**
 * The boot of what stands in a part of a log before its first boot ID: that boot, unless its start was seen there; then
 * it is the end of the boot before, if other parts tell of one that went on until then.
 */
function bootBefore(life: Life, next: Life, marked: readonly (readonly Life[])[]): string {
  const starts = next.startSeenAt !== 0 && next.startSeenAt <= next.bootFrom + STARTING;
  if (!starts) return next.uid;
  let before = next;
  for (const other of marked.flat()) {
    const goesOn = other.bootFrom <= life.from && other.to >= life.from - PAUSE;
    if (goesOn && (before === next || other.bootFrom > before.bootFrom)) before = other;
  }
  return before.uid;
}

/** The boot that a life without a boot ID belongs to: the one it overlaps most, or is next to; none when its own start stands alone. */
function nearest(life: Life, groups: readonly Life[][]): Life[] | undefined {
  let best: Life[] | undefined;
  let bestOverlap = -SLACK - 1;
  for (const group of groups) {
    const from = Math.min(...group.map((g) => g.from));
    const to = Math.max(...group.map((g) => g.to));
    const version = group.find((g) => g.version !== '')?.version ?? '';
    if (life.version !== '' && version !== '' && life.version !== version) continue;
    // A second start seen inside another boot's time is another boot (a start that was refused, say).
    const otherStart = (g: Life) => g.uid === '' && g.startSeenAt !== 0 && g.startSeenAt !== life.startSeenAt;
    if (life.startSeenAt !== 0 && group.some(otherStart)) continue;
    // Below zero it is the gap between the two.
    const overlap = Math.min(life.to, to) - Math.max(life.from, from);
    if (overlap > bestOverlap) [best, bestOverlap] = [group, overlap];
  }
  return best;
}

function boot(server: ServerView, lives: readonly Life[], state: State): Boot {
  // Audit events carry the boot ID in every file; a log says its version once, in whichever part its head is.
  const dated = lives.filter((life) => life.bootFrom <= life.bootTo);
  const marked = dated.filter((life) => life.uid !== '');
  const heads = dated.map((life) => life.bootFrom);
  const to = Math.max(...lives.map((life) => life.to));
  const startSeenAt = earliest(lives.map((life) => life.startSeenAt));
  // A file that begins before a restart gives its first boot ID to what stands before it, too.
  const from = Math.max(Math.min(...lives.map((life) => life.from)), startSeenAt === 0 ? 0 : startSeenAt - STARTING);
  return {
    server,
    lives,
    version:
      lives.find((life) => life.uid !== '' && life.version !== '')?.version ??
      lives.find((life) => life.version !== '')?.version ??
      '',
    from,
    to,
    markedFrom:
      marked.length === 0
        ? heads.length === 0
          ? from
          : Math.min(...heads)
        : Math.min(...marked.map((life) => life.bootFrom)),
    markedTo: marked.length === 0 ? to : Math.max(...marked.map((life) => life.bootTo)),
    startSeenAt,
    stoppedAt: earliest(lives.map((life) => life.stoppedAt)),
    localDiscoveryAt: earliest(lives.map((life) => life.localDiscoveryAt)),
    loopbackNonResourceAt: earliest(lives.map((life) => life.loopbackNonResourceAt)),
    log: lives.map((life) => state.logFacts.get(life)).filter((facts) => facts !== undefined),
  };
}

/** The smallest time that is not 0; 0 when all are. */
function earliest(times: readonly number[]): number {
  const seen = times.filter((time) => time !== 0);
  return seen.length === 0 ? 0 : Math.min(...seen);
}
