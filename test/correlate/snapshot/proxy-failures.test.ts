/** Requests that a source could not pass on, as few logs of it as there may be. */
import { expect, test } from '@jest/globals';
import { callError, calls, correlate, inputsOf, MIN, MS, observe, only, SEC, server, T0 } from '../kit.js';

const REFUSED = 'dial tcp 10.0.0.12:6443: connect: connection refused';
const PATH = '/apis/batch/v1/namespaces/shop/jobs';

/** cp1 passes a list of jobs on to cp2, which is down; its policy may leave the request out. */
function lonely(recorded = true) {
  const [cp1, cp2] = [server('cp1').boots(T0, { until: T0 + 3 * MIN }), server('cp2')];
  for (const at of [T0 + MIN, T0 + MIN + 5 * SEC]) {
    calls(cp1, cp2, at, PATH);
    callError(cp1, at + 2 * MS, REFUSED);
    if (recorded) cp1.request(at, { code: 503, takes: 5 * MS });
  }
  return cp1;
}

const failures = (snapshot: ReturnType<typeof observe>) =>
  only(snapshot, 'proxy-failure').map(({ server: source, cause, count }) => [source, cause, count]);

test('the audit log of the only server known adds to what its process log says, and takes nothing away', () => {
  const cp1 = lonely();
  expect(failures(observe([cp1], 'log'))).toEqual([['cp1', 'refused', 2]]);
  expect(failures(observe([cp1]))).toEqual([['cp1', 'refused', 2]]);
  expect(observe([cp1]).proxied.failed).toBe(2);
});

test('so does an audit log whose policy leaves these requests out', () => {
  expect(failures(observe([lonely(false)]))).toEqual([['cp1', 'refused', 2]]);
});

test('an error of a request that nobody dialled for is no request to a server without a name', () => {
  const cp1 = server('cp1').boots(T0, { until: T0 + 3 * MIN });
  callError(cp1, T0 + MIN, 'http2: client connection lost');
  const snapshot = correlate(inputsOf([cp1]));
  expect(only(snapshot, 'proxy-failure').map(({ edges }) => edges)).toEqual([[]]);
});
