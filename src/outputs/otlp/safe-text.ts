/** Log text on its way into attributes and bodies: bounded, visible characters only, and nothing that looks like a credential. */

/** Longest text that is looked at; what lies behind it is cut unseen. */
const MAX_SEEN = 16_384;
const INVISIBLE =
  /[\p{Control}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\p{Surrogate}\u2028\u2029\ufff9-\ufffb]/gu;
const REDACTED = 'REDACTED';

/** Each pattern is linear in its input. Replaced by the text before the secret and `REDACTED`. */
const SECRETS: readonly RegExp[] = [
  /(-----BEGIN [A-Z ]{1,40}-----)[^-]*(?:-----END [A-Z ]{1,40}-----)?/g,
  /(\bauthorization["']?\s{0,8}[:=]\s{0,8}["']?)(?:(?:bearer|basic|digest|negotiate)\s{1,8})?[^\s,;]+/gi,
  /(\bbearer(?:\s|%20|\+){1,8})[\w.~+/=%-]{8,}/gi,
  /(\bbasic(?:\s|%20|\+){1,8})(?=[\w+/%-]*[\dA-Z+/=])[\w+/=%-]{12,}/g,
  /(\b(?:access_?token|id_?token|refresh_?token|token|password|passwd|secret|api_?key)["']?\s{0,4}=\s{0,4})[^\s&,;]+/gi,
  /()\beyJ[\w-]{10,}[\w.-]*/g,
];

/** Most text is neither: it is seen to be harmless in two steps. */
const PLAIN = /^[\u0020-\u007e]*$/;
const SUSPECT = /-----B|authorization|bearer|basic|eyJ|(?:token|password|passwd|secret|key)["'\s=]/i;

/**
 * The text with control, bidi and invisible characters written out (`\u{202e}`), credentials replaced by `REDACTED`,
 * and cut to `limit` UTF-16 units, the last of which is then `…`.
 */
export function safeText(text: string, limit: number): string {
  if (text.length <= limit && PLAIN.test(text) && !SUSPECT.test(text)) return text;
  let seen = text.length > MAX_SEEN ? text.slice(0, MAX_SEEN) : text;
  for (const secret of SECRETS) seen = seen.replace(secret, `$1${REDACTED}`);
  seen = seen.replace(INVISIBLE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
  if (seen.length <= limit && text.length <= MAX_SEEN) return seen;
  // A pair of surrogates that the cut would halve goes whole.
  const end = /[\ud800-\udbff]/.test(seen.charAt(limit - 2)) ? limit - 2 : limit - 1;
  return `${seen.slice(0, end)}…`;
}
