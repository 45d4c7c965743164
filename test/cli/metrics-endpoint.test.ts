/** The metrics of a run over HTTP, as Prometheus fetches them. */
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { type MetricsEndpoint, openMetricsEndpoint } from '../../src/cli/metrics-endpoint.js';
import { Metrics } from '../../src/outputs/metrics/index.js';
import { batch } from '../outputs/otlp/examples.js';

let metrics: Metrics;
let endpoint: MetricsEndpoint;
beforeEach(async () => {
  metrics = new Metrics({ startMs: 0 });
  endpoint = await openMetricsEndpoint({ host: '127.0.0.1', port: 0 }, metrics, Date.now);
});
afterEach(() => endpoint.close());

test('what holds now, at /metrics and nowhere else', async () => {
  expect(endpoint.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/metrics$/);
  expect(await (await fetch(endpoint.url)).text()).not.toContain('skewscope_proxied_unreached_total 0');
  metrics.update(batch());
  const scraped = await fetch(`${endpoint.url}?a=b`);
  expect(scraped.headers.get('content-type')).toContain('version=0.0.4');
  expect(await scraped.text()).toContain('skewscope_proxied_unreached_total 0');
  const other = await fetch(new URL('/', endpoint.url));
  expect([other.status, await other.text()]).toEqual([404, 'metrics are at /metrics\n']);
});

test('a port that is taken is a mistake of usage that names it', async () => {
  const port = Number(new URL(endpoint.url).port);
  const second = openMetricsEndpoint({ host: '127.0.0.1', port }, metrics, Date.now);
  await expect(second).rejects.toThrow(
    `metrics cannot be served at 127.0.0.1:${port}: another process listens there; give another port`,
  );
  await expect(second).rejects.toMatchObject({ code: 2 });
});

test('an address that is not of this machine too', async () => {
  const away = openMetricsEndpoint({ host: '192.0.2.1', port: 0 }, metrics, Date.now);
  await expect(away).rejects.toThrow(
    'metrics cannot be served at 192.0.2.1:0: this machine does not have that address',
  );
});

test('nothing listens after the end', async () => {
  await fetch(endpoint.url).then((response) => response.text());
  await endpoint.close();
  await expect(fetch(endpoint.url)).rejects.toThrow();
});
