/** Time in whole microseconds since the epoch: exact in a double, and what the audit log itself records. */

export const MILLISECOND = 1_000;
export const SECOND = 1_000_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;

/** RFC 3339 in UTC with six digits, as kube-apiserver writes it; shape `2026-01-02T15:04:05.000000Z`. */
export function formatTime(us: number): string {
  const ms = Math.floor(us / MILLISECOND);
  const rest = us - ms * MILLISECOND;
  return `${new Date(ms).toISOString().slice(0, -1)}${String(rest).padStart(3, '0')}Z`;
}

/** A duration for people: `850 ms`, `12.4 s`, `3 min 05 s`, `2 h 10 min`. */
export function formatDuration(us: number): string {
  if (us < SECOND) return `${Math.round(us / MILLISECOND)} ms`;
  if (us < MINUTE) return `${(us / SECOND).toFixed(1)} s`;
  const seconds = Math.round(us / SECOND);
  if (us < HOUR) return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')} s`;
  return `${Math.floor(seconds / 3600)} h ${String(Math.floor((seconds % 3600) / 60)).padStart(2, '0')} min`;
}
