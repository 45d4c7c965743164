import { describe, expect, it } from '@jest/globals';
import type { OutputBatch } from '../../src/outputs/index.js';
import { Judging, judged } from '../../src/service/judging.js';
import { analysis, finding, request } from '../outputs/otlp/examples.js';
import { ToldOutputs } from './told.js';

function judging() {
  const outputs = new ToldOutputs();
  const heard: OutputBatch[] = [];
  return { outputs, heard, subject: new Judging(outputs, (batch) => heard.push(batch)) };
}

const kinds = ({ changes }: OutputBatch) => changes.map(({ kind }) => kind);

describe('judging', () => {
  it('tells what has changed since the last time, and requests once', () => {
    const { outputs, heard, subject } = judging();
    subject.addRequests([request(), request()]);
    subject.tell(analysis({ findings: [finding()] }), false);
    subject.tell(analysis({ findings: [finding()] }), false);
    subject.tell(analysis({ findings: [] }), true);
    expect(outputs.batches.map(kinds)).toEqual([['opened'], [], ['resolved']]);
    expect(outputs.batches.map(({ requests }) => requests.length)).toEqual([2, 0, 0]);
    expect(outputs.batches.map(({ complete }) => complete)).toEqual([undefined, undefined, true]);
    expect(heard).toEqual(outputs.batches);
    expect(subject.last?.findings).toEqual([]);
  });

  it('tells requests alone without a word about findings', () => {
    const { outputs, subject } = judging();
    subject.tell(analysis({ findings: [finding()] }), true);
    subject.addRequests(Array.from({ length: 5_000 }, () => request()));
    expect(subject.hasManyRequests).toBe(true);
    subject.tellRequests(analysis({ findings: [] }));
    expect(subject.hasManyRequests).toBe(false);
    const last = outputs.batches.at(-1);
    expect(last).toMatchObject({ changes: [], findings: [expect.anything()] });
    expect(last?.complete).toBeUndefined();
    expect(last?.requests).toHaveLength(5_000);
  });

  it('resolves nothing by beginning anew, and tells all once more to who is new', () => {
    const { outputs, subject } = judging();
    subject.tell(analysis({ findings: [finding()] }), true);
    subject.addRequests([request()]);
    subject.reset();
    subject.tell(analysis({ findings: [] }), false);
    expect(outputs.batches.slice(1)).toMatchObject([{ changes: [], requests: [], anew: true }]);
    subject.tell(analysis({ findings: [finding()] }), true);
    subject.tellAnew();
    subject.tell(analysis({ findings: [finding()] }), true);
    expect(outputs.batches.slice(2).map(kinds)).toEqual([['opened'], ['opened']]);
  });

  it('keeps of what was told what is still its own when it begins anew, and ends none of it', () => {
    const { outputs, subject } = judging();
    const both = [finding({ cluster: 'blue' }), finding({ cluster: 'green', fingerprint: 'other' })];
    subject.tell(analysis({ findings: both, clusters: ['blue', 'green'] }), true);
    subject.reset(() => true);
    expect(outputs.batches).toHaveLength(1);
    subject.reset((cluster) => cluster === 'blue');
    expect(outputs.batches.slice(1)).toMatchObject([{ changes: [], findings: [{ cluster: 'blue' }] }]);
    expect(subject.last?.findings).toHaveLength(1);
    expect(outputs.batches[1]?.complete).toBeUndefined();
    subject.reset(() => false);
    expect(subject.last).toBeUndefined();
    expect(outputs.batches[2]).toMatchObject({ changes: [], findings: [], analysis: { servers: [] } });
  });

  it('does not show a cluster that is well either when it is no longer its own', () => {
    const { subject } = judging();
    subject.tell(analysis({ findings: [], clusters: ['blue'] }), true);
    subject.reset((cluster) => cluster === 'blue');
    expect(subject.last?.clusters).toEqual(['blue']);
    subject.reset(() => false);
    expect(subject.last).toBeUndefined();
  });

  it('that fails says of which time, and keeps the reason', () => {
    const cause = new TypeError('x is not a function');
    const fails = () => {
      throw cause;
    };
    const span = { fromUs: 1_767_323_045_000_000, toUs: 1_767_323_105_000_000 };
    expect(() => judged(span, fails)).toThrow(
      expect.objectContaining({
        message: expect.stringMatching(/^judging 2026-01-02T03:04:05.* to .*: x is not/),
        cause,
      }),
    );
    expect(() => judged(undefined, fails)).toThrow(/^judging what was read: x is not a function/);
    expect(judged(span, () => 7)).toBe(7);
  });
});
