/** The findings of the recorded runs in a real Alertmanager: firing, sent twice, then resolved. */
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { analyze } from '../../../src/analysis/index.js';
import { FindingTracker } from '../../../src/findings/index.js';
import type { Analysis } from '../../../src/model/analysis.js';
import { formatTime } from '../../../src/model/time.js';
import { createAlertmanager } from '../../../src/outputs/alerts/alertmanager/index.js';
import type { Output } from '../../../src/outputs/output.js';
import { loadRules } from '../../../src/rules/index.js';
import { expandPaths } from '../../../src/sources/index.js';
import { finding } from '../../cli/fakes.js';
import { batch, within } from '../../outputs/delivery/examples.js';
import { Receiver } from '../../outputs/delivery/receiver.js';
import { makeFolder } from '../../sources/folder.js';
import { until } from '../../until.js';
import { Alertmanager, findAlertmanager } from './alertmanager.js';

const SAMPLES = fileURLToPath(new URL('../../../samples', import.meta.url));
const binary = findAlertmanager();
if (binary === undefined) console.warn('skipped: no Alertmanager is installed (package prometheus-alertmanager)');
const withAlertmanager = binary === undefined ? describe.skip : describe;

withAlertmanager('a real Alertmanager', () => {
  const runs = readdirSync(SAMPLES, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [entry.name] : [],
  );
  const analyses = new Map<string, Analysis>();
  let pages: Receiver;
  let manager: Alertmanager;
  let output: Output | undefined;

  beforeAll(async () => {
    const rules = await loadRules({ dirs: [], disable: [], severity: {} });
    for (const run of runs) {
      const { sources } = await expandPaths([`${SAMPLES}/${run}`], {});
      analyses.set(run, await analyze(sources, { rules, cluster: run }));
    }
  });
  beforeEach(async () => {
    pages = await Receiver.start();
    manager = await Alertmanager.start(binary ?? '', pages.url);
    output = createAlertmanager({ targets: [{ url: manager.url }] });
  });
  afterEach(async () => {
    await output?.close();
    await manager.stop();
    await pages.stop();
  });
  afterAll(() => analyses.clear());

  const active = async () => (await manager.alerts()).filter(({ endsAt }) => Date.parse(endsAt) > Date.now());

  test('there are recorded runs with findings', () => {
    expect([...analyses.values()].filter(({ findings }) => findings.length > 0).length).toBeGreaterThan(3);
  });

  test('findings of every run fire, once however often they are sent, and are resolved', async () => {
    const tracker = new FindingTracker();
    const findings = [...analyses.values()].flatMap((analysis) => analysis.findings);
    const send = async (open: Analysis['findings']) => {
      const changes = tracker.update(open);
      return output?.deliver({ ...batch('opened', [], open), changes }, within(10_000));
    };
    expect(await send(findings)).toMatchObject({ delivered: findings.length, waiting: [], refused: [] });

    const firing = await active();
    const key = ({ rule, severity, fingerprint, cluster, server }: Record<string, unknown>) =>
      [rule, severity, fingerprint, cluster, server ?? ''].join(' ');
    expect(firing.map(({ labels }) => key(labels)).sort()).toEqual(findings.map((one) => key({ ...one })).sort());
    for (const { labels, annotations, startsAt } of firing) {
      const source = findings.find(({ fingerprint }) => fingerprint === labels.fingerprint);
      expect(annotations.summary).toContain(source?.summary.slice(0, 20));
      expect(annotations.fix).not.toBe('');
      expect(annotations.first).toBe(source !== undefined && source.from > 0 ? formatTime(source.from) : undefined);
      expect(Math.abs(Date.parse(startsAt) - Date.now())).toBeLessThan(60_000);
    }

    // A second sender, as after a restart without a spool, adds nothing.
    const twin = createAlertmanager({ targets: [{ url: manager.url }] });
    await twin.deliver(batch('opened', findings), within(10_000));
    await twin.close();
    expect((await active()).length).toBe(findings.length);

    await send([]);
    expect(await active()).toEqual([]);
  });

  test('alerts of an earlier process that nobody sees any more end when all has been read, the others go on', async () => {
    const folder = makeFolder();
    const restart = () => createAlertmanager({ targets: [{ url: manager.url }], delivery: { folder: folder.path } });
    const findings = [...analyses.values()].flatMap((analysis) => analysis.findings);
    const before = restart();
    await before.deliver(batch('opened', findings), within(10_000));
    await before.close();
    expect((await active()).length).toBe(findings.length);
    const left = findings.slice(0, 2);
    const after = restart();
    await after.deliver({ ...batch('opened', left), complete: true }, within(10_000));
    await after.close();
    folder.drop();
    expect((await active()).map(({ labels }) => labels.fingerprint).sort()).toEqual(
      left.map(({ fingerprint }) => fingerprint).sort(),
    );
  });

  test('one broken CA in a control plane of five servers is one page, and one all-clear', async () => {
    const servers = ['cp1', 'cp2', 'cp3', 'cp4', 'cp5'];
    const broken = servers.flatMap((source) =>
      servers
        .filter((destination) => destination !== source)
        .map((destination) =>
          finding({ fingerprint: `${source}${destination}`, server: source, edges: [{ source, destination }] }),
        ),
    );
    await output?.deliver(batch('opened', broken), within(10_000));
    expect((await active()).length).toBe(20);
    const page = async (count: number) => {
      await until(() => pages.requests.length >= count, `page ${count}`);
      return JSON.parse(pages.requests[count - 1]?.body ?? '{}');
    };
    expect(await page(1)).toMatchObject({ status: 'firing', groupLabels: { alertname: 'SkewscopePeerCaUntrusted' } });
    expect((await page(1)).alerts.length).toBe(20);
    await output?.deliver(batch('resolved', broken), within(10_000));
    expect(await page(2)).toMatchObject({ status: 'resolved' });
    expect(pages.requests.length).toBe(2);
  });

  test('takes what hostile text has become', async () => {
    const nasty = '"}]\n{{ .Labels }}<!channel>\u0000\u001b[2J\u202e\ud800'.repeat(20);
    const hostile = finding({
      cluster: nasty,
      server: nasty,
      resource: nasty,
      summary: nasty,
      cause: nasty,
      edges: [{ source: nasty, destination: nasty }],
      evidence: [{ input: nasty, line: 1, offset: 0, quote: nasty }],
    });
    expect(await output?.deliver(batch('opened', [hostile]), within(10_000))).toMatchObject({
      delivered: 1,
      refused: [],
    });
    const [alert] = await active();
    expect(Object.keys(alert?.labels ?? {}).sort()).toEqual([
      'alertname',
      'cluster',
      'fingerprint',
      'resource',
      'rule',
      'server',
      'severity',
    ]);
  });
});
