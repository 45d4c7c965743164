import { expect, test } from '@jest/globals';
import { RejectedCertificates } from '../../../src/correlate/peers/rejected-certificates.js';
import { Writers } from '../../../src/correlate/writer.js';
import { decode, logLines, refOf, SEC, server, T0 } from '../kit.js';

const EXPIRED = 'x509: certificate has expired or is not yet valid: current time';

function taken(errors: readonly string[]) {
  const cp1 = server('cp1');
  for (const [at, error] of errors.entries())
    cp1.says(
      T0 + at * SEC,
      'E',
      'authentication.go',
      `"Unable to authenticate the request" err=${JSON.stringify(error)}`,
    );
  const { current: life } = new Writers().of(refOf('cp1-kube-apiserver.log'));
  const book = new RejectedCertificates();
  for (const line of logLines(cp1.log)) {
    const rejection = book.read(line);
    if (rejection !== undefined) book.take(line, rejection, life);
  }
  return [...book.of(life)].map(([, certificate]) => certificate);
}

test('lines of one certificate are put together, whatever time they name', () => {
  const found = taken(
    ['05', '06', '07'].map((day) => `${EXPIRED} 2026-05-${day}T10:00:00Z is after 2026-05-01T00:00:00Z`),
  );
  expect(found).toHaveLength(1);
  expect(found[0]?.at.list()).toEqual([T0, T0 + SEC, T0 + 2 * SEC]);
});

test('a line in JSON is read as well', () => {
  const text = JSON.stringify({
    ts: T0 / 1000,
    caller: 'filters/authentication.go:75',
    msg: 'Unable to authenticate the request',
    err: '[x509: subject with cn=a is not in the allowed list, verifying certificate SN=1 failed: x509: certificate signed by unknown authority]',
  });
  const [line] = decode(`${text}\n`, refOf('cp1-kube-apiserver.log'));
  if (line?.type !== 'log') throw new Error('no line');
  expect(new RejectedCertificates().read(line)).toMatchObject({ reason: 'name-not-allowed', name: 'a' });
});

test('other lines are left alone, and so are more certificates than can be told apart', () => {
  expect(taken(['invalid bearer token'])).toEqual([]);
  expect(
    taken(Array.from({ length: 100 }, (_, at) => `x509: subject with cn=n${at} is not in the allowed list`)),
  ).toHaveLength(32);
});
