import { describe, expect, it } from '@jest/globals';
import { isOneTooMany, ServiceInputs } from '../../src/service/inputs.js';
import { EARLY } from '../../src/service/slots.js';

const sender = (server: string, cluster = '') => ({ server, cluster });

describe('the inputs of the service', () => {
  it('are one for each server of a topic, and one for each partition where nobody says who wrote it', () => {
    const inputs = new ServiceInputs(undefined);
    const cp1 = inputs.of('audit', 0, sender('cp1'));
    expect(inputs.of('audit', 2, sender('cp1'))).toBe(cp1);
    expect(cp1.ref).toMatchObject({ name: 'audit', writer: 'cp1', partitioned: true });
    expect(inputs.of('audit', 0, sender('cp2'))).not.toBe(cp1);
    const nobody = inputs.of('audit', 1, sender(''));
    expect(nobody.ref).toMatchObject({ name: 'audit/1', kind: 'kafka' });
    expect(nobody.ref.writer).toBeUndefined();
    expect(inputs.of('audit', 2, sender(''))).not.toBe(nobody);
  });

  it('are of the cluster that the message names, else of the configured one', () => {
    const inputs = new ServiceInputs('prod');
    expect(inputs.of('audit', 0, sender('cp1')).ref.cluster).toBe('prod');
    expect(inputs.of('audit', 0, sender('cp1', 'test')).ref.cluster).toBe('test');
    expect(new ServiceInputs(undefined).of('audit', 0, sender('cp1')).ref.cluster).toBeUndefined();
  });

  it('are bounded, whatever names messages make up', () => {
    const inputs = new ServiceInputs(undefined);
    const refs = new Set<number>();
    let tooMany = 0;
    for (let at = 0; at < 10_000; at += 1) {
      const made = sender(`made-up-${at}`, `c${at}`);
      const input = inputs.of('audit', at % 3, made);
      refs.add(input.ref.id);
      if (isOneTooMany(made, input)) tooMany += 1;
    }
    expect(refs.size).toBeLessThanOrEqual(4_100);
    expect(tooMany).toBe(8_000);
    expect(isOneTooMany(sender(''), inputs.of('audit', 0, sender('')))).toBe(false);
    // Who was known before still is.
    expect(inputs.of('audit', 0, sender('made-up-1', 'c1')).ref.writer).toBe('made-up-1');
  });

  it('tell each window what belongs to it, and the first what came before any time was known', () => {
    const inputs = new ServiceInputs(undefined);
    const input = inputs.of('audit', 0, sender('cp1'));
    input.problem(EARLY, 'not-json');
    input.count(10, 1, 100);
    input.count(11, 2, 200);
    input.problem(11, 'late');
    input.problem(11, 'late');
    input.count(12, 4, 400);
    expect(inputs.accounts(10)).toEqual([
      expect.objectContaining({
        records: 3,
        bytes: 300,
        problems: new Map([
          ['not-json', 1],
          ['late', 2],
        ]),
      }),
    ]);
    inputs.forgetBelow(11);
    expect(inputs.accounts(11)).toEqual([
      expect.objectContaining({ records: 6, bytes: 600, problems: new Map([['late', 2]]) }),
    ]);
    expect(inputs.accounts(20)).toEqual([]);
  });

  it('count on after something was forgotten', () => {
    const input = new ServiceInputs(undefined).of('audit', 0, sender('cp1'));
    input.count(5, 1, 1);
    input.forgetBelow(6);
    input.count(5, 1, 1);
    expect(input.account(5).records).toBe(1);
  });
});
