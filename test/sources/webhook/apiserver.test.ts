/** The receiver and the audit webhook of kube-apiserver itself: its own client, buffer, retries and kubeconfig. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { WebhookBatch, WebhookOptions } from '../../../src/sources/webhook/index.js';
import { makeCertificates } from '../../outputs/delivery/certificates.js';
import {
  buildWebhookClient,
  CLIENT_BUILD_TIMEOUT_MS,
  whyNoWebhookClient,
} from '../../services/webhook-client/build.js';
import { postAudit } from '../../services/webhook-client/webhook-client.js';
import { until } from '../../until.js';
import { type Opened, open } from './posting.js';

const reason = whyNoWebhookClient();
if (reason !== undefined) console.warn(`tests with the webhook client of kube-apiserver are skipped: ${reason}`);
const withClient = reason === undefined ? describe : describe.skip;

const TOKEN = 'a-token-of-enough-letters';
const FAST = { backoff: '100ms', qps: 50 };

withClient('the audit webhook of a kube-apiserver', () => {
  let certificates: ReturnType<typeof makeCertificates>;
  const opened: Opened[] = [];

  beforeAll(async () => {
    certificates = makeCertificates();
    await buildWebhookClient();
  }, CLIENT_BUILD_TIMEOUT_MS);
  afterEach(async () => {
    for (const { webhook } of opened.splice(0)) await webhook.close(0);
  });
  afterAll(() => certificates.drop());

  async function start(options: Partial<WebhookOptions> = {}) {
    const { server, ca, client } = certificates;
    const result = await open({ tls: { ...server, clientCa: ca }, ...options });
    opened.push(result);
    const { counters, url } = result.webhook;
    return { ...result, counters, target: { url: `${url}/audit/v1/prod/cp-1`, ca, client } };
  }

  test('in batch mode sends each event once', async () => {
    const { stored, target, counters } = await start();
    const ended = await postAudit(target, { events: 4000, ...FAST });
    expect(ended).toEqual({ code: 0, log: '' });
    expect(countsOf(stored)).toEqual(new Map(Array.from({ length: 4000 }, (_, number) => [idOf(number), 1])));
    expect(new Set(stored.map(({ server, cluster }) => `${cluster}/${server}`))).toEqual(new Set(['prod/cp-1']));
    expect(stored.reduce((sum, { events }) => sum + events, 0)).toBe(4000);
    expect(counters.answers).toEqual({ 200: stored.length });
  });

  test('in blocking mode sends one at a time over one connection', async () => {
    const { stored, target, counters } = await start({ tls: certificates.server, token: TOKEN });
    const { client: _none, ...withToken } = { ...target, token: TOKEN };
    const ended = await postAudit(withToken, { mode: 'blocking', events: 200, 'per-second': 0 });
    expect(ended).toEqual({ code: 0, log: '' });
    expect(stored.map(({ events }) => events)).toEqual(Array.from({ length: 200 }, () => 1));
    expect(countsOf(stored).size).toBe(200);
    expect(counters.tlsFailures).toBe(0);
  });

  test('loses nothing while the receiver fails, hangs and is full for seconds', async () => {
    const kept: WebhookBatch[] = [];
    let calls = 0;
    let begin: number | undefined;
    const { target, counters } = await start({
      // Less than two batches: the third is refused for want of room.
      maxBodyBytes: 1_000_000,
      maxInFlightBytes: 1_000_000,
      storeTimeoutMs: 300,
      store: async (batch) => {
        calls++;
        begin ??= Date.now();
        if (Date.now() - begin < 4_000) {
          if (calls % 3 === 0) throw new Error('no');
          // Some of these come after the sender was told to try again: it is stored twice then.
          await new Promise((resolve) => setTimeout(resolve, calls % 3 === 1 ? 600 : 150));
        }
        kept.push(batch);
      },
    });
    const ended = await postAudit(target, { events: 6000, padding: 1200, ...FAST });
    expect(ended).toEqual({ code: 0, log: '' });
    const counts = countsOf(kept);
    expect(counts.size).toBe(6000);
    expect(counters.answers).toMatchObject({
      200: expect.any(Number),
      429: expect.any(Number),
      503: expect.any(Number),
    });
    expect(counters.peakBytes).toBeLessThanOrEqual(1_000_000);
  });

  test('loses nothing when the receiver restarts', async () => {
    const kept: WebhookBatch[] = [];
    const store = async (batch: WebhookBatch) => void kept.push(batch);
    const first = await start({ store });
    const port = Number(new URL(first.webhook.url).port);
    const posting = postAudit(first.target, { events: 4000, 'per-second': 2000, batch: 100, ...FAST });
    // In the middle of the two seconds that it posts.
    await until(() => kept.length > 5, 'the first batches');
    await first.webhook.close(1_000);
    const second = await start({ store, listen: { host: '127.0.0.1', port } });
    expect(await posting).toEqual({ code: 0, log: '' });
    expect(countsOf(kept).size).toBe(4000);
    expect(second.counters.batches).toBeGreaterThan(0);
  });

  test('says in its log why it was refused', async () => {
    const { target } = await start({ tls: certificates.server, token: TOKEN, maxBodyBytes: 2_000 });
    const { client: _none, ...withoutToken } = target;
    const flags = { events: 10, steps: 2, batch: 10, ...FAST };
    const stranger = await postAudit(withoutToken, flags);
    expect(stranger.log).toMatch(
      /Error in audit plugin 'webhook' affecting \d+ audit events: skewscope: a token is needed/,
    );
    expect(stranger.log).toContain('put the right one into the kubeconfig');
    const large = await postAudit({ ...withoutToken, token: TOKEN }, flags);
    expect(large.log).toContain('lower --audit-webhook-batch-max-size');
    const lost = await postAudit({ ...withoutToken, token: TOKEN, url: target.url.replace('/audit/', '/') }, flags);
    expect(lost.log).toContain('audit events are taken at /audit/v1/CLUSTER/SERVER');
  });

  test('that does not trust the receiver, or shows a strange certificate, is told of to the operator', async () => {
    const others = makeCertificates();
    try {
      const wary = await start();
      const flags = { events: 1, steps: 1, ...FAST };
      expect((await postAudit({ ...wary.target, ca: others.ca }, flags)).log).toContain(
        'certificate signed by unknown authority',
      );
      expect(wary.messages).toEqual([expect.stringContaining('it does not trust this certificate')]);
      const strange = await start();
      expect((await postAudit({ ...strange.target, client: others.client }, flags)).log).toContain(
        'affecting 1 audit events',
      );
      expect(strange.messages).toEqual([expect.stringContaining('not signed by the CA of clients')]);
    } finally {
      others.drop();
    }
  });
});

/** How often each event came. */
function countsOf(batches: readonly WebhookBatch[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { body } of batches) {
    const { items } = JSON.parse(body.toString('utf8')) as { items: { auditID: string }[] };
    for (const { auditID } of items) counts.set(auditID, (counts.get(auditID) ?? 0) + 1);
  }
  return new Map([...counts].sort(([left], [right]) => left.localeCompare(right)));
}

function idOf(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
}
