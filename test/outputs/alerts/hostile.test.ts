/** Whatever stands in logs, it cannot break the format of any output: only JSON, only its own fields, bounded, one line. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Finding } from '../../../src/model/finding.js';
import { alertOf, alertsBody } from '../../../src/outputs/alerts/alertmanager/body.js';
import { noticeLine } from '../../../src/outputs/alerts/ndjson/line.js';
import { pagerDutyBody } from '../../../src/outputs/alerts/pagerduty/body.js';
import { slackBody } from '../../../src/outputs/alerts/slack/body.js';
import { cloudEventText, eventId } from '../../../src/outputs/alerts/webhook/cloud-event.js';
import { Ledger } from '../../../src/outputs/delivery/ledger.js';
import type { Notice } from '../../../src/outputs/delivery/notice.js';
import { planNotices } from '../../../src/outputs/delivery/plan.js';
import { parseWaiting, waitingLine } from '../../../src/outputs/delivery/spool/lines.js';
import { batch } from '../delivery/examples.js';
import { NOW } from './examples.js';

const NASTY = [
  '"}],"labels":{"severity":"none"},"x":[{"',
  '\u0000\u0007\u001b[2J\u001b]0;owned\u0007',
  'line\r\nbreak\u2028and\u2029more\u0085',
  '<!channel> <@U1> <https://evil|click> @here *b* _i_ ~s~ `c`',
  '[link](javascript:alert(1)) ![img](http://x) # head\n- item\n> quote',
  '\u202egnp.exe\u202c\u200b\ufeff\u00ad',
  '\ud800 lone \udfff',
  '{{ .Labels }} $' + '{jndi:ldap://x} $(id) `id` %s %n',
  '",\n  "a": "\\',
  'HTTP/1.1 200 OK\r\nx: y\r\n\r\n',
  '𝕏😀e\u0301'.repeat(50),
  'x'.repeat(20_000),
  '',
];
const text = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...NASTY) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 200 }) },
  {
    weight: 1,
    arbitrary: fc.array(fc.constantFrom(...NASTY.slice(0, 10)), { maxLength: 4 }).map((all) => all.join('')),
  },
);
const time = fc.oneof(
  fc.integer({ min: 0, max: 4e15 }),
  fc.constantFrom(0, Number.NaN, Number.POSITIVE_INFINITY, -1e20),
);
const edge = fc.record({ source: text, destination: text });
const anyFinding: fc.Arbitrary<Finding> = fc.record({
  rule: text,
  title: text,
  fingerprint: text,
  severity: fc.constantFrom('info', 'warning', 'critical'),
  confidence: fc.constantFrom('possible', 'likely', 'certain'),
  cluster: text,
  server: fc.option(text),
  edges: fc.array(edge, { maxLength: 3 }),
  resource: fc.option(text),
  objects: fc.array(fc.record({ resource: text, namespace: text, name: text }), { maxLength: 3 }),
  from: time,
  to: time,
  count: fc.nat(),
  summary: text,
  meaning: text,
  cause: text,
  fix: text,
  verify: text,
  references: fc.array(text, { maxLength: 2 }),
  evidence: fc.array(
    fc.record({ input: text, line: fc.oneof(fc.nat(), fc.constant(Number.NaN)), offset: fc.nat(), quote: text }),
    { maxLength: 2 },
  ),
});

/** Notices as the plan makes them: single ones, causes and storms, opened and resolved. */
const notices: fc.Arbitrary<readonly Notice[]> = fc
  .record({
    found: fc.array(anyFinding, { minLength: 1, maxLength: 6 }),
    group: fc.constantFrom('finding' as const, 'cause' as const),
    limit: fc.constantFrom(1, 100),
  })
  .map(({ found, group, limit }) => {
    const options = { minSeverity: 'info' as const, group, storm: { limit, windowMs: 1_000 } };
    const ledger = new Ledger();
    return [batch('opened', found), batch('resolved', found)].flatMap((given) => [
      ...planNotices(given.changes, given.findings, ledger, options, NOW).notices,
    ]);
  });

/** What a terminal, a log viewer or a line-wise tool acts on. */
const HARMFUL = /[\p{Control}\p{Bidi_Control}\p{Surrogate}\u2028\u2029\ufeff]/u;

function every(check: (notice: Notice) => void): void {
  fc.assert(
    fc.property(notices, (all) => {
      expect(all.length).toBeGreaterThan(0);
      for (const notice of all) check(notice);
    }),
    { numRuns: 150 },
  );
}

describe('hostile text in every field', () => {
  test('cannot break an alert for Alertmanager', () => {
    every((notice) => {
      const body = alertsBody([alertOf(notice, NOW, { holdMs: 1_000, labels: { team: 'a' } })]);
      expect(body).not.toMatch(HARMFUL);
      const alerts = JSON.parse(body);
      expect(alerts.length).toBe(1);
      const { labels, annotations, startsAt, endsAt, ...rest } = alerts[0];
      expect(Object.keys(rest).filter((key) => key !== 'generatorURL')).toEqual([]);
      expect(Object.keys(labels).join()).toMatch(
        /^team,alertname,severity(,cluster)?(,rule)?,fingerprint(,server)?(,resource)?$/,
      );
      expect(['info', 'warning', 'critical']).toContain(labels.severity);
      for (const value of Object.values<string>(labels)) {
        expect(value).not.toMatch(HARMFUL);
        expect(value.length).toBeLessThanOrEqual(200);
      }
      for (const value of Object.values<string>(annotations)) {
        expect(value.replaceAll('\n', '')).not.toMatch(HARMFUL);
        expect(value.length).toBeLessThanOrEqual(2_000);
      }
      expect(Date.parse(startsAt)).toBeLessThanOrEqual(Date.parse(endsAt));
    });
  });

  test('cannot break an event for a webhook or Kafka', () => {
    every((notice) => {
      const body = cloudEventText(notice);
      expect(body).not.toMatch(HARMFUL);
      const event = JSON.parse(body);
      expect(event.specversion).toBe('1.0');
      expect(event.source).toMatch(/^\/skewscope\/clusters\/[\w.!~*'()%-]*$/);
      // It becomes a header.
      expect(eventId(notice)).toMatch(/^[\w-]+-\d+$/);
      expect(event.id).toBe(eventId(notice));
      expect(event.type).toMatch(/^skewscope\.finding\.(opened|updated|resolved)$/);
      expect(Number.isNaN(Date.parse(event.time))).toBe(false);
      expect(event.subject).not.toMatch(HARMFUL);
    });
  });

  test('cannot break a line of NDJSON', () => {
    every((notice) => {
      const line = noticeLine(notice);
      expect(line).not.toMatch(HARMFUL);
      expect(JSON.parse(line)).toMatchObject({ kind: 'change', change: notice.kind, id: eventId(notice) });
    });
  });

  test('cannot format, mention or link anything in Slack', () => {
    every((notice) => {
      const { text: message, mrkdwn, parse } = JSON.parse(slackBody(notice));
      expect([mrkdwn, parse]).toEqual([false, 'none']);
      expect(message.length).toBeLessThan(20_000);
      for (const line of message.split('\n')) {
        expect(line).toMatch(/^(FIRING |STILL FIRING |RESOLVED |Cluster|Cause:|Fix:|- |https?:)/);
        expect(line.replace(/&(amp|lt|gt);/g, '')).not.toMatch(/[<>&@`*~[\]|\\]/);
        expect(line).not.toMatch(HARMFUL);
      }
    });
  });

  test('cannot break an event for PagerDuty or its limits', () => {
    every((notice) => {
      const body = pagerDutyBody(notice, 'key');
      expect(body).not.toMatch(HARMFUL);
      expect(Buffer.byteLength(body)).toBeLessThan(512 * 1024);
      const event = JSON.parse(body);
      expect(event.routing_key).toBe('key');
      expect(event.dedup_key).toMatch(/^skewscope-[\w-]+$/);
      expect(event.event_action).toBe(notice.kind === 'resolved' ? 'resolve' : 'trigger');
      if (notice.kind === 'resolved') return;
      expect(['critical', 'warning', 'info']).toContain(event.payload.severity);
      expect(event.payload.summary.length).toBeLessThanOrEqual(1024);
      expect(event.payload.source).not.toBe('');
    });
  });

  test('comes back from the spool as it went in, on one line', () => {
    every((notice) => {
      const line = waitingLine(7, notice);
      expect(line).not.toContain('\n');
      expect(parseWaiting(line)).toEqual({ seq: 7, notice: JSON.parse(JSON.stringify(notice)) });
    });
  });
});
