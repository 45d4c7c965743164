/** Failed answers one by one, and what came in beside them. */
import { describe, expect, test } from '@jest/globals';
import { FailedAnswers } from '../../../src/correlate/peers/failed-answers.js';
import { Writers } from '../../../src/correlate/writer.js';
import { events, MS, refOf, SEC, server, T0 } from '../kit.js';

const PATH = '/apis/batch/v1/namespaces/shop/jobs';
const NO_ENDPOINT = {
  metadata: {},
  status: 'Failure',
  message: 'Error getting ip and port info of the remote server while proxying',
  reason: 'ServiceUnavailable',
  code: 503,
};

function taken(requests: (cp1: ReturnType<typeof server>) => void) {
  const cp1 = server('cp1');
  requests(cp1);
  const life = new Writers().of(refOf('cp1-audit.log')).current;
  const answers = new FailedAnswers();
  for (const event of events(cp1.audit)) if (event.stage !== 'RequestReceived') answers.take(event, life, 1);
  return { answers, list: answers.of(life) };
}

describe('failed answers', () => {
  test('are those of the forms that a failed hop leaves, with exact times and the path as call lines have it', () => {
    const { list } = taken((cp1) => {
      cp1.request(T0, { uri: `${PATH}/a%3Ab?limit=5`, code: 503, takes: 20 * SEC });
      cp1.request(T0 + SEC, { uri: PATH, status: NO_ENDPOINT, takes: MS });
      cp1.request(T0 + 2 * SEC, { uri: PATH, code: 404 });
      cp1.request(T0 + 3 * SEC, { uri: PATH, status: { ...NO_ENDPOINT, message: 'etcdserver: request timed out' } });
    });
    expect(list).toMatchObject([
      { path: PATH, receivedUs: T0 + SEC, doneUs: T0 + SEC + MS, endpointMissing: true },
      { path: `${PATH}/a:b`, receivedUs: T0, doneUs: T0 + 20 * SEC, endpointMissing: false },
    ]);
  });

  test('make requests of the same path and time known as their neighbours', () => {
    const { answers } = taken((cp1) => cp1.request(T0, { uri: `${PATH}?limit=5`, code: 503 }));
    expect(answers.besideOf(`${PATH}?watch=true`, T0 + 900 * MS)).toBe(PATH);
    expect(answers.besideOf(`${PATH}/other`, T0)).toBeUndefined();
    expect(answers.besideOf(PATH, T0 + 10 * SEC)).toBeUndefined();
  });

  test('are bounded', () => {
    const { list } = taken((cp1) => {
      for (let n = 0; n < 2_100; n += 1) cp1.request(T0 + n * MS, { uri: PATH, code: 503, takes: 1 });
    });
    expect(list).toHaveLength(2_000);
  });
});
