/** A real Chromium for the tests of the page, and tabs that note whatever it complains of. */
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Browser, chromium, type Page } from 'playwright-core';
import { PATIENCE_MS } from '../../until.js';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
/** It runs as root in CI, without a display, and talks to nobody but the test. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Its path; undefined where there is none. Throws there when SKEWSCOPE_REQUIRE_SERVICES=1. */
export function findChromium(): string | undefined {
  const found = [process.env.SKEWSCOPE_CHROMIUM ?? '', ...PLACES].find((path) => path !== '' && existsSync(path));
  if (found === undefined && process.env.SKEWSCOPE_REQUIRE_SERVICES === '1') {
    throw new Error('no Chromium: install the package chromium, or unset SKEWSCOPE_REQUIRE_SERVICES');
  }
  return found;
}

export function launch(executablePath: string): Promise<Browser> {
  return chromium.launch({ executablePath, args: FLAGS });
}

export interface TabOptions {
  readonly width?: number;
  readonly scheme?: 'light' | 'dark';
  /** Runs in the page before its own scripts. */
  readonly before?: string;
}

/** What was said in the console, thrown, or refused by the content policy: a good page leaves it empty. */
export interface Tab {
  readonly page: Page;
  readonly complaints: string[];
  /** Text of all elements that fit, as shown. */
  texts(selector: string): Promise<string[]>;
  /** Resolves when the expression holds in the page. */
  until(expression: string): Promise<void>;
  close(): Promise<void>;
}

export async function openTab(
  browser: Browser,
  { width = 1280, scheme = 'light', before = '' }: TabOptions = {},
): Promise<Tab> {
  const context = await browser.newContext({
    viewport: { width, height: 800 },
    colorScheme: scheme,
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => complaints.push(`thrown: ${error.message}`));
  page.on('dialog', (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.exposeFunction('violated', (what: string) => complaints.push(`policy: ${what}`));
  await page.addInitScript(`
    document.addEventListener('securitypolicyviolation', (event) => violated(event.violatedDirective + ' ' + event.blockedURI));
    ${before}
  `);
  return {
    page,
    complaints,
    texts: (selector) => page.locator(selector).allInnerTexts(),
    until: (expression) => holds(page, expression),
    close: () => context.close(),
  };
}

/** The page's own policy forbids what the driver's waiting does in it, so it is asked from outside. */
async function holds(page: Page, expression: string): Promise<void> {
  const end = Date.now() + PATIENCE_MS;
  while (!(await page.evaluate<boolean>(`Boolean(${expression})`))) {
    if (Date.now() > end) throw new Error(`it did not come to hold within ${PATIENCE_MS} ms: ${expression}`);
    await sleep(50);
  }
}
