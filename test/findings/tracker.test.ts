import { describe, expect, it } from '@jest/globals';
import { FindingTracker } from '../../src/findings/tracker.js';
import type { Finding } from '../../src/model/finding.js';
import { finding as example } from './examples.js';

const finding = (fingerprint: string, changes: Partial<Finding> = {}) =>
  example({ fingerprint, severity: 'warning', ...changes });

const kinds = (tracker: FindingTracker, ...findings: Finding[]) =>
  tracker.update(findings).map(({ kind, finding: { fingerprint } }) => `${kind} ${fingerprint}`);

describe('FindingTracker', () => {
  it('opens, keeps silent, and resolves', () => {
    const tracker = new FindingTracker();
    expect(kinds(tracker, finding('b'), finding('a'))).toEqual(['opened b', 'opened a']);
    expect(kinds(tracker, finding('a'), finding('b'))).toEqual([]);
    expect(kinds(tracker)).toEqual(['resolved a', 'resolved b']);
    expect(kinds(tracker, finding('a'))).toEqual(['opened a']);
  });

  it.each([
    ['severity', { severity: 'critical' }],
    ['confidence', { confidence: 'likely' }],
    ['server', { server: null }],
    ['edges', { edges: [{ source: 'cp1', destination: 'cp3' }] }],
    ['objects', { objects: [{ resource: 'jobs.batch/v1', namespace: 'a', name: 'b' }] }],
  ] as [string, Partial<Finding>][])('updates when the %s changed', (_, changes) => {
    const tracker = new FindingTracker();
    tracker.update([finding('a')]);
    expect(kinds(tracker, finding('a', changes))).toEqual(['updated a']);
    expect(kinds(tracker, finding('a', changes))).toEqual([]);
  });

  it('does not update for a count that falls, and not again when it comes back', () => {
    const tracker = new FindingTracker();
    tracker.update([finding('a', { count: 500 })]);
    const told = [90, 7, 500, 999, 1_000].filter((count) => tracker.update([finding('a', { count })]).length > 0);
    expect(told).toEqual([1_000]);
  });

  it('does not update for time and evidence, nor for a count before it has grown tenfold', () => {
    const tracker = new FindingTracker();
    tracker.update([finding('a', { count: 1 })]);
    const told = [2, 9, 10, 50, 99, 100, 101].filter(
      (count) => tracker.update([finding('a', { count, to: count, cause: `${count}` })]).length > 0,
    );
    expect(told).toEqual([10, 100]);
  });

  it('resolves with the finding as it was last seen', () => {
    const tracker = new FindingTracker();
    tracker.update([finding('a')]);
    tracker.update([finding('a', { to: 77 })]);
    expect(tracker.open().map(({ to }) => to)).toEqual([77]);
    expect(tracker.update([])[0]?.finding.to).toBe(77);
  });

  it('treats suppressed findings as absent', () => {
    let quiet = true;
    const tracker = new FindingTracker({ suppress: ({ rule }) => quiet && rule === 'peer-ca-untrusted' });
    expect(kinds(tracker, finding('a'))).toEqual([]);
    quiet = false;
    expect(kinds(tracker, finding('a'))).toEqual(['opened a']);
    quiet = true;
    expect(kinds(tracker, finding('a'))).toEqual(['resolved a']);
  });
});
