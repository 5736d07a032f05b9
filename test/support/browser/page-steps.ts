import type { Page } from 'puppeteer-core';
import { cookieOf, signIn } from '../pages/session.ts';

/**
 * Signs in as a user that `platform.user` or `platform.firm` created, without opening a page: that takes half a second
 * of a core less than the form.
 */
export async function signInAt(page: Page, url: string, name: string): Promise<void> {
  const [cookie = '', value = ''] = cookieOf(await signIn(url, name, `password of ${name}`)).split('=', 2);
  if (value === '') throw new Error(`${name} could not sign in`);
  const { hostname } = new URL(url);
  await page.browserContext().setCookie({ name: cookie, value, domain: hostname, path: '/', httpOnly: true });
}

/** Signs in by the form of the sign-in page, which leads to the home page. */
export async function signInByForm(page: Page, url: string, name: string): Promise<void> {
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
