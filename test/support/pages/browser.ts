import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import puppeteer, { type Browser, type Page } from 'puppeteer-core';
import { atEnd } from '../at-end.ts';
import { chromiumPath } from './chromium.ts';
import type { CleanUp } from '../database.ts';

/** Why browser tests are skipped; false if a browser is installed. */
export const browserMissing: string | false =
  chromiumPath() === undefined ? 'there is no Chromium on this machine' : false;

/**
 * Starts a headless browser, closed at the end of the test file. It resolves no host names, so that nothing leaves the
 * machine.
 */
export async function testBrowser(cleanUp: CleanUp): Promise<Browser> {
  const browser = await puppeteer.launch({
    executablePath: chromiumPath() ?? '',
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'],
  });
  atEnd(cleanUp, () => browser.close());
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
