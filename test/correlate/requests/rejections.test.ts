/** A rejected watch is one answer, whichever of its stages the policy keeps. */
import { describe, expect, test } from '@jest/globals';
import { Rejections } from '../../../src/correlate/requests/rejections.js';
import { events, MIN, MS, observe, server, T0 } from '../kit.js';

const WATCH = { verb: 'watch', uri: '/apis/batch/v1/jobs?watch=true', code: 404, auditID: 'a' };

describe('an answer is repeated', () => {
  const answers = (stages: string) =>
    events(server('cp1').request(T0, { ...WATCH, stages }).audit).filter((event) => event.stage !== 'RequestReceived');

  test('when it ends what began with an error, and the other way round', () => {
    const all = answers('RSC');
    const [forth, back] = [new Rejections(), new Rejections()];
    expect(all.map((event) => forth.isRepeated(event))).toEqual([false, true]);
    expect([...all].reverse().map((event) => back.isRepeated(event))).toEqual([false, true]);
  });

  test('not when it is of another request', () => {
    const rejections = new Rejections();
    const second = events(server('cp1').request(T0 + 5 * MS, { ...WATCH, stages: 'RSC' }).audit).slice(1);
    expect([...answers('RSC'), ...second].map((event) => rejections.isRepeated(event))).toEqual([
      false,
      true,
      false,
      true,
    ]);
  });

  test('while not too many others came between', () => {
    const rejections = new Rejections();
    const [started, done] = answers('RSC');
    if (started === undefined || done === undefined) throw new Error('no events');
    rejections.isRepeated(started);
    for (let other = 1; other <= 5_000; other += 1) rejections.isRepeated({ ...started, receivedUs: other });
    expect(rejections.isRepeated(done)).toBe(false);
  });
});

test.each(['RSC', 'SC', 'S', 'C'])('a rejected watch with the stages %s is one 404', (stages) => {
  const cp1 = server('cp1').boots(T0, { until: T0 + 3 * MIN });
  cp1.request(T0 + MIN, { ...WATCH, stages }).request(T0 + MIN + MS, { code: 404 });
  const jobs = observe([cp1]).notFound.filter(({ resource }) => resource === 'jobs.batch/v1');
  expect(jobs.map(({ count }) => count)).toEqual([2]);
});
