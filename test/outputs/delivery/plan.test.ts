import { beforeEach, describe, expect, test } from '@jest/globals';
import { Ledger } from '../../../src/outputs/delivery/ledger.js';
import type { Notice } from '../../../src/outputs/delivery/notice.js';
import { MAX_MEMBERS, type PlanOptions, planNotices, reminders } from '../../../src/outputs/delivery/plan.js';
import { batch, finding, findings } from './examples.js';

const options: PlanOptions = { minSeverity: 'info', group: 'finding', storm: { limit: 100, windowMs: 60_000 } };
const byCause: PlanOptions = { ...options, group: 'cause' };
const NOW = Date.UTC(2026, 0, 5, 12);
let ledger: Ledger;
beforeEach(() => {
  ledger = new Ledger();
});

function plan(given: ReturnType<typeof batch>, over: PlanOptions = options, now = NOW) {
  const { notices, known } = planNotices(given.changes, given.findings, ledger, over, now);
  return { notices, known: known.length };
}

/** The same state as an earlier process would have left it. */
function restarted(): Ledger {
  const again = new Ledger();
  for (const entry of ledger.entries()) again.apply(entry, true);
  return again;
}

function shape({ kind, counter, total, scope }: Notice) {
  return { kind, counter, total, scope };
}

describe('each finding by itself', () => {
  test('its life: opened, updated, resolved, opened again; each state counted', () => {
    const [one] = findings(1);
    const worse = finding({ ...one, confidence: 'possible' });
    const kinds = [
      batch('opened', findings(1)),
      batch('updated', [worse]),
      batch('resolved', [worse]),
      batch('opened', findings(1)),
    ].map((given) => plan(given).notices.map(shape));
    expect(kinds.flat()).toEqual([
      { kind: 'opened', counter: 1, total: 1, scope: 'finding' },
      { kind: 'updated', counter: 2, total: 1, scope: 'finding' },
      { kind: 'resolved', counter: 3, total: 1, scope: 'finding' },
      { kind: 'opened', counter: 4, total: 1, scope: 'finding' },
    ]);
  });

  test('the key is the fingerprint', () => {
    expect(plan(batch('opened', [finding()])).notices[0]?.key).toBe(finding().fingerprint);
  });

  test('what was told is not told again: neither the same, nor going back to a former state', () => {
    const before = finding({ confidence: 'possible' });
    plan(batch('opened', [before]));
    plan(batch('updated', [finding()]));
    expect(plan(batch('updated', [before]))).toEqual({ notices: [], known: 1 });
    expect(plan(batch('updated', [finding({ count: 1_000_000, summary: 'other words' })]))).toEqual({
      notices: [],
      known: 1,
    });
  });

  test('what was never told is not resolved', () => {
    expect(plan(batch('resolved', [finding()]))).toEqual({ notices: [], known: 0 });
  });

  test('what came and went between two batches is told as both', () => {
    const given = { ...batch('opened', [finding()]), findings: [] };
    const changes = [...given.changes, { kind: 'resolved' as const, finding: finding() }];
    expect(plan({ ...given, changes }).notices.map(({ kind }) => kind)).toEqual(['opened', 'resolved']);
  });
});

describe('severity', () => {
  const critical: PlanOptions = { ...options, minSeverity: 'critical' };

  test('findings below are left out until they rise, and stay told when they fall', () => {
    const mild = finding({ severity: 'warning' });
    expect(plan(batch('opened', [mild]), critical)).toEqual({ notices: [], known: 0 });
    expect(plan(batch('updated', [finding()]), critical).notices.map(({ kind }) => kind)).toEqual(['opened']);
    expect(plan(batch('updated', [mild]), critical).notices.map(({ kind }) => kind)).toEqual(['updated']);
    expect(plan(batch('resolved', [mild]), critical).notices.map(({ kind }) => kind)).toEqual(['resolved']);
  });
});

describe('all of one cause together', () => {
  test('a broken CA on every path of five servers is one incident, not twenty', () => {
    const edges = findings(20);
    const { notices } = plan(batch('opened', edges), byCause);
    expect(notices.map(shape)).toEqual([{ kind: 'opened', counter: 1, total: 20, scope: 'cause' }]);
    expect(plan(batch('resolved', edges), byCause).notices.map(shape)).toEqual([
      { kind: 'resolved', counter: 2, total: 20, scope: 'cause' },
    ]);
  });

  test('members that come and go update it; the last one resolves it', () => {
    const [a, b] = findings(2);
    if (a === undefined || b === undefined) throw new Error('two findings');
    const all = [
      plan(batch('opened', [a]), byCause),
      plan(batch('opened', [b], [a, b]), byCause),
      plan(batch('resolved', [a], [b]), byCause),
      plan(batch('resolved', [b]), byCause),
    ].flatMap(({ notices }) => notices);
    expect(all.map(({ kind, total }) => [kind, total])).toEqual([
      ['opened', 1],
      ['updated', 2],
      ['updated', 1],
      ['resolved', 1],
    ]);
    expect(new Set(all.map(({ key }) => key)).size).toBe(1);
    expect(all[2]?.findings.map(({ server }) => server)).toEqual(['cp1']);
  });

  test('clusters and rules are kept apart', () => {
    const mixed = findings(4, (at) => ({ cluster: at < 2 ? 'a' : 'b', rule: at % 2 === 0 ? 'x' : 'y' }));
    expect(plan(batch('opened', mixed), byCause).notices.length).toBe(4);
  });

  test('members quoted are bounded, worst first; all are counted', () => {
    const many = findings(500, (at) => ({ severity: at === 499 ? 'critical' : 'info' }));
    const [notice] = plan(batch('opened', many), byCause).notices;
    expect(notice?.findings.length).toBe(MAX_MEMBERS);
    expect(notice?.findings[0]?.server).toBe('cp499');
    expect(notice?.total).toBe(500);
  });
});

describe('a storm', () => {
  const storm: PlanOptions = { ...options, storm: { limit: 3, windowMs: 60_000 } };

  test('is told as the first incidents, worst first, and one that says how many more there are', () => {
    const many = findings(10, (at) => ({ severity: at === 9 ? 'critical' : 'info' }));
    const { notices } = plan(batch('opened', many), storm);
    expect(notices.map(({ scope, total, limit }) => [scope, total, limit])).toEqual([
      ['finding', 1, undefined],
      ['finding', 1, undefined],
      ['finding', 1, undefined],
      ['storm', 7, 3],
    ]);
    expect(notices[0]?.findings[0]?.server).toBe('cp9');
  });

  test('goes on in the same summary, and ends when all in it has ended', () => {
    const many = findings(10);
    const folded = plan(batch('opened', many.slice(0, 6)), storm).notices.at(-1);
    const more = plan(batch('opened', many.slice(6), many), storm).notices;
    expect(more.map(({ key, kind, total }) => [key, kind, total])).toEqual([[folded?.key, 'updated', 7]]);
    const ended = plan(batch('resolved', many), storm).notices;
    expect(ended.map(({ kind }) => kind)).toEqual(['resolved', 'resolved', 'resolved', 'resolved']);
    expect(ended.at(-1)?.key).toBe(folded?.key);
  });

  test('is over after the window', () => {
    plan(batch('opened', findings(10)), storm);
    const later = findings(1, () => ({ fingerprint: 'later' }));
    expect(plan(batch('opened', later), storm, NOW + 60_001).notices[0]?.scope).toBe('finding');
  });

  test('does not stop news of incidents that were told', () => {
    const many = findings(10);
    plan(batch('opened', many), storm);
    const [worse] = findings(1, () => ({ confidence: 'possible' }));
    if (worse === undefined) throw new Error('one finding');
    expect(plan(batch('updated', [worse], many), storm).notices.map(shape)).toEqual([
      { kind: 'updated', counter: 2, total: 1, scope: 'finding' },
    ]);
  });
});

describe('after a restart', () => {
  test('the same findings are known, also when they are read step by step', () => {
    const part = finding({ edges: [] });
    plan(batch('opened', [part]));
    plan(batch('updated', [finding()]));
    ledger = restarted();
    expect(plan(batch('opened', [part]))).toEqual({ notices: [], known: 1 });
    expect(plan(batch('updated', [finding()]))).toEqual({ notices: [], known: 1 });
  });

  test('what was resolved is no recurrence until there is newer evidence', () => {
    plan(batch('opened', [finding()]));
    plan(batch('resolved', [finding()]));
    ledger = restarted();
    expect(plan(batch('opened', [finding()]))).toEqual({ notices: [], known: 1 });
    expect(plan(batch('resolved', [finding()]))).toEqual({ notices: [], known: 1 });
    const again = finding({ to: finding().to + 1 });
    expect(plan(batch('opened', [again])).notices.map(shape)).toEqual([
      { kind: 'opened', counter: 3, total: 1, scope: 'finding' },
    ]);
  });

  test('a spell that ended before the one that goes on ends nothing', () => {
    const again = finding({ to: finding().to + 1 });
    for (const given of [batch('opened', [finding()]), batch('resolved', [finding()]), batch('opened', [again])]) {
      plan(given);
    }
    ledger = restarted();
    expect(plan(batch('opened', [finding()]))).toEqual({ notices: [], known: 1 });
    expect(plan(batch('resolved', [finding()]))).toEqual({ notices: [], known: 1 });
    expect(plan(batch('opened', [again]))).toEqual({ notices: [], known: 1 });
    expect(plan(batch('resolved', [again])).notices.map(({ kind, counter }) => [kind, counter])).toEqual([
      ['resolved', 4],
    ]);
  });

  test('what goes on can be updated and resolved', () => {
    const [a, b] = findings(2);
    if (a === undefined || b === undefined) throw new Error('two findings');
    plan(batch('opened', [a, b]), byCause);
    ledger = restarted();
    expect(plan(batch('resolved', [a], []), byCause).notices.map(({ kind, total }) => [kind, total])).toEqual([
      ['updated', 1],
    ]);
    expect(plan(batch('resolved', [b]), byCause).notices.map(({ kind, counter }) => [kind, counter])).toEqual([
      ['resolved', 3],
    ]);
  });
});

test('reminders hold what is open and was told, as incidents, and change nothing', () => {
  const [a, b, untold] = findings(3);
  if (a === undefined || b === undefined || untold === undefined) throw new Error('three findings');
  plan(batch('opened', [a, b]), byCause);
  for (let times = 0; times < 2; times++) {
    expect(reminders([a, b, untold], ledger, byCause, NOW).map(shape)).toEqual([
      { kind: 'updated', counter: 1, total: 2, scope: 'cause' },
    ]);
  }
  plan(batch('resolved', [a, b]), byCause);
  expect(reminders([untold], ledger, byCause, NOW)).toEqual([]);
});

test('the ledger is bounded', () => {
  for (let at = 0; at < 60_000; at++) {
    const told = [{ fingerprint: String(at), state: 'firing' as const, digest: 'd', toUs: at }];
    ledger.apply({ key: String(at), counter: 1, kind: 'opened', atMs: at, told });
  }
  expect(ledger.finding('0')).toBeUndefined();
  expect(ledger.finding('59999')).toBeDefined();
  expect([...ledger.entries()].length).toBe(50_000);
});

describe('when the findings are the whole truth', () => {
  const whole = (open: ReturnType<typeof findings>, over = options) => planNotices([], open, ledger, over, NOW, true);

  test('what an earlier process told as firing, and nobody sees any more, is resolved', () => {
    plan(batch('opened', findings(3)));
    ledger = restarted();
    const [first] = findings(1);
    if (first === undefined) throw new Error('one finding');
    const { notices } = whole([first]);
    expect(notices.map(({ kind, counter, key }) => [kind, counter, key])).toEqual([
      ['resolved', 2, '0000000000000001'],
      ['resolved', 2, '0000000000000002'],
    ]);
    expect(notices[0]?.findings[0]).toMatchObject({
      rule: 'peer-ca-untrusted',
      severity: 'critical',
      server: 'cp1',
      cluster: 'default',
      summary: findings(1)[0]?.summary,
      evidence: [],
    });
    expect(whole([first])).toEqual({ notices: [], known: [] });
  });

  test('so it is of the clusters that are held, where a replica does not hold all', () => {
    const moved = (n: number) => ({ cluster: n === 1 ? 'moved' : 'held' });
    plan(batch('opened', findings(3, moved)));
    ledger = restarted();
    const { notices } = planNotices([], [], ledger, options, NOW, (cluster) => cluster === 'held');
    expect(notices.map(({ cluster }) => cluster)).toEqual(['held', 'held']);
    expect([...ledger.entries()].length).toBe(3);
  });

  test('nothing is resolved before it is', () => {
    plan(batch('opened', findings(3)));
    ledger = restarted();
    expect(planNotices([], [], ledger, options, NOW).notices).toEqual([]);
  });

  test('what is open below the least severity stays as it is', () => {
    plan(batch('opened', findings(1)));
    ledger = restarted();
    const milder = findings(1, () => ({ severity: 'info' }));
    expect(whole(milder, { ...options, minSeverity: 'critical' }).notices).toEqual([]);
  });

  test('what ends in the same batch is told once', () => {
    plan(batch('opened', findings(2)));
    const gone = batch('resolved', findings(1));
    const { notices } = planNotices(gone.changes, [], ledger, options, NOW, true);
    expect(notices.map(({ kind }) => kind)).toEqual(['resolved', 'resolved']);
  });

  test('an incident of several goes on while one of them does, and ends with the last', () => {
    const all = findings(3);
    plan(batch('opened', all), byCause);
    ledger = restarted();
    expect(whole(all.slice(2), byCause).notices.map(shape)).toEqual([
      { kind: 'updated', counter: 2, total: 1, scope: 'cause' },
    ]);
    expect(whole([], byCause).notices.map(shape)).toEqual([{ kind: 'resolved', counter: 3, total: 1, scope: 'cause' }]);
  });

  test('a storm of any number ends as well', () => {
    const narrow = { ...options, storm: { limit: 1, windowMs: 60_000 } };
    plan(batch('opened', findings(500)), narrow);
    ledger = restarted();
    const { notices } = whole([], narrow);
    expect(notices.map(({ kind, scope, total }) => [kind, scope, total]).sort()).toEqual([
      ['resolved', 'finding', 1],
      ['resolved', 'storm', 499],
    ]);
    expect(JSON.stringify(notices).length).toBeLessThan(300_000);
  });
});

test('of many findings, who judges their cluster tells the end, and nobody else, also after a restart', () => {
  const prod = findings(250).map((one) => ({ ...one, cluster: 'prod' }));
  plan(batch('opened', prod), byCause);
  ledger = restarted();
  const endedBy = (cluster: string) =>
    planNotices([], [], ledger, byCause, NOW, (name) => name === cluster).notices.map(shape);
  expect(['', 'blue', 'prod'].map(endedBy)).toEqual([
    [],
    [],
    [expect.objectContaining({ kind: 'resolved', total: 250 })],
  ]);
});
