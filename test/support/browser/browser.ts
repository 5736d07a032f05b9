import { mkdirSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import puppeteer, { type Browser, type Page } from 'puppeteer-core';
import { atEnd } from '../at-end.ts';
import { chromiumPath } from './chromium.ts';
import type { CleanUp } from '../database.ts';

/** Why browser tests are skipped; false if a browser is installed. */
export const browserMissing: string | false =
  chromiumPath() === undefined ? 'there is no Chromium on this machine' : false;

/** The browser of this process, which its test files share. */
let shared: Promise<Browser> | undefined;

/**
 * Returns the headless browser of this process, started when it is first needed. It ends with the process, and does not
 * keep it alive. It resolves no host names, so that nothing leaves the machine.
 */
export function sharedBrowser(): Promise<Browser> {
  return (shared ??= launch());
}

/** Returns the browser; all its pages are closed at the end of the test file. */
export async function testBrowser(cleanUp: CleanUp): Promise<Browser> {
  const browser = await sharedBrowser();
  atEnd(cleanUp, async () => {
    const own = browser.browserContexts().filter((context) => context !== browser.defaultBrowserContext());
    await Promise.all(own.map((context) => context.close()));
  });
  return browser;
}

async function launch(): Promise<Browser> {
  const browser = await puppeteer.launch({
    executablePath: chromiumPath() ?? '',
    // Unlike a WebSocket, pipes need not keep the process alive.
    pipe: true,
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'],
  });
  browser.on('disconnected', () => (shared = undefined));
  const child = browser.process();
  child?.unref();
  for (const pipe of child?.stdio ?? []) (pipe as Socket | null)?.unref();
  return browser;
}

/** Opens a page that collects script errors and blocked or missing resources in `problems`. */
export async function watchedPage(browser: Browser, problems: string[]): Promise<Page> {
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  await page.setViewport({ width: 1280, height: 900 });
  page.on('pageerror', (error) => problems.push(`script: ${String(error)}`));
  page.on('console', (message) => {
    if (message.type() === 'error' && !(message.location().url ?? '').includes('favicon'))
      problems.push(`console: ${message.text()} ${message.location().url ?? ''}`);
  });
  return page;
}

/** Saves a screenshot, if CASEWRIGHT_TEST_SCREENSHOTS names a folder. */
export async function screenshot(page: Page, name: string): Promise<void> {
  const folder = process.env['CASEWRIGHT_TEST_SCREENSHOTS'];
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
}
