/** Whether a text can be the name of a host, node or pod, and whether a message key looks like one rather than like a random id. */

/** Longest name in the DNS. */
export const MAX_NAME_BYTES = 253;

/** What shippers write: host, node and pod names, with a namespace, a port or a zone; addresses. */
const SERVER = /^[a-z0-9][a-z0-9._:/@%-]*$/i;
const NAME = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*\.?$/i;
const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.|$)){4}$/;
const HEX = /^[0-9a-f]+$/i;
const ULID = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/i;
const DATE = /^\d{4}-?\d\d-?\d\d/;
/** Shorter hexadecimal words may be names: `cafe1`, `db2`. */
const MIN_HEX = 8;
const MIN_RANDOM = 16;
/** Names made by people seldom go back and forth between letters and digits. */
const MAX_CHANGES = 5;

/** The name of a server that stands in `text`, perhaps in quotes, as JSON converters write it; '' when that can be no name. */
export function serverName(text: string): string {
  if (text.length > MAX_NAME_BYTES + 2) return '';
  const name = text.trim().replace(/^"(.*)"$/, '$1');
  return name.length <= MAX_NAME_BYTES && SERVER.test(name) ? name : '';
}

/**
 * True for `cp-1`, `node1.example.org`, `ip-10-0-3-7.ec2.internal`, `kube-apiserver-cp1`, `10.0.0.7`; false for UUIDs,
 * hexadecimal ids, numbers, dates, random words, JSON and anything with other characters.
 */
export function looksLikeHostName(text: string): boolean {
  if (text.length === 0 || text.length > MAX_NAME_BYTES || !NAME.test(text)) return false;
  if (IPV4.test(text)) return true;
  const joined = text.replaceAll(/[.-]/g, '');
  if (!/[a-z]/i.test(joined) || DATE.test(text)) return false;
  if (joined.length >= MIN_HEX && HEX.test(joined) && /\d/.test(joined)) return false;
  return !looksRandom(text);
}

/** One word without parts: ULIDs, KSUIDs, and other ids of letters and digits. */
function looksRandom(text: string): boolean {
  if (text.length < MIN_RANDOM || /[.-]/.test(text)) return false;
  if (ULID.test(text) && /\d/.test(text)) return true;
  if (/[a-z]/.test(text) && /[A-Z]/.test(text) && /\d/.test(text)) return true;
  const changes = text.match(/[a-z](?=\d)|\d(?=[a-z])/gi)?.length ?? 0;
  return changes >= MAX_CHANGES;
}
