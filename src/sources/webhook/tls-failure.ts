/** Why a connection could not be made, in words for whoever runs the receiver. */
import type { TLSSocket } from 'node:tls';
import { errorCode } from '../source.js';

const NOT_OURS = 'its certificate was not signed by the CA of clients';
const UNTRUSTED = 'it does not trust this certificate; its kubeconfig needs the CA as certificate-authority';

const WORDS: Readonly<Record<string, string>> = {
  ERR_SSL_PEER_DID_NOT_RETURN_A_CERTIFICATE:
    'it showed no certificate; its kubeconfig needs client-certificate and client-key',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: NOT_OURS,
  UNABLE_TO_GET_ISSUER_CERT: NOT_OURS,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: NOT_OURS,
  SELF_SIGNED_CERT_IN_CHAIN: NOT_OURS,
  DEPTH_ZERO_SELF_SIGNED_CERT: NOT_OURS,
  CERT_SIGNATURE_FAILURE: NOT_OURS,
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet; compare the clocks',
  INVALID_PURPOSE: 'its certificate is not for clients (extendedKeyUsage clientAuth)',
  ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: UNTRUSTED,

  ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE: UNTRUSTED,
  'ERR_SSL_SSL/TLS_ALERT_BAD_CERTIFICATE': UNTRUSTED,
  ERR_SSL_HTTP_REQUEST: 'it speaks HTTP without TLS; its kubeconfig needs https:// in server',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it speaks no TLS',
  ERR_SSL_UNSUPPORTED_PROTOCOL: 'it speaks nothing newer than TLS 1.1',
  ERR_TLS_HANDSHAKE_TIMEOUT: 'it did not finish the handshake in time',
};

/** In a few words; the code where there are none; undefined for who just went, as probes do and clients that dial to spare. */
export function explainTlsFailure(
  error: Error,
  { authorizationError }: Pick<TLSSocket, 'authorizationError'>,
): string | undefined {
  // A certificate that fails the check ends the connection without an error of its own. Node gives its code as text.
  const refusal: unknown = authorizationError;
  const code = typeof refusal === 'string' && refusal !== '' ? refusal : errorCode(error);
  if (code === 'ECONNRESET') return undefined;
  return WORDS[code] ?? (code === '' ? error.message : code);
}
