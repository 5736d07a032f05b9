import assert from 'node:assert/strict';
import type { Page } from 'puppeteer-core';
import type { CleanUp } from '../database.ts';
import { cookieOf, signIn } from '../pages/session.ts';
import type { TestPlatform } from '../platform.ts';
import { sharedBrowser, watchedPage } from './browser.ts';

/** The width and height of a desk's screen. */
const SCREEN = { width: 1440, height: 900 };
/** The name under which a page reports that its policy blocked something. */
const REPORT = 'reportBlocked';

/** Somebody at a browser. Input is real: keys and mouse, never a script's. */
export interface Visitor {
  readonly page: Page;
  /** Opens a page of the platform. */
  open(path: string): Promise<void>;
  /** Does something that leads to another page, and waits until that is loaded. */
  follow(act: () => Promise<unknown>): Promise<void>;
  /** Presses keys one after the other: `await keys('Tab', 'Enter')`. `Control+k` presses both at once. */
  keys(...names: string[]): Promise<void>;
  /** Clicks the control of this role and accessible name with the mouse, once it is there and does not move. */
  click(role: string, name: string): Promise<void>;
  /** Presses Tab until the control of this role and accessible name has the focus. */
  tabTo(role: string, name: string): Promise<void>;
  /** Waits until the element contains the text, and returns its whole text. Default: the main element. */
  waitFor(text: string, selector?: string): Promise<string>;
  /** Returns the accessible name of what has the focus; empty if nothing has. */
  focused(): Promise<string>;
  /** Declares that problems which contain this are part of the test, such as the console's line about a 409. */
  expectProblem(text: string): void;
}

/** Cookies by platform and user: each signs in once. */
const cookies = new WeakMap<TestPlatform, Map<string, Promise<string>>>();

/**
 * Opens the browser for a user that `platform.user` or `platform.firm` created, signed in without the sign-in page. At
 * the end of the test, fails it if a script failed, a resource was missing, or the pages' policy blocked something. So
 * it takes the test's own context; use one visitor in each test.
 *
 * @example
 * it('WEB-01 …', async (t) => {
 *   const clerk = await visitor(t, platform, 'clerk');
 *   await clerk.open('/work');
 *   await clerk.keys('n');
 *   await clerk.waitFor('Lien found');
 *   assert.deepEqual(await visibleFaults(clerk.page), []);
 * });
 */
export async function visitor(test: CleanUp, platform: TestPlatform, name: string): Promise<Visitor> {
  const problems: string[] = [];
  const expected: string[] = [];
  const page = await watchedPage(await sharedBrowser(), problems);
  test.after(async () => {
    // What has been blocked just now is reported by an event that may still be under way. A page without script
    // reports nothing, and its frames call nothing back.
    if (page.isJavaScriptEnabled()) await page.evaluate('new Promise((resolve) => requestAnimationFrame(resolve))');
    await page.browserContext().close();
    assert.deepEqual(
      problems.filter((problem) => !expected.some((text) => problem.includes(text))),
      [],
    );
  });
  await page.setViewport(SCREEN);
  await reportBlocked(page, problems);
  await page.browserContext().setCookie(await sessionCookie(platform, name));
  return { page, ...input(page), ...reading(page), open: opener(page, platform.url), expectProblem };
  function expectProblem(text: string): void {
    expected.push(text);
  }
}

/** The document of a page, as far as the functions below use it; they are compiled without the browser's types. */
interface PageGlobals {
  readonly document: {
    addEventListener(type: string, listener: (event: Readonly<Record<string, unknown>>) => void): void;
    querySelector(selector: string): { readonly innerText: string } | null;
  };
  readonly [REPORT]: (text: string) => void;
}

/** Reports what the policy of a page blocks. The browser's console does not name every such event. */
async function reportBlocked(page: Page, problems: string[]): Promise<void> {
  await page.exposeFunction(REPORT, (text: string) => void problems.push(`blocked: ${text}`));
  await page.evaluateOnNewDocument((report) => {
    const globals = globalThis as unknown as PageGlobals;
    globals.document.addEventListener('securitypolicyviolation', (event) => {
      const { effectiveDirective, blockedURI, sourceFile, lineNumber } = event;
      globals[report as typeof REPORT](
        `${String(effectiveDirective)} ${String(blockedURI)} at ${String(sourceFile)}:${String(lineNumber)}`,
      );
    });
  }, REPORT);
}

async function sessionCookie(platform: TestPlatform, user: string) {
  const known = cookies.get(platform) ?? new Map<string, Promise<string>>();
  cookies.set(platform, known);
  const pending =
    known.get(user) ?? signIn(platform.url, user, `password of ${user}`).then((answer) => cookieOf(answer));
  known.set(user, pending);
  const [name = '', value = ''] = (await pending).split('=', 2);
  assert.notEqual(value, '', `${user} could not sign in`);
  return { name, value, domain: new URL(platform.url).hostname, path: '/', httpOnly: true };
}

function opener(page: Page, url: string): Visitor['open'] {
  return async (path) => {
    await page.goto(url + path, { waitUntil: 'load' });
  };
}

function input(page: Page): Pick<Visitor, 'follow' | 'keys' | 'click' | 'tabTo'> {
  const control = (role: string, name: string): string => `::-p-aria([name="${name}"][role="${role}"])`;
  return {
    async follow(act) {
      await Promise.all([page.waitForNavigation(), act()]);
    },
    async keys(...names) {
      for (const name of names) {
        const held = name.split('+').slice(0, -1) as never[];
        for (const key of held) await page.keyboard.down(key);
        await page.keyboard.press(name.split('+').at(-1) as never);
        for (const key of held.toReversed()) await page.keyboard.up(key);
      }
    },
    async click(role, name) {
      await page.locator(control(role, name)).click();
    },
    async tabTo(role, name) {
      const target = await page.waitForSelector(control(role, name));
      for (let pressed = 0; pressed < TABS_MAX; pressed++) {
        await page.keyboard.press('Tab');
        if (await target?.evaluate((element) => element.matches(':focus'))) return;
      }
      assert.fail(`Tab does not lead to the ${role} "${name}".`);
    },
  };
}

/** A page with more stops than this is none for the keyboard. */
const TABS_MAX = 200;

function reading(page: Page): Pick<Visitor, 'waitFor' | 'focused'> {
  return {
    async waitFor(text, selector = 'main') {
      const found = await page.waitForFunction(
        (of, expected) => {
          const shown = (globalThis as unknown as PageGlobals).document.querySelector(of)?.innerText;
          return shown?.includes(expected) === true ? { shown } : undefined;
        },
        {},
        selector,
        text,
      );
      return (await found.jsonValue())?.shown ?? '';
    },
    async focused() {
      const snapshot = await page.accessibility.snapshot();
      const find = (node: typeof snapshot): string | undefined =>
        node?.focused === true ? (node.name ?? '') : node?.children?.map(find).find((name) => name !== undefined);
      return find(snapshot) ?? '';
    },
  };
}
