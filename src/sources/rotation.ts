/** What a file's name says about rotation: which files are the parts of one stream, and in which order. */

export interface Rotation {
  /** The path without rotation and compression parts: equal for all parts of one stream. */
  readonly stem: string;
  /** Name the time of rotation gives, in milliseconds since the epoch read as UTC; null when it names none. */
  readonly time: number | null;
  /** The number of a numbered rotation (`audit.log.1` is 1; higher is older); null when there is none. */
  readonly number: number | null;
  /** The instance number of a container's log file (`0.log`, `1.log`: higher is newer); null elsewhere. */
  readonly instance: number | null;
  readonly compressed: boolean;
}

/** The path without rotation and compression parts, as in `logs/audit.log` for `logs/audit-2026-…T….log.gz`. */
export function streamStem(path: string): string {
  return rotationOf(path).stem;
}

/**
 * Reads the names that lumberjack (`audit-2026-01-02T03-04-05.678.log`), logrotate (`audit.log.1`,
 * `audit.log-20260105`, `audit-20260105.log`) and kubelet (`0.log.20260105-030405`) give, with or without a
 * compression suffix, and combinations of them.
 */
export function rotationOf(path: string): Rotation {
  const slash = path.lastIndexOf('/') + 1;
  const folder = path.slice(0, slash);
  const uncompressed = path.slice(slash).replace(COMPRESSION, '');
  const compressed = uncompressed.length !== path.length - slash;

  let name = uncompressed;
  let number: number | null = null;
  let time: number | null = null;
  const numbered = NUMBERED.exec(name);
  if (numbered?.groups) {
    name = numbered.groups.stem ?? name;
    number = Number(numbered.groups.number);
  }
  for (const pattern of DATED) {
    const dated = pattern.exec(name);
    const at = dated?.groups && timeOf(dated.groups);
    if (!dated?.groups || at === undefined || at === null) continue;
    name = `${dated.groups.stem ?? ''}${dated.groups.extension ?? ''}`;
    time = at;
    break;
  }
  const container = CONTAINER_FOLDER.test(folder) ? CONTAINER_LOG.exec(name) : null;
  if (container) return { stem: folder.slice(0, -1), time, number, instance: Number(container[1]), compressed };
  return { stem: folder + name, time, number, instance: null, compressed };
}

/** Whether the name is that of a finished part: rotated away or compressed, so that nothing is added any more. */
export function isFinishedPart(path: string): boolean {
  const { time, number, compressed } = rotationOf(path);
  return time !== null || number !== null || compressed;
}

/** Order of streams by stem, and of the parts of one stream from the oldest to the one being written. */
export function compareStreams(a: string, b: string): number {
  const left = rotationOf(a);
  const right = rotationOf(b);
  return (
    compareText(left.stem, right.stem) ||
    (left.instance ?? 0) - (right.instance ?? 0) ||
    compareAge(left, right) ||
    compareText(a, b)
  );
}

const COMPRESSION = /\.(?:gz|gzip|zst|xz|bz2|lz4|Z)$/;
const NUMBERED = /^(?<stem>.+\.[A-Za-z]+(?:-\d{8})?)\.(?<number>\d{1,4})$/;
const DAY = String.raw`(?<year>(?:19|20)\d\d)(?<sep>-?)(?<month>\d\d)\k<sep>(?<day>\d\d)`;
const DATED = [
  // lumberjack: the time stands before the extension, with milliseconds.
  new RegExp(
    String.raw`^(?<stem>.+)-${DAY}T(?<hour>\d\d)-(?<minute>\d\d)-(?<second>\d\d)(?:\.(?<fraction>\d{3}))?(?<extension>\.[^.]+)?$`,
  ),
  // kubelet, and logrotate with a time or with seconds since the epoch after the date.
  new RegExp(String.raw`^(?<stem>.+\.[A-Za-z]+)[.-]${DAY}[-T](?<hour>\d\d)(?<minute>\d\d)(?<second>\d\d)$`),
  new RegExp(String.raw`^(?<stem>.+\.[A-Za-z]+)[.-]${DAY}-(?<epoch>\d{10})$`),
  // logrotate with `dateext`, and with `extension`.
  new RegExp(String.raw`^(?<stem>.+\.[A-Za-z]+)[.-]${DAY}(?:[-T]?(?<hour>\d\d))?$`),
  new RegExp(String.raw`^(?<stem>.+)[.-]${DAY}(?:[-T]?(?<hour>\d\d))?(?<extension>\.[A-Za-z]+)$`),
];
const CONTAINER_FOLDER = /(?:^|\/)[^/_]+_[^/_]+_[^/_]+\/[^/]+\/$/;
const CONTAINER_LOG = /^(\d+)\.log$/;

function timeOf(groups: Record<string, string | undefined>): number | null {
  if (groups.epoch !== undefined) return Number(groups.epoch) * 1000;
  const [year, month, day] = [Number(groups.year), Number(groups.month), Number(groups.day)];
  const clock = [groups.hour, groups.minute, groups.second, groups.fraction].map((part) => Number(part ?? 0));
  const [hour = 0, minute = 0, second = 0, ms = 0] = clock;
  if (month < 1 || month > 12 || day < 1 || day > 31 || hour > 23 || minute > 59 || second > 60) return null;
  return Date.UTC(year, month - 1, day, hour, minute, second, ms);
}

function compareAge(a: Rotation, b: Rotation): number {
  const byTime = (a.time ?? Number.MAX_VALUE) - (b.time ?? Number.MAX_VALUE);
  return byTime !== 0 ? byTime : (b.number ?? -1) - (a.number ?? -1);
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
