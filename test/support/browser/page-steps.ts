import type { Page } from 'puppeteer-core';

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
