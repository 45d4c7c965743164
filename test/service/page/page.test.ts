/** The page in a real browser: what it shows, how it stays up to date, who can use it. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import type { Analysis } from '../../../src/model/analysis.js';
import type { AdminServer } from '../../../src/service/http/index.js';
import { failedRequest, finding, request } from '../../outputs/otlp/examples.js';
import { FakeView, partition, START_MS, sink, status } from '../http/fake-view.js';
import { serve } from '../http/serve.js';
import { findChromium, launch, openTab, type Tab, type TabOptions } from './browser.js';
import { analyzeSample, FAINT, OVERFLOW } from './shown.js';

const chromium = findChromium();
if (chromium === undefined) console.warn('skipped: no Chromium is installed (package chromium)');
const inChromium = chromium === undefined ? describe.skip : describe;

inChromium('the page in Chromium', () => {
  let browser: Browser;
  let wrongCa: Analysis;
  let healthy: Analysis;
  let view: FakeView;
  let admin: AdminServer;
  let tab: Tab;

  beforeAll(async () => {
    [browser, wrongCa, healthy] = await Promise.all([
      launch(chromium ?? ''),
      analyzeSample('wrong-peer-ca'),
      analyzeSample('healthy'),
    ]);
  });
  afterAll(() => browser.close());
  beforeEach(async () => {
    view = new FakeView();
    view.judged = wrongCa;
    view.requests = [request(), failedRequest()];
    admin = await serve(view);
  });
  afterEach(async () => {
    await tab.close();
    await admin.close();
  });
  const visit = async (options: TabOptions = {}, hash = '') => {
    tab = await openTab(browser, options);
    await tab.page.goto(`${admin.url}${hash}`);
    await tab.page.waitForSelector('.verdict');
    return tab;
  };

  test('findings of a recorded run, with cause, fix, proof and a command to copy', async () => {
    const { page, texts, complaints } = await visit();
    expect((await texts('.headline'))[0]).toContain('cp1 cannot check the serving certificate of cp2 and cp3');
    const rows = await texts('.finding > summary');
    expect(rows.length).toBe(wrongCa.findings.length);
    expect(rows[0]).toMatch(
      /CRITICAL[\s\S]*peer-ca-untrusted[\s\S]*cp1 → cp2[\s\S]*cp1 → cp3[\s\S]*since[\s\S]*52 times/i,
    );
    for (const { summary } of wrongCa.findings) expect(rows.join('\n')).toContain(summary.trim());
    await page.locator('.finding > summary').first().click();
    const body = (await texts('.finding .body'))[0] ?? '';
    for (const text of ['Cause', 'finds no CA for it', 'Fix', 'Verify', 'signed by unknown authority']) {
      expect(body).toContain(text);
    }
    expect(body).toMatch(/gz@\d+ line 222/);
    await page.locator('.command button').first().click();
    await tab.until(`document.querySelector('.command button').textContent === 'Copied'`);
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('--peer-ca-file=/etc/kubernetes/pki/ca.crt');
    expect(await page.title()).toBe('(2) skewscope');
    expect(complaints).toEqual([]);
  });

  test('servers, the discovery matrix by its headers, requests, partitions and sinks', async () => {
    view.current = status({
      partitions: [partition(3, { end: 1020, paused: true, unreadable: 2 })],
      sinks: [sink(), sink({ name: 'otlp', waiting: 4, failure: 'connection refused' })],
      notes: [{ atMs: START_MS, message: 'joined the group' }],
    });
    const { page, texts, complaints } = await visit();
    const servers = await texts('#servers tbody tr');
    for (const { name, versions, peerAddress, peerProxy } of wrongCa.servers) {
      const row = servers.find((text) => text.startsWith(name)) ?? '';
      for (const text of [versions[0]?.version ?? '?', peerAddress ?? '?', peerProxy]) expect(row).toContain(text);
    }
    const cells = await page.evaluate<[string, string, string][]>(`
      [...document.querySelectorAll('.matrix tbody tr')].flatMap((row) =>
        [...row.cells].map((cell, at) => [
          row.querySelector('th[scope=row]').innerText,
          row.closest('table').querySelectorAll('thead th[scope=col]')[at].innerText,
          cell.innerText.trim(),
        ]).filter(([source, destination, text], at) => at > 0 && source !== destination))`);
    const expected = wrongCa.discovery.map(({ source, destination, state }) => [source, destination, state]);
    expect(cells.sort()).toEqual(expected.sort());
    expect(cells.map(([, , state]) => state)).toContain('failing');
    expect(await page.getAttribute('.state.failing', 'title')).toMatch(/^failing: 36 failures \(unknown-authority\)/);
    const [passed, lost] = await texts('.recent tbody tr');
    expect(passed).toMatch(/cp1 → cp2\s+201\s+10 ms\s+create\s+jobs\.batch\/v1 team-a\/nightly/);
    expect(lost).toMatch(/cp1 →\s+nobody\s+503\s+3 ms[\s\S]*unknown-authority/);
    expect((await texts('#partitions tbody tr'))[0]).toMatch(/audit 3\s+120\s+900\s+880[\s\S]*paused\s+2/);
    expect((await texts('#sinks tbody tr'))[1]).toMatch(/otlp\s+connection refused\s+12\s+4/);
    expect((await texts('.notice'))[0]).toContain('otlp takes nothing, 4 messages waiting: connection refused');
    expect((await texts('#sinks .notes'))[0]).toContain('joined the group');
    expect((await texts('#unjudged'))[0]).toContain(wrongCa.unjudged[0]?.rule);
    expect((await texts('#header'))[0]).toMatch(/live[\s\S]*Behind\s+120 messages/);
    expect(complaints).toEqual([]);
  });

  test('stays up to date; what is open, focused and scrolled stays so; new findings are announced', async () => {
    const { page, texts, until, complaints } = await visit();
    await page.locator('.finding > summary').nth(1).click();
    await page.evaluate('scrollTo(0, 300)');
    expect((await texts('#news'))[0]).toBe('');
    view.judged = {
      ...wrongCa,
      findings: [
        finding({ fingerprint: 'new', server: 'cp9', summary: 'cp9 fell out of the sky', severity: 'critical' }),
        ...wrongCa.findings.map((known) => (known.rule === 'wrong-not-found' ? { ...known, count: 7777 } : known)),
      ],
      discovery: wrongCa.discovery.map((cell) => ({ ...cell, state: 'ok' })),
    };
    view.current = status({ phase: 'stopping' });
    await until(`document.querySelector('#news').textContent.includes('critical: cp9 fell out of the sky.')`);
    expect(await page.title()).toBe('(3) skewscope');
    expect((await texts('#phase'))[0]).toContain('stopping');
    expect(await page.locator('.state.failing').count()).toBe(0);
    const open = await texts('.finding[open] > summary');
    expect(open).toEqual([expect.stringMatching(/wrong-not-found[\s\S]*7,777 times/)]);
    expect(await page.evaluate(`document.activeElement.closest('details')?.open`)).toBe(true);
    expect(await page.evaluate('scrollY')).toBeGreaterThan(200);
    view.judged = wrongCa;
    await until(`document.querySelectorAll('.finding').length === ${wrongCa.findings.length}`);
    expect(await page.evaluate(`document.activeElement.matches('.finding[open] > summary')`)).toBe(true);
    expect(complaints).toEqual([]);
  });

  test('hostile text is text, whatever field it comes in', async () => {
    const evil = '<img src=x onerror="globalThis.pwned=1"><script>globalThis.pwned=1</script>';
    const turned = 'safe\u202eexe.txt';
    const long = 'n'.repeat(1500);
    const bad = finding({
      fingerprint: evil,
      title: evil,
      server: turned,
      summary: `${evil} \u202e ${long}`,
      cause: evil,
      fix: `Run:\n  ${evil}`,
      references: ['javascript:globalThis.pwned=1', evil],
      edges: [{ source: long, destination: evil }],
      objects: [{ resource: evil, namespace: turned, name: long }],
      evidence: [{ input: evil, line: 1, offset: 2, quote: `${evil}${turned}${long}` }],
    });
    const server = { ...(wrongCa.servers[0] as Analysis['servers'][number]), peerAddress: evil, addresses: [long] };
    const edge = { fetches: 1, failures: 1, lastAt: null, cause: null, state: 'failing' } as const;
    view.judged = {
      ...wrongCa,
      findings: [bad],
      servers: [evil, turned, long].map((name) => ({ ...server, name })),
      discovery: [evil, turned, long].map((source) => ({ ...edge, source, destination: 'cp1' })),
      unjudged: [{ rule: evil, reason: `${evil}${long}` }],
    };
    view.requests = [request({ verb: evil, resource: long, userAgent: evil, name: turned, requestURI: `/${evil}` })];
    view.current = status({
      partitions: [partition(0, { topic: evil })],
      sinks: [sink({ name: long, failure: evil })],
      notes: [{ atMs: START_MS, message: `${evil}${long}` }],
      configFailure: evil,
    });
    view.unready = [evil, long];
    for (const width of [375, 1280]) {
      const { page, complaints } = await visit({ width });
      for (const summary of await page.locator('summary').all()) await summary.click();
      expect(await page.evaluate('globalThis.pwned')).toBeUndefined();
      expect(await page.locator('img, main script, a[href^="javascript"]').count()).toBe(0);
      const text = (await tab.texts('body')).join();
      expect(text.includes(evil)).toBe(true);
      expect(text.includes('safe\\u202eexe.txt')).toBe(true);
      expect(text.includes('\u202e')).toBe(false);
      expect(await page.evaluate(OVERFLOW)).toBe(0);
      expect(complaints).toEqual([]);
      if (width === 375) await tab.close();
    }
  });

  test('by keyboard alone: to a finding, open it, with the focus seen', async () => {
    const { page, complaints } = await visit();
    for (let pressed = 0; pressed < 10; pressed++) {
      await page.keyboard.press('Tab');
      if (await page.evaluate(`document.activeElement.matches('.finding > summary')`)) break;
    }
    expect(await page.evaluate(`document.activeElement.textContent`)).toContain('peer-ca-untrusted');
    expect(await page.evaluate(`getComputedStyle(document.activeElement).outlineStyle`)).toBe('solid');
    await page.keyboard.press('Enter');
    expect(await page.locator('.finding .body').first().isVisible()).toBe(true);
    await page.keyboard.press('Tab');
    expect(await page.evaluate(`document.activeElement.textContent`)).toBe('Copy');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Space');
    expect(await page.locator('.finding .body').first().isVisible()).toBe(false);
    expect(complaints).toEqual([]);
  });

  test.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 375],
    ['dark', 375],
  ] as const)('%s at %i: nothing is wider than the window, every text stands out', async (scheme, width) => {
    view.unready = ['the group is not joined'];
    view.current = status({ phase: 'catching-up', partitions: [partition(0, { end: 5000, unreadable: 1 })] });
    view.judged = {
      ...wrongCa,
      findings: [...wrongCa.findings, finding({ fingerprint: 'w', severity: 'warning', confidence: 'possible' })],
      discovery: wrongCa.discovery.map((cell, at) => (at === 2 ? { ...cell, state: 'missing' } : cell)),
    };
    const { page, complaints } = await visit({ scheme, width });
    for (const summary of await page.locator('.finding > summary').all()) await summary.click();
    expect(await page.evaluate(OVERFLOW)).toBe(0);
    expect(await page.evaluate(FAINT)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  describe('empty states say what is happening', () => {
    test('before the first record', async () => {
      view.judged = undefined;
      view.requests = [];
      view.current = status({ phase: 'starting', records: 0, partitions: [], sinks: [] });
      view.unready = ['the group is not joined'];
      const { texts, until, complaints } = await visit();
      const main = (await texts('main'))[0] ?? '';
      expect(main).toContain('No record yet: the consumer group has given no partition to this member.');
      expect(main).toContain('Not ready: the group is not joined.');
      expect(main).not.toMatch(/Findings|Nothing wrong/);
      view.current = status({ records: 0 });
      await until(`document.querySelector('main').innerText.includes('nothing has arrived in 2 partitions of audit')`);
      view.judged = wrongCa;
      await until(`document.querySelector('main').innerText.includes('peer-ca-untrusted')`);
      expect(complaints).toEqual([]);
    });

    test('when nothing is wrong', async () => {
      view.judged = healthy;
      view.requests = [];
      const { texts } = await visit();
      const blind = new Set(healthy.unjudged.map(({ rule }) => rule)).size;
      expect((await texts('#findings'))[0]).toMatch(
        new RegExp(
          `Nothing wrong found in the window .* UTC\\. ${blind} rules could not be judged: see the last section`,
        ),
      );
      expect((await texts('.headline'))[0]).toContain('No problem found');
      expect((await texts('#requests'))[0]).toContain('No request has been passed on since this service started.');
    });
  });

  test('several clusters: each has its verdict and matrix, and one can be chosen', async () => {
    const named = (analysis: Analysis, cluster: string): Analysis => ({
      ...analysis,
      servers: analysis.servers.map((server) => ({ ...server, cluster, name: `${cluster}-${server.name}` })),
      findings: analysis.findings.map((known) => ({
        ...known,
        cluster,
        fingerprint: `${cluster}${known.fingerprint}`,
      })),
      discovery: analysis.discovery.map((cell) => ({
        ...cell,
        cluster,
        source: `${cluster}-${cell.source}`,
        destination: `${cluster}-${cell.destination}`,
      })),
    });
    const [lab, prod] = [named(healthy, 'lab'), named(wrongCa, 'prod')];
    view.judged = {
      ...prod,
      clusters: ['lab', 'prod'],
      servers: [...prod.servers, ...lab.servers],
      findings: [...prod.findings, ...lab.findings],
      discovery: [...prod.discovery, ...lab.discovery],
    };
    const { page, texts, complaints } = await visit();
    expect((await texts('.verdict')).map((text) => text.split('\n')[0])).toEqual(['lab', 'prod']);
    expect(await texts('#discovery h3')).toEqual(['lab', 'prod']);
    await page.selectOption('#cluster', 'lab');
    expect((await texts('.verdict')).length).toBe(1);
    expect((await texts('#servers tbody th')).sort()).toEqual(lab.servers.map(({ name }) => name).sort());
    expect((await texts('main'))[0]).not.toContain('peer-ca-untrusted');
    expect(page.url()).toMatch(/#cluster=lab$/);
    await page.reload();
    await tab.until(`document.querySelector('#cluster')?.value === 'lab'`);
    expect((await texts('.verdict')).length).toBe(1);
    await page.selectOption('#cluster', '');
    expect((await texts('.verdict')).length).toBe(2);
    expect(complaints).toEqual([]);
  });

  test('a lost connection is said with the age of what is shown, and forgotten when it is back', async () => {
    const { page, until } = await visit();
    const port = Number(new URL(admin.url).port);
    await admin.close();
    await until(
      `document.querySelector('#banner').textContent.match(/^Connection lost: .* is [1-9]\\d* s old; trying again/)`,
    );
    expect(await page.locator('#banner').isVisible()).toBe(true);
    expect((await tab.texts('.headline'))[0]).toContain('cp1 cannot check');
    admin = await serve(view, { listen: { host: '127.0.0.1', port } });
    await until(`document.querySelector('#banner').hidden`);
    expect(tab.complaints.filter((text) => !/net::ERR_(CONNECTION_|EMPTY_RESPONSE)/.test(text))).toEqual([]);
  });

  test('a hidden tab asks for nothing until it is shown again', async () => {
    let asked = 0;
    view.recentRequests = () => {
      asked += 1;
      return [];
    };
    tab = await openTab(browser, {
      before: `Object.defineProperty(document, 'hidden', { get: () => globalThis.away === true });`,
    });
    await tab.page.clock.install();
    await tab.page.goto(admin.url);
    await tab.page.waitForSelector('.verdict');
    const show = (away: boolean) =>
      tab.page.evaluate(`globalThis.away = ${away}; document.dispatchEvent(new Event('visibilitychange'))`);
    await show(true);
    const before = asked;
    await tab.page.clock.runFor(60_000);
    expect(asked).toBe(before);
    const answered = tab.page.waitForResponse(/requests/);
    await show(false);
    await answered;
    expect(asked).toBe(before + 1);
    const again = tab.page.waitForResponse(/requests/);
    await tab.page.clock.runFor(2_000);
    await again;
    expect(asked).toBe(before + 2);
  });

  test('with a token: a form asks for it, a wrong one is refused, the right one stays in this tab alone', async () => {
    await admin.close();
    admin = await serve(view, { token: 'open-sesame' });
    tab = await openTab(browser);
    const { page, until, complaints } = tab;
    await page.goto(admin.url);
    await page.waitForSelector('#access:not([hidden])');
    expect(await page.locator('main').isVisible()).toBe(false);
    expect(complaints).toEqual([]);
    expect(await page.evaluate('document.activeElement.id')).toBe('token');
    await page.keyboard.type('wrong');
    await page.keyboard.press('Enter');
    await until(`document.querySelector('#access-failure').textContent.includes('the token is not the right one')`);
    await page.keyboard.type('open-sesame');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.finding');
    expect(await page.locator('#access').isVisible()).toBe(false);
    expect(page.url()).toBe(admin.url);
    expect(await page.content()).not.toContain('open-sesame');
    expect(await page.evaluate('[document.cookie, localStorage.length]')).toEqual(['', 0]);
    await page.reload();
    await page.waitForSelector('.finding');
    expect(complaints.filter((text) => !text.includes('401'))).toEqual([]);
  });
});
