import { expect, test } from '@jest/globals';
import { PassedOn } from '../../../src/correlate/serving/passed-on.js';
import { Writers } from '../../../src/correlate/writer.js';
import { calls, logLines, refOf, SEC, server, T0 } from '../kit.js';

test('call lines are kept by life and resource, and every address that was dialled', () => {
  const [cp1, cp2] = [server('cp1'), server('cp2')];
  calls(cp1, cp2, T0, '/apis/batch/v1/namespaces/shop/jobs/x');
  calls(cp1, cp2, T0 + SEC, '/apis/batch/v1/jobs');
  calls(cp1, server('cp3'), T0 + SEC, '/apis', '');
  cp1.says(T0 + SEC, 'I', 'peerproxy_handler.go', 'Proxying nothing');
  const passedOn = new PassedOn();
  const writers = new Writers();
  const [life, other] = [writers.of(refOf('cp1.log')).current, writers.of(refOf('cp2.log', 1)).current];
  for (const line of logLines(cp1.log)) passedOn.take(line, life);
  const times = passedOn.of(life, 'jobs.batch/v1');
  expect([times?.total, times?.first, times?.last]).toEqual([2, T0, T0 + SEC]);
  expect(passedOn.of(other, 'jobs.batch/v1')).toBeUndefined();
  expect([...passedOn.dialled()].map(({ address }) => address)).toEqual(['10.0.0.12:6443', '10.0.0.13:6443']);
});

test('resources beyond the limit are counted, not kept', () => {
  const [cp1, cp2] = [server('cp1'), server('cp2')];
  calls(cp1, cp2, T0, '/apis/batch/v1/jobs');
  const [line] = logLines(cp1.log);
  if (line === undefined) throw new Error('no line');
  const life = new Writers().of(refOf('cp1.log')).current;
  const passedOn = new PassedOn();
  for (let n = 0; n <= 20_000; n += 1)
    passedOn.take({ ...line, message: line.message.replace('/jobs', `/jobs${n}`) }, life);
  expect(passedOn.overflow).toBe(1);
  expect([...passedOn.dialled()]).toHaveLength(1);
});
