/** Reads why a kube-apiserver did not accept a client certificate, from the error that it logs beside a 401. */
import type { IdentityRejection } from '../../model/observations/index.js';

const TEXT_LIMIT = 400;
const NAME_LIMIT = 100;
const NAME = /^x509: subject with cn=(.*) is not in the allowed list/s;
/** Where the word of the front proxy's authenticator ends and that of ordinary client certificates begins. */
const CLIENT_PART = /(?:^|, )verifying certificate SN=/;
/** First match wins: the reason why a CA was no candidate stands in the text of an unknown one. */
const REASONS: readonly (readonly [RegExp, IdentityRejection])[] = [
  [/signed by unknown authority/, 'ca-unknown'],
  [/has expired or is not yet valid: .* is before /, 'not-yet-valid'],
  [/has expired or is not yet valid/, 'expired'],
  [/incompatible key usage/, 'wrong-usage'],
];

export interface Rejection {
  readonly reason: IdentityRejection;
  /** The common name that is not allowed; '' with other reasons. */
  readonly name: string;
  /** The part of the error that tells the reason, at most 400 characters, as it was logged. */
  readonly error: string;
}

/**
 * undefined where the error is not about a certificate alone: peers show no tokens. kube-apiserver asks the front proxy's
 * authenticator first; where only the one of ordinary clients spoke, there is none, or the headers it reads were not sent.
 */
export function rejectionOf(error: string): Rejection | undefined {
  const text = error.replace(/^\[(.*)\]$/s, '$1');
  if (!text.includes('x509: ') || /bearer token|service account token/.test(text)) return undefined;
  const named = NAME.exec(text);
  if (named !== null) {
    return {
      reason: 'name-not-allowed',
      name: (named[1] ?? '').slice(0, NAME_LIMIT),
      error: named[0].slice(0, TEXT_LIMIT),
    };
  }
  const end = text.search(CLIENT_PART);
  const own = end < 0 ? text : text.slice(0, end);
  if (own === '') return { reason: 'not-configured', name: '', error: text.slice(0, TEXT_LIMIT) };
  const reason = REASONS.find(([pattern]) => pattern.test(own))?.[1] ?? 'other';
  return { reason, name: '', error: own.slice(0, TEXT_LIMIT) };
}
