/** Names the cause in the error text of a failed call between peers. */
import type { PeerCallCause } from '../../model/observations/index.js';

/** First match wins: an error through a proxy also says how the proxy failed, a lookup is also a dial. */
const CAUSES: readonly (readonly [RegExp, PeerCallCause])[] = [
  [/proxyconnect tcp/, 'via-proxy'],
  // A proxy that answers CONNECT with an error leaves the bare reason phrase of that answer.
  [
    /^(Forbidden|Proxy Authentication Required|Method Not Allowed|Bad Request|Not Found|Bad Gateway|Service Unavailable|Gateway Timeout)$/,
    'via-proxy',
  ],
  [
    /x509: certificate signed by unknown authority|x509: certificate is not trusted|unknown certificate authority/,
    'unknown-authority',
  ],
  [/x509: certificate is (valid for|not valid for any names)|x509: cannot validate certificate for/, 'cert-name'],
  [/x509: certificate has expired or is not yet valid/, 'cert-expired'],
  [/relies on legacy Common Name|incompatible key usage|not authorized to sign|x509: /, 'cert-invalid'],
  [/server gave HTTP response to HTTPS client|first record does not look like a TLS handshake/, 'cert-invalid'],
  [/invalid port|strconv\.Atoi|too many colons in address/, 'invalid-address'],
  [/missing port in address|failed to get host port info/, 'no-endpoint'],
  [/no such host|server misbehaving|Temporary failure in name resolution/, 'unknown-host'],
  [/connection refused/, 'refused'],
  [/no route to host|network is unreachable|host is unreachable|host is down/, 'no-route'],
  [
    /client connection lost|GOAWAY|connection reset|broken pipe|unexpected EOF|\bEOF\b|server closed idle connection|cannot retry err/,
    'connection-lost',
  ],
  [/i\/o timeout|TLS handshake timeout|deadline exceeded/, 'timeout'],
  [/context canceled|operation was canceled|client connection is closing|time to stop HTTP server/, 'canceled'],
  [/remote error: tls/, 'cert-invalid'],
  [/status: 401/, 'unauthorized'],
  [/status: 403/, 'forbidden'],
];

/** The cause of an error text as kube-apiserver logs it; `unknown` when no known text is in it. */
export function causeOf(error: string): PeerCallCause {
  for (const [pattern, cause] of CAUSES) if (pattern.test(error)) return cause;
  return 'unknown';
}

/** Causes that a wrong setting makes; the others also come from a peer that is down, starting or cut off. */
export const SETTING_CAUSES: ReadonlySet<PeerCallCause> = new Set([
  'via-proxy',
  'unknown-authority',
  'cert-name',
  'cert-expired',
  'cert-invalid',
  'invalid-address',
  'unauthorized',
]);

export const NETWORK_CAUSES: ReadonlySet<PeerCallCause> = new Set(['unknown-host', 'refused', 'no-route', 'timeout']);

/** `dial tcp 10.0.0.2:6443: …`, and `read tcp 10.0.0.1:40000->10.0.0.2:6443: …` of a connection that was open. */
const ADDRESS = /(?:dial tcp |(?:read|write) tcp \S+->)([^\s:]+:\d+|\[[^\]]+\]:\d+)/;

/** The address that was dialled, where the error names it. */
export function addressOf(error: string): string {
  return error.includes('proxyconnect') ? '' : (ADDRESS.exec(error)?.[1] ?? '');
}
