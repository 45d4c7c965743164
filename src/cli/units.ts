/** Amounts for people. */

/** `512 B`, `41.3 KB`, `1.2 GB`: powers of 1000. */
export function formatBytes(bytes: number): string {
  const names = ['B', 'KB', 'MB', 'GB', 'TB'];
  let amount = bytes;
  let at = 0;
  while (amount >= 999.95 && at < names.length - 1) {
    amount /= 1000;
    at++;
  }
  return `${at === 0 ? amount : amount.toFixed(1)} ${names[at]}`;
}
