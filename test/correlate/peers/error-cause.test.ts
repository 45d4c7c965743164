import { describe, expect, test } from '@jest/globals';
import { addressOf, causeOf } from '../../../src/correlate/peers/error-cause.js';

const TLS = 'tls: failed to verify certificate: x509: certificate';

describe('causeOf', () => {
  test.each([
    [`${TLS} signed by unknown authority`, 'unknown-authority'],
    [
      `${TLS} signed by unknown authority (possibly because of "crypto/rsa: verification error" while trying to verify candidate authority certificate "kubernetes")`,
      'unknown-authority',
    ],
    [`${TLS} is valid for cp2, localhost, not kubernetes.default.svc`, 'cert-name'],
    [`${TLS} is not valid for any names, but wanted to match kubernetes.default.svc`, 'cert-name'],
    [`${TLS} is valid for 120 names, but none matched kubernetes.default.svc`, 'cert-name'],
    [`${TLS} relies on legacy Common Name field, use SANs instead`, 'cert-invalid'],
    [
      `${TLS} has expired or is not yet valid: current time 2026-05-05T10:00:00Z is after 2026-01-01T00:00:00Z`,
      'cert-expired',
    ],
    [
      `${TLS} has expired or is not yet valid: current time 2026-05-05T10:00:00Z is before 2027-01-01T00:00:00Z`,
      'cert-expired',
    ],
    [`${TLS} specifies an incompatible key usage`, 'cert-invalid'],
    [`${TLS} is not authorized to sign other certificates`, 'cert-invalid'],
    ['dial tcp 10.0.0.12:6443: connect: connection refused', 'refused'],
    ['dial tcp 10.0.0.12:6443: i/o timeout', 'timeout'],
    ['dial tcp 10.0.0.12:6443: connect: no route to host', 'no-route'],
    ['dial tcp [2001:db8::2]:6443: connect: network is unreachable', 'no-route'],
    ['dial tcp: lookup cp2.shop on 10.0.0.2:53: no such host', 'unknown-host'],
    ['dial tcp: lookup cp2.shop: no such host', 'unknown-host'],
    ['dial tcp: address 99999: invalid port', 'invalid-address'],
    ['net/http: TLS handshake timeout', 'timeout'],
    ['EOF', 'connection-lost'],
    ['unexpected EOF', 'connection-lost'],
    ['read tcp 10.0.0.11:40000->10.0.0.12:6443: read: connection reset by peer', 'connection-lost'],
    ['write tcp 10.0.0.11:40000->10.0.0.12:6443: write: broken pipe', 'connection-lost'],
    ['http: server closed idle connection', 'connection-lost'],
    ['http: server gave HTTP response to HTTPS client', 'cert-invalid'],
    ['tls: first record does not look like a TLS handshake', 'cert-invalid'],
    ['http2: client connection lost', 'connection-lost'],
    [
      'http2: server sent GOAWAY and closed the connection; LastStreamID=19, ErrCode=NO_ERROR, debug=""',
      'connection-lost',
    ],
    [
      "http2: Transport: cannot retry err [http2: Transport received Server's graceful shutdown GOAWAY] after Request.Body was written; define Request.GetBody to avoid this error",
      'connection-lost',
    ],
    ['context canceled', 'canceled'],
    ['context deadline exceeded', 'timeout'],
    ['proxyconnect tcp: dial tcp 10.0.0.99:3128: connect: connection refused', 'via-proxy'],
    ['proxyconnect tcp: dial tcp: lookup proxy.shop: no such host', 'via-proxy'],
    ['remote error: tls: handshake failure', 'cert-invalid'],
    ['missing port in address', 'no-endpoint'],
    ['address 10.0.0.12: missing port in address', 'no-endpoint'],
    ['address 2001:db8::2:6443: too many colons in address', 'invalid-address'],
    ['discovery request failed with status: 401', 'unauthorized'],
    ['discovery request failed with status: 403', 'forbidden'],
    ['discovery request failed with status: 503', 'unknown'],
    ['', 'unknown'],
  ])('of "%s" is %s', (error, cause) => {
    expect(causeOf(error)).toBe(cause);
    expect(causeOf(`error trying to reach service: ${error}`)).toBe(cause);
  });
});

describe('addressOf', () => {
  test.each([
    ['dial tcp 10.0.0.12:6443: i/o timeout', '10.0.0.12:6443'],
    ['error trying to reach service: dial tcp [2001:db8::2]:6443: connect: connection refused', '[2001:db8::2]:6443'],
    ['dial tcp: lookup cp2: no such host', ''],
    ['proxyconnect tcp: dial tcp 10.0.0.99:3128: connect: connection refused', ''],
    ['EOF', ''],
  ])('in "%s" is "%s"', (error, address) => {
    expect(addressOf(error)).toBe(address);
  });
});
