/** One process at a time in a spool folder: two would send everything twice. */
import { open, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { errorCode } from '../../../sources/source.js';

/** The folder belongs to a process that is still at work. */
export class FolderInUse extends Error {
  override readonly name = 'FolderInUse';
}

const BEAT_MS = 10_000;
/** A lock that nobody touched for so long is left over, whatever process has that number now. */
const STALE_MS = 60_000;
const held = new Set<string>();

/** Takes the lock of an existing folder; the function gives it back. Throws FolderInUse, or what the system says. */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const path = join(folder, 'lock');
  const mine = `${process.pid} ${hostname()} ${(await lifeOf(process.pid)) ?? 0}\n`;
  if (held.has(path))
    throw new FolderInUse(`${folder} is in use by this very process; give each output a name of its own`);
  if (!(await create(path, mine))) {
    const owner = await ownerOf(path);
    if (owner !== undefined) {
      throw new FolderInUse(`${folder} is in use by process ${owner}; end it, or give another folder`);
    }
    await writeFile(path, mine);
  }
  held.add(path);
  const beat = setInterval(() => {
    const now = new Date();
    // A lock that cannot be touched goes stale; what is sent is not affected.
    utimes(path, now, now).catch(() => undefined);
  }, BEAT_MS);
  beat.unref();
  return async () => {
    clearInterval(beat);
    held.delete(path);
    await rm(path, { force: true });
  };
}

async function create(path: string, text: string): Promise<boolean> {
  try {
    const handle = await open(path, 'wx', 0o600);
    await handle.writeFile(text);
    await handle.close();
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Who holds the lock, in words; undefined when it is left over. */
async function ownerOf(path: string): Promise<string | undefined> {
  const [text, { mtimeMs }] = await Promise.all([readFile(path, 'utf8'), stat(path)]);
  if (Date.now() - mtimeMs > STALE_MS) return undefined;
  const [, pid, host, start = '0'] = /^(\d{1,10}) (\S{1,255})(?: (\d{1,20}))?\n$/.exec(text) ?? [];
  if (pid === undefined || host === undefined) return undefined;
  if (host !== hostname()) return `${pid} on ${host}`;
  // In a restarted container the same number is this process itself.
  if (Number(pid) === process.pid || !isAlive(Number(pid))) return undefined;
  const life = await lifeOf(Number(pid));
  // Killed and not yet waited for, or another process that got its number.
  return life === 'ended' || (life !== undefined && start !== '0' && life !== start) ? undefined : pid;
}

/** When a process started, in ticks since the machine did; undefined where the system does not tell. */
async function lifeOf(pid: number): Promise<string | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '');
  // The name in brackets may hold anything.
  const [state, ...rest] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  if (state === 'Z' || state === 'X') return 'ended';
  return rest[18];
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}
