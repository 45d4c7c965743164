/** Who is at fault when a certificate is not accepted while others stay connected. */
import { describe, expect, test } from '@jest/globals';
import { correlate, failsToLearn, inputsOf, learns, MIN, observe, only, SEC, server, T0 } from '../kit.js';

const UNTRUSTED = 'tls: failed to verify certificate: x509: certificate signed by unknown authority';
const END = T0 + 6 * MIN;
const RESTART = T0 + 3 * MIN;

/** Three servers that know each other; then cp3 restarts, accepts cp1, and does not accept cp2. */
function restarted({ knewBefore = true } = {}) {
  const [cp1, cp2, cp3] = [server('cp1'), server('cp2'), server('cp3')];
  cp1.boots(T0, { until: END });
  cp2.boots(T0 + SEC, { until: END });
  cp3.boots(T0 + 2 * SEC, { until: RESTART - 20 * SEC });
  for (const [source, destination] of [
    [cp1, cp2],
    [cp1, cp3],
    [cp2, cp1],
    [cp2, cp3],
    [cp3, cp1],
    ...(knewBefore ? ([[cp3, cp2]] as const) : []),
  ] as const)
    learns(source, destination, T0 + 20 * SEC);
  cp3.stops(RESTART - 18 * SEC).boots(RESTART, { until: END });
  for (let n = 0; n < 5; n += 1) {
    const at = RESTART + 5 * SEC + n * 10 * SEC;
    learns(cp3, cp1, at);
    failsToLearn(cp3, cp2, at + SEC, UNTRUSTED);
    learns(cp1, cp3, at + 2 * SEC);
    learns(cp2, cp3, at + 4 * SEC);
    // Over the connection that it made minutes before.
    learns(cp1, cp2, at + 3 * SEC);
  }
  return [cp1, cp2, cp3] as const;
}

const told = (snapshot: ReturnType<typeof observe>) =>
  only(snapshot, 'peer-call-failure').map(({ server: named, blamed, certainty, edges, accepted, older }) => ({
    ...{ named, blamed, certainty },
    calls: edges.map((e) => `${e.source} ${e.destination}`),
    accepted: accepted.map((e) => `${e.source} ${e.destination}`),
    older: older.map((e) => `${e.source} ${e.destination}`),
  }));

describe('a source that accepts another peer with the same file', () => {
  test('and accepted the destination before points to its certificate, which calls over older connections do not clear', () => {
    expect(told(observe(restarted()))).toEqual([
      {
        ...{ named: 'cp2', blamed: 'destination', certainty: 'likely', calls: ['cp3 cp2'] },
        accepted: ['cp3 cp1'],
        older: ['cp1 cp2'],
      },
    ]);
  });

  test('does so in any order of the inputs', () => {
    const inputs = inputsOf(restarted());
    for (let turn = 1; turn < inputs.length; turn += 1)
      expect(told(correlate([...inputs.slice(turn), ...inputs.slice(0, turn)]))).toEqual(told(correlate(inputs)));
  });

  test('and never accepted the destination leaves open which end is wrong', () => {
    expect(told(observe(restarted({ knewBefore: false })))).toMatchObject([
      { named: null, blamed: 'either', calls: ['cp3 cp2'], accepted: ['cp3 cp1'], older: ['cp1 cp2'] },
    ]);
  });

  test('is not named where audit logs alone show that it does not ask the destination', () => {
    const gaps = only(observe(restarted({ knewBefore: false }), 'audit'), 'peer-discovery-gap');
    expect(gaps.map(({ server: named, edges }) => [named, edges])).toEqual([
      [null, [{ source: 'cp3', destination: 'cp2' }]],
    ]);
  });

  test('has itself a file that lacks a CA, if another one has connected to the destination since', () => {
    const [cp1, cp2, cp3] = restarted();
    cp1.dies(RESTART + MIN).boots(RESTART + 70 * SEC, { until: END });
    learns(cp1, cp2, RESTART + 80 * SEC);
    learns(cp1, cp3, RESTART + 81 * SEC);
    expect(told(observe([cp1, cp2, cp3]))).toMatchObject([
      { named: 'cp3', blamed: 'source', calls: ['cp3 cp2'], older: [] },
    ]);
  });
});

test('a source that accepts nobody in this boot is at fault, though it accepted all in the boot before', () => {
  const [cp1, cp2, cp3] = [server('cp1'), server('cp2'), server('cp3')];
  cp1.boots(T0, { until: END });
  cp2.boots(T0 + SEC, { until: END });
  cp3.boots(T0 + 2 * SEC, { until: RESTART - 20 * SEC });
  for (const source of [cp1, cp2, cp3])
    for (const destination of [cp1, cp2, cp3]) if (source !== destination) learns(source, destination, T0 + 20 * SEC);
  cp3.stops(RESTART - 18 * SEC).boots(RESTART, { until: END });
  failsToLearn(cp3, cp1, RESTART + 20 * SEC, UNTRUSTED);
  failsToLearn(cp3, cp2, RESTART + 21 * SEC, UNTRUSTED);
  expect(told(observe([cp1, cp2, cp3]))).toMatchObject([
    { named: 'cp3', blamed: 'source', certainty: 'certain', calls: ['cp3 cp1', 'cp3 cp2'] },
  ]);
});
