/** What the network's error codes mean to an operator, and what to do. */
import { errorText } from '../../model/error-text.js';
import { errorCode } from '../../sources/source.js';

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused; is it running, and is the port right?',
  ECONNRESET: 'the connection was closed before the answer was complete',
  EPIPE: 'the connection was closed while the request was sent',
  ETIMEDOUT: 'no connection: timed out',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'no route to the network',
  ENOTFOUND: 'the host name is not known; check the spelling',
  EAI_AGAIN: 'the host name could not be looked up now',
  ABORT_ERR: 'broken off',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed; give the CA as tls.ca',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate comes from an unknown CA; give the CA as tls.ca',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate comes from an unknown CA; give the CA as tls.ca',
  UNABLE_TO_GET_ISSUER_CERT: 'its certificate comes from an unknown CA; give the CA as tls.ca',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate comes from an unknown CA; give the CA as tls.ca',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet; compare the clocks',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name; set tls.serverName, or mend the URL',
  ERR_SSL_WRONG_VERSION_NUMBER: 'no TLS is spoken there; is it http:// and not https://?',
  EPROTO: 'TLS failed; is it http:// and not https://?',
  HPE_HEADER_OVERFLOW: 'the header of its answer is too large',
};

/** In a few words, with the code where there are none; log text and answers are not quoted. */
export function explainNetworkError(error: unknown): string {
  const code = errorCode(error);
  const words = WORDS[code];
  if (words !== undefined) return words;
  if (code.startsWith('HPE_')) return 'its answer is no HTTP';
  if (/^ERR_SSL_.*(CERTIFICATE|HANDSHAKE)/.test(code)) {
    return `it refused the TLS connection (${code}); does it ask for a client certificate (tls.cert, tls.key)?`;
  }
  if (code !== '') return `the connection failed (${code})`;
  return errorText(error);
}
