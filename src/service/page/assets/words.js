/** Numbers, times and durations in words, as the text report has them. Times are UTC. */

/** @param {number} count */
export function digits(count) {
  return String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, ',');
}

/**
 * `1 finding`, `2 findings`.
 * @param {number} count
 * @param {string} one
 * @param {string} [many]
 */
export function plural(count, one, many = `${one}s`) {
  return `${digits(count)} ${count === 1 ? one : many}`;
}

/**
 * `850 ms`, `12.4 s`, `3 min 05 s`, `2 h 10 min`, `3 d 4 h`.
 * @param {number} ms
 */
export function duration(ms) {
  if (ms < 10) return `${Math.round(ms * 10) / 10} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 2880) return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`;
  return `${Math.floor(minutes / 1440)} d ${Math.floor((minutes % 1440) / 60)} h`;
}

/**
 * `12 s`, `3 min`, `2 h`: how old something is, for a text that changes every second.
 * @param {number} ms
 */
export function age(ms) {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7200) return `${Math.floor(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.floor(seconds / 3600)} h` : `${Math.floor(seconds / 86_400)} d`;
}

/**
 * `11:20:44`, with the date before it unless it is that of `now`.
 * @param {string} time RFC 3339, UTC
 * @param {number} now milliseconds since the epoch
 */
export function clock(time, now) {
  const day = time.slice(0, 10);
  return day === new Date(now).toISOString().slice(0, 10) ? time.slice(11, 19) : `${day} ${time.slice(11, 19)}`;
}

/**
 * @param {string} from RFC 3339, UTC
 * @param {string} to
 * @param {number} now milliseconds since the epoch
 */
export function span(from, to, now) {
  const end = from.slice(0, 10) === to.slice(0, 10) ? to.slice(11, 19) : clock(to, now);
  return from.slice(0, 19) === to.slice(0, 19) ? clock(from, now) : `${clock(from, now)} to ${end}`;
}

/**
 * `cp1`, `cp1 and cp2`, `cp1, cp2 and 3 more`.
 * @param {readonly string[]} names
 */
export function enumerate(names, most = 6) {
  const shown = names.length > most ? names.slice(0, most - 1) : [...names];
  const rest = names.length - shown.length;
  if (rest > 0) return `${shown.join(', ')} and ${rest} more`;
  const last = shown.pop() ?? '';
  return shown.length === 0 ? last : `${shown.join(', ')} and ${last}`;
}
