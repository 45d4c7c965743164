import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { slackBody, slackEscape, slackText } from '../../../src/outputs/alerts/slack/body.js';
import { createSlack } from '../../../src/outputs/alerts/slack/index.js';
import { batch, finding, findings, within } from '../delivery/examples.js';
import { answer, Receiver } from '../delivery/receiver.js';
import { notice, storm } from './examples.js';

const { cause: CAUSE, fix: FIX } = finding();

describe('text', () => {
  test('of one finding', () => {
    expect(slackText(notice({}, [finding({ references: ['https://kubernetes.io/a?b&c'] })]))).toBe(
      `FIRING critical peer-ca-untrusted: cp1 does not trust the serving certificate of cp2
Cluster default, cp1 → cp2, since 2026-01-05T03:04:05.000000Z
Cause: ${CAUSE}
Fix: ${FIX}
https://kubernetes.io/a?b&amp;c`,
    );
  });

  test('of several lists a few of them', () => {
    const text = slackText(notice({ scope: 'cause', total: 9 }, findings(7)));
    expect(text.split('\n')).toEqual([
      expect.stringMatching(/^FIRING critical .* \(and 8 more of this kind: cp0, cp1, cp2, cp3, cp4, cp5, cp6\)$/),
      'Cluster default, since 2026-01-05T03:04:05.000000Z',
      `Cause: ${CAUSE}`,
      `Fix: ${FIX}`,
      ...Array(5).fill('- critical peer-ca-untrusted cp1 → cp2'),
      '- and 4 more',
    ]);
  });

  test('of a storm and of an end', () => {
    expect(slackText(storm(findings(2), 40))).toMatch(/^FIRING critical alert-storm: storm: 40 more findings/);
    expect(slackText(notice({ kind: 'resolved' }))).toMatch(/^RESOLVED critical .*\nCluster default/);
    expect(slackText(notice({ kind: 'resolved' }))).not.toContain('Fix');
  });

  test('is not parsed by Slack', () => {
    expect(JSON.parse(slackBody(notice()))).toMatchObject({ mrkdwn: false, parse: 'none', link_names: false });
  });
});

test.each([
  ['<!channel> & <@U123|x>', '&lt;！channel&gt; &amp; &lt;＠U123｜x&gt;'],
  ['*bold* _it_ ~no~ `code`', '∗bold∗ ＿it＿ ∼no∼ ˋcodeˋ'],
  ['kube_system stays', 'kube_system stays'],
  ['[text](http://x)', '［text］(http://x)'],
])('%j is made harmless', (text, escaped) => expect(slackEscape(text)).toBe(escaped));

describe('delivery', () => {
  let receiver: Receiver;
  beforeEach(async () => {
    receiver = await Receiver.start(answer(200, 'ok'));
  });
  afterEach(() => receiver.stop());

  test('one message for each cause, of severity warning or worse', async () => {
    const output = createSlack({ target: { url: `${receiver.url}/services/T0/B0/secret` } });
    const mixed = [...findings(5), finding({ fingerprint: 'mild', rule: 'other', severity: 'info' })];
    await output.deliver(batch('opened', mixed), within(5_000));
    await output.close();
    expect(receiver.requests.length).toBe(1);
  });

  test('the URL is a secret: no name and no reason shows it', async () => {
    receiver.behaviour = (request, response, count) => answer(404, `no such ${request.url}`)(request, response, count);
    const output = createSlack({ target: { url: `${receiver.url}/services/T0/B0/secret` } });
    const report = await output.deliver(batch('opened', findings(1)), within(5_000));
    await output.close();
    expect(report.refused[0]?.reason).toBe('HTTP 404; check the path of the URL: no such ***');
    expect(output.name).toBe(`slack 127.0.0.1:${receiver.port}`);
  });
});
