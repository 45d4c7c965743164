import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { alertOf, alertsBody } from '../../../src/outputs/alerts/alertmanager/body.js';
import { createAlertmanager } from '../../../src/outputs/alerts/alertmanager/index.js';
import { alertName, labelsOf } from '../../../src/outputs/alerts/alertmanager/labels.js';
import type { Output } from '../../../src/outputs/output.js';
import { makeFolder } from '../../sources/folder.js';
import { batch, fastClock, finding, findings, within } from '../delivery/examples.js';
import { answer, CLOSE, Receiver } from '../delivery/receiver.js';
import { NOW, notice, storm } from './examples.js';

describe('labels', () => {
  test('hold identity and nothing that changes', () => {
    expect(labelsOf(notice(), { team: 'platform' })).toEqual({
      team: 'platform',
      alertname: 'SkewscopePeerCaUntrusted',
      severity: 'critical',
      cluster: 'default',
      rule: 'peer-ca-untrusted',
      fingerprint: '0123456789abcdef',
      server: 'cp1',
    });
    const later = finding({ count: 1_000, to: 1, from: 0, summary: 'other', evidence: [], objects: [] });
    expect(labelsOf(notice({ counter: 9, kind: 'updated', atMs: 1 }, [later]))).toEqual(labelsOf(notice()));
  });

  test('of the operator do not replace those of the alert; empty ones are left out; long ones are cut', () => {
    const own = { severity: 'none', empty: '', long: 'x'.repeat(1_000) };
    const labels = labelsOf(notice({}, [finding({ server: null })]), own);
    expect(labels.severity).toBe('critical');
    expect(Object.keys(labels)).not.toContain('server');
    expect(Object.keys(labels)).not.toContain('empty');
    expect(labels.long?.length).toBe(200);
  });

  test('of several findings together name none of the servers', () => {
    const labels = labelsOf(notice({ scope: 'cause', key: 'aaaa' }, findings(3)));
    expect(labels).toMatchObject({ fingerprint: 'aaaa', rule: 'peer-ca-untrusted' });
    expect(labels.server).toBeUndefined();
    expect(labelsOf(storm(findings(3), 40))).toMatchObject({ alertname: 'SkewscopeAlertStorm', rule: 'alert-storm' });
  });

  test.each([
    ['peer-ca-untrusted', 'SkewscopePeerCaUntrusted'],
    ['x', 'SkewscopeX'],
    ['', 'Skewscope'],
    ['my rule/"ü"', 'SkewscopeMyRule'],
  ])('alertname of %j is %j', (rule, name) => expect(alertName(rule)).toBe(name));
});

describe('an alert', () => {
  const options = { holdMs: 240_000 };

  test('that is open ends by itself, unless it is sent again', () => {
    expect(alertOf(notice(), NOW, options)).toMatchObject({
      startsAt: '2026-01-05T12:00:00.000Z',
      endsAt: '2026-01-05T12:04:00.000Z',
    });
  });

  test('that is resolved has ended now', () => {
    expect(alertOf(notice({ kind: 'resolved' }), NOW + 5_000, options).endsAt).toBe('2026-01-05T12:00:05.000Z');
  });

  test('never starts in the future or after its end, also when the clock was set back', () => {
    for (const kind of ['opened', 'resolved'] as const) {
      const { startsAt, endsAt } = alertOf(notice({ kind, atMs: NOW + 3_600_000 }), NOW, options);
      expect(startsAt).toBe('2026-01-05T12:00:00.000Z');
      expect(endsAt >= startsAt).toBe(true);
    }
  });

  test('is annotated with the texts; commands keep their lines', () => {
    const about = finding({
      fix: 'On cp1:\n  edit --peer-ca-file\x1b[2J\r\nrestart',
      references: ['see the book', 'https://kubernetes.io/docs/'],
      evidence: [{ input: 'cp1.log', line: 7, offset: 0, quote: 'x509: unknown\nauthority' }],
    });
    const alert = alertOf(notice({}, [about]), NOW, options);
    expect(alert.annotations).toEqual({
      summary: 'cp1 does not trust the serving certificate of cp2',
      description: about.meaning,
      cause: about.cause,
      fix: 'On cp1:\n  edit --peer-ca-file\\x1b[2J\nrestart',
      verify: about.verify,
      subject: 'cp1 → cp2',
      confidence: 'certain',
      count: '3',
      first: '2026-01-05T03:04:05.000000Z',
      last: '2026-01-05T03:04:06.000000Z',
      evidence: 'cp1.log:7: x509: unknown authority',
    });
    expect(alert.generatorURL).toBe('https://kubernetes.io/docs/');
  });

  test('names topic, partition and offset of what came from Kafka', () => {
    const evidence = [{ kind: 'kafka' as const, input: 'audit/1', line: 1, offset: 4711, quote: 'x509: unknown' }];
    const { annotations } = alertOf(notice({}, [finding({ evidence })]), NOW, options);
    expect(annotations.evidence).toBe('audit/1@4711: x509: unknown');
  });

  test('of a storm says how many were not told one by one', () => {
    expect(alertOf(storm(findings(20), 180), NOW, options).annotations.summary).toBe(
      'storm: 180 more findings in cluster default, not alerted one by one after 20 incidents: peer-ca-untrusted',
    );
  });

  test('of which several states are sent together is sent in its last', () => {
    const alerts = [alertOf(notice(), NOW, options), alertOf(notice({ kind: 'resolved' }), NOW, options)];
    expect(JSON.parse(alertsBody(alerts))).toEqual([alerts[1]]);
  });
});

describe('delivery', () => {
  let receiver: Receiver;
  let other: Receiver;
  let output: Output;
  beforeEach(async () => {
    receiver = await Receiver.start();
    other = await Receiver.start();
  });
  afterEach(async () => {
    await output.close();
    await receiver.stop();
    await other.stop();
  });
  const sent = (to: Receiver) => to.requests.map(({ body }) => JSON.parse(body) as ReturnType<typeof alertOf>[]);

  test('goes to the path of API v2 below the given URL, many alerts in one request', async () => {
    output = createAlertmanager({ targets: [{ url: `${receiver.url}/am/` }] });
    await output.deliver(batch('opened', findings(30)), within(5_000));
    expect(receiver.requests.map(({ url, headers }) => [url, headers['content-type']])).toEqual(
      receiver.requests.map(() => ['/am/api/v2/alerts', 'application/json']),
    );
    expect(receiver.requests.length).toBeLessThan(5);
    expect(sent(receiver).flat().length).toBe(30);
  });

  test('to replicas: both get it, and one that takes it is enough', async () => {
    other.behaviour = CLOSE;
    output = createAlertmanager({ targets: [{ url: receiver.url }, { url: other.url }] });
    const report = await output.deliver(batch('opened', findings(1)), within(5_000));
    expect(report).toMatchObject({ delivered: 1, waiting: [], refused: [] });
    expect(report.answer).toContain(`127.0.0.1:${receiver.port}: HTTP 200; 127.0.0.1:${other.port}: the connection`);
    other.behaviour = answer(200);
    await output.deliver(batch('resolved', findings(1)), within(5_000));
    expect(sent(other).at(-1)).toEqual(sent(receiver).at(-1));
  });

  test('a log-in page in front of it has not taken anything', async () => {
    receiver.behaviour = answer(200, '<html>', { 'content-type': 'text/html' });
    output = createAlertmanager({ targets: [{ url: receiver.url }] });
    const report = await output.deliver(batch('opened', findings(1)), within(300));
    expect(report.waiting).toMatchObject([
      { count: 1, reason: 'HTTP 200, but a web page came back; is it the URL of an Alertmanager?' },
    ]);
  });

  test('another severity ends the alert that had the former one', async () => {
    output = createAlertmanager({ targets: [{ url: receiver.url }] });
    await output.deliver(batch('opened', [finding({ severity: 'warning' })]), within(5_000));
    receiver.behaviour = (request, response, count) => answer(count === 2 ? 500 : 200)(request, response, count);
    await output.deliver(batch('updated', [finding()]), within(5_000));
    // Also when the first attempt to say so fails.
    const updated = sent(receiver).at(-1);
    expect(receiver.requests.length).toBe(3);
    expect(updated?.map(({ labels, endsAt }) => [labels.severity, Date.parse(endsAt) > Date.now()])).toEqual([
      ['warning', false],
      ['critical', true],
    ]);
  });

  test('what is open is sent again with the same labels, until it is resolved', async () => {
    const clock = fastClock();
    output = createAlertmanager({ targets: [{ url: receiver.url }], delivery: { continuous: true, clock } });
    await output.deliver(batch('opened', findings(2)), within(5_000));
    while (receiver.requests.length < 4) await new Promise((resolve) => setTimeout(resolve, 5));
    const labels = (alerts: ReturnType<typeof alertOf>[] | undefined) => alerts?.map((alert) => alert.labels);
    const all = new Set(sent(receiver).flatMap((alerts) => alerts.map((alert) => JSON.stringify(alert.labels))));
    expect(all.size).toBe(2);
    expect(labels(sent(receiver).at(-1))?.length).toBe(2);
    await output.deliver(batch('resolved', findings(2)), within(5_000));
    const ended = sent(receiver).at(-1)?.at(-1);
    expect(Date.parse(ended?.endsAt ?? '')).toBeLessThanOrEqual(clock.now());
  });
});

test('an alert of an earlier process ends under the labels that it had, once all has been read', async () => {
  const receiver = await Receiver.start();
  const folder = makeFolder();
  const open = () => createAlertmanager({ targets: [{ url: receiver.url }], delivery: { folder: folder.path } });
  const before = open();
  await before.deliver(batch('opened', [finding()]), within(5_000));
  await before.deliver(batch('updated', [finding({ severity: 'warning' })]), within(5_000));
  await before.close();
  const after = open();
  await after.deliver({ ...batch('opened', []), complete: true }, within(5_000));
  await after.close();
  await receiver.stop();
  folder.drop();
  const bodies = receiver.requests.map(({ body }) => JSON.parse(body));
  const told = bodies.at(-2)?.at(-1);
  const [ended, ...more] = bodies.at(-1) ?? [];
  expect(more).toEqual([]);
  expect(ended.labels).toEqual(told.labels);
  expect(ended.labels).toMatchObject({ severity: 'warning', server: 'cp1' });
  expect(Date.parse(ended.endsAt)).toBeLessThanOrEqual(Date.now());
});
