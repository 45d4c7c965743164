import { describe, expect, test } from '@jest/globals';
import { rejectionOf } from '../../../src/correlate/peers/rejection-reason.js';

const CERTIFICATE = 'verifying certificate SN=1623, SKID=18:36:1A, AKID=FB:A1:F7 failed:';
const UNKNOWN = 'x509: certificate signed by unknown authority';

describe('the reason is', () => {
  test.each([
    [
      'the name',
      `[x509: subject with cn=aggregator is not in the allowed list, ${CERTIFICATE} ${UNKNOWN}]`,
      {
        reason: 'name-not-allowed',
        name: 'aggregator',
        error: 'x509: subject with cn=aggregator is not in the allowed list',
      },
    ],
    [
      'the name, without a CA of clients',
      'x509: subject with cn=a, b is not in the allowed list',
      { reason: 'name-not-allowed', name: 'a, b' },
    ],
    ['the CA', `[${UNKNOWN}, ${CERTIFICATE} ${UNKNOWN}]`, { reason: 'ca-unknown', name: '', error: UNKNOWN }],
    [
      'the CA, where another one has its name and has expired',
      `[${UNKNOWN} (possibly because of "x509: certificate has expired or is not yet valid" while trying to verify candidate authority certificate "front-proxy-ca"), ${CERTIFICATE} ${UNKNOWN}]`,
      { reason: 'ca-unknown' },
    ],
    ['the CA, without a CA of clients', UNKNOWN, { reason: 'ca-unknown', error: UNKNOWN }],
    ['that nothing is there to accept it', `${CERTIFICATE} ${UNKNOWN}`, { reason: 'not-configured' }],
    [
      'its age',
      `[x509: certificate has expired or is not yet valid: current time 2026-05-05T10:00:00Z is after 2026-05-01T00:00:00Z, ${CERTIFICATE} x509: certificate has expired or is not yet valid: current time 2026-05-05T10:00:00Z is after 2026-05-01T00:00:00Z]`,
      { reason: 'expired' },
    ],
    [
      'that it is not valid yet',
      `[x509: certificate has expired or is not yet valid: current time 2026-05-05T10:00:00Z is before 2026-05-06T00:00:00Z, ${CERTIFICATE} ${UNKNOWN}]`,
      { reason: 'not-yet-valid' },
    ],
    [
      'its usage',
      `[x509: certificate specifies an incompatible key usage, ${CERTIFICATE} ${UNKNOWN}]`,
      { reason: 'wrong-usage' },
    ],
    ['another', `[x509: unhandled critical extension, ${CERTIFICATE} ${UNKNOWN}]`, { reason: 'other' }],
  ])('%s', (_, error, expected) => {
    expect(rejectionOf(error)).toMatchObject(expected);
  });
});

test('tokens and other errors are no certificates of peers', () => {
  for (const error of ['', 'invalid bearer token', `[${UNKNOWN}, invalid bearer token]`, 'context canceled'])
    expect(rejectionOf(error)).toBeUndefined();
});

test('hostile text is cut', () => {
  const found = rejectionOf(`[x509: subject with cn=${'a'.repeat(5000)} is not in the allowed list, ${CERTIFICATE} x]`);
  expect(found?.name).toHaveLength(100);
  expect(found?.error).toHaveLength(400);
});
