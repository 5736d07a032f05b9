import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { visibleFaults } from '../../support/browser/accessibility.ts';
import { browserMissing } from '../../support/browser/browser.ts';
import { visitor } from '../../support/browser/visitor.ts';
import { testPlatform } from '../../support/platform.ts';

describe('the visitor of browser tests', { skip: browserMissing }, async () => {
  const p = await testPlatform({ after });
  await p.user('clerk', 'Staff');

  it('WEB-01 is signed in, reaches controls by keyboard, and opens what it activates', async (t) => {
    const clerk = await visitor(t, p, 'clerk');
    await clerk.open('/records');
    await clerk.tabTo('link', 'Cases');
    assert.equal(await clerk.focused(), 'Cases');
    await clerk.follow(() => clerk.keys('Enter'));
    assert.match(await clerk.waitFor('Cases', 'h1'), /^Cases/);
    await clerk.follow(() => clerk.click('link', 'All records'));
    assert.equal(new URL(clerk.page.url()).pathname, '/records');
  });

  it('WEB-01 fails its test if the policy of a page blocks something', async () => {
    const ends: (() => void | Promise<void>)[] = [];
    const clerk = await visitor({ after: (end) => ends.push(end) }, p, 'clerk');
    await clerk.open('/records');
    await clerk.page.evaluate(() => {
      const { document } = globalThis as unknown as { document: { body: { insertAdjacentHTML: InsertHtml } } };
      document.body.insertAdjacentHTML('beforeend', '<p style="width: 2000px" accesskey="e">wide</p>');
    });
    await assert.rejects(async () => {
      for (const end of ends) await end();
    }, /blocked: style-src-attr inline/);
  });

  it('WEB-01 finds faults of a page, on a phone too', async (t) => {
    const clerk = await visitor(t, p, 'clerk');
    await clerk.open('/records');
    await clerk.page.evaluate(() => {
      const { document } = globalThis as unknown as { document: { body: { insertAdjacentHTML: InsertHtml } } };
      document.body.insertAdjacentHTML('beforeend', '<main><canvas width="900"></canvas><input></main>');
    });
    const faults = (await visibleFaults(clerk.page)).join('\n');
    assert.match(faults, /1440 px, light: label/);
    assert.match(faults, /390 px, light: the page is \d+ px wide/);
  });
});

type InsertHtml = (position: string, text: string) => void;
