import assert from 'node:assert/strict';
import type { Page } from 'puppeteer-core';
import type { Visitor } from './visitor.ts';

/** A page with more stops than this before its choice of files is none for the keyboard. */
const TABS_MAX = 100;

/**
 * Chooses a file in the input that the selector finds. It replaces the browser's own dialog, which does not always open
 * in time on a busy machine and is not part of the page.
 */
export async function chooseFile(page: Page, selector: string, path: string): Promise<void> {
  const input = (await page.waitForSelector(selector)) as unknown as { uploadFile(file: string): Promise<void> };
  await input.uploadFile(path);
}

/** Presses Tab until a choice of files has the focus, and chooses a file in it. */
export async function chooseFileByKeyboard({ page, keys }: Visitor, path: string): Promise<void> {
  for (let pressed = 0; (await page.$('input[type=file]:focus')) === null; pressed++) {
    assert.ok(pressed < TABS_MAX, 'Tab does not lead to the choice of files.');
    await keys('Tab');
  }
  await chooseFile(page, 'input[type=file]:focus', path);
}
