import { readFileSync } from 'node:fs';
import type { Page } from 'puppeteer-core';

const AXE = readFileSync(new URL('../../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');

/** Returns what axe finds against WCAG 2.1 A and AA on the current page, and access keys that two elements share. */
export async function accessibilityViolations(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const found = await page.evaluate(() =>
    (
      globalThis as unknown as {
        axe: { run(options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
      }
    ).axe.run({
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'],
      rules: { accesskeys: { enabled: true } },
    }),
  );
  return found.violations.map(
    ({ id, nodes }) =>
      `${id}: ${nodes
        .slice(0, 2)
        .map(({ html }) => html.slice(0, 150))
        .join(' | ')}`,
  );
}

/** Signs in as a user that `platform.user` or `platform.firm` created. */
export async function signInAt(page: Page, url: string, name: string): Promise<void> {
  await page.goto(`${url}/signin`);
  await page.type('#name', name);
  await page.type('#password', `password of ${name}`);
  await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
}

/** Clicks a button or link by its text within a selector, and waits for the next page. */
export async function press(page: Page, selector: string, text: string): Promise<void> {
  const handle = await page.waitForSelector(`${selector} ::-p-text(${text})`);
  await Promise.all([page.waitForNavigation(), handle?.click()]);
}
