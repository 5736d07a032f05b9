import { readFileSync } from 'node:fs';
import type { Page } from 'puppeteer-core';

const AXE = readFileSync(new URL('../../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');

/** WCAG 2.0 to 2.2, A and AA, and axe's best practices. */
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** What a color scheme can break; the rest has been checked in the light one. */
const COLOR_RULES = ['color-contrast', 'link-in-text-block'];

/** Elements without faults, and selectors, are not needed; on a page of 4,000 they take a third of the time. */
const ONLY_FAULTS = { resultTypes: ['violations'], selectors: false };

/** How a page is looked at: on a desk and on a phone, in light and dark. */
const VIEWS = [
  { width: 1440, height: 900, scheme: 'light' },
  { width: 1440, height: 900, scheme: 'dark' },
  { width: 390, height: 844, scheme: 'dark' },
  { width: 390, height: 844, scheme: 'light' },
] as const;
type View = (typeof VIEWS)[number];

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

/**
 * Returns what is wrong with the current page at 1440 and 390 px, in light and dark: what axe finds, access keys that
 * two elements share, and contents wider than the screen. Colors alone are checked in dark. `within`: the part that axe
 * checks, such as an open dialog; default: the whole page. Afterwards the page is as wide as it was, and light.
 *
 * @example assert.deepEqual(await visibleFaults(page), []);
 */
export async function visibleFaults(page: Page, within = 'html'): Promise<string[]> {
  const before = page.viewport();
  const faults: string[] = [];
  for (const view of VIEWS) {
    await page.setViewport({ width: view.width, height: view.height });
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: view.scheme }]);
    // Colors fade from one scheme to the other.
    await page.evaluate('Promise.allSettled(document.getAnimations().map((each) => each.finished))');
    const options =
      view.scheme === 'light' ? { runOnly: RULES, rules: { accesskeys: { enabled: true } } } : { runOnly: COLOR_RULES };
    faults.push(...(await violations(page, within, options)).map((text) => `${nameOf(view)}: ${text}`));
    const width = Number(await page.evaluate('document.documentElement.scrollWidth'));
    if (width > view.width) faults.push(`${nameOf(view)}: the page is ${width} px wide`);
  }
  await page.setViewport(before);
  return faults;
}

function nameOf({ width, scheme }: View): string {
  return `${width} px, ${scheme}`;
}

async function violations(page: Page, within: string, options: object): Promise<string[]> {
  // Injected as a script element it would be blocked, without an error.
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(AXE);
  const found = await page.evaluate(
    (of, how) =>
      (
        globalThis as unknown as {
          axe: { run(of: string, how: object): Promise<{ violations: Violation[] }> };
        }
      ).axe.run(of, how),
    within,
    { ...options, ...ONLY_FAULTS },
  );
  return found.violations.map(
    ({ id, nodes }) =>
      `${id}: ${nodes
        .slice(0, 2)
        .map(({ html }) => html.slice(0, 150))
        .join(' | ')}`,
  );
}

/** Returns what axe finds against WCAG 2.1 A and AA on the page as it is, and access keys that two elements share. */
export function accessibilityViolations(page: Page): Promise<string[]> {
  return violations(page, 'html', {
    runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'],
    rules: { accesskeys: { enabled: true } },
  });
}
