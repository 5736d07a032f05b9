import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { visibleFaults } from '../../support/browser/accessibility.ts';
import { browserMissing } from '../../support/browser/browser.ts';
import { visitor } from '../../support/browser/visitor.ts';
import { testPlatform } from '../../support/platform.ts';

describe('the palette and the first steps in a browser', { skip: browserMissing }, async () => {
  const p = await testPlatform({ after });
  await p.user('clerk', 'Staff');
  await p.user('chief', 'Administrator');

  before(async () => {
    const loan = await p.admin.post('/api/loan/save?Output=Json', {
      Loan: '901077001',
      Agency: 'INVESTOR',
      Borrowers: [{ FirstName: 'Marisol', LastName: 'Delgado', BorrowerType: 'Primary', Sequence: 1 }],
    });
    const made = await p.admin.post('/api/foreclosure/save?Output=Json', {
      Foreclosure: 'PAL-26-00201',
      Status: 'Open',
      LoanID: loan.json()['LoanID'],
    });
    assert.equal(made.status, 200, made.text);
  });

  it('WEB-01 a clerk finds a case by the misspelled name of its borrower, opens it and acts on it, by keyboard', async (t) => {
    const clerk = await visitor(t, p, 'clerk');
    const { page } = clerk;
    await clerk.open('/records');
    await page.keyboard.down('Control');
    await page.keyboard.press('k');
    await page.keyboard.up('Control');
    await page.keyboard.type('Delgdao');
    await page.waitForSelector('dialog.palette [role=option][href^="/case/"][aria-selected=true]');
    assert.deepEqual(await visibleFaults(page), []);
    await clerk.follow(() => page.keyboard.press('Enter'));
    assert.match(new URL(page.url()).pathname, /^\/case\/foreclosure\/\d+$/);
    // Opened before, it comes at once, without the server.
    await clerk.open('/records');
    await page.keyboard.down('Control');
    await page.keyboard.press('k');
    await page.keyboard.up('Control');
    await page.waitForSelector('dialog.palette [data-from=recent] [href^="/case/"]');
    // Commands are in the same list.
    await page.keyboard.type('keys');
    await page.waitForSelector('dialog.palette [data-action][aria-selected=true]');
    await page.keyboard.press('Enter');
    await page.waitForSelector('#keys-help[open]');
    await page.keyboard.press('Escape');
    await page.waitForSelector('#keys-help:not([open])');
  });

  it('WEB-01 the search page finds the misspelled name too', async (t) => {
    const clerk = await visitor(t, p, 'clerk');
    await clerk.open('/search?Text=Delgdao');
    assert.match(await clerk.page.content(), /Delgado/);
  });

  it('WEB-01 results are reached from the field, moved through and opened by keyboard', async (t) => {
    const clerk = await visitor(t, p, 'clerk');
    for (const FirstName of ['Ines', 'Noemi'])
      await p.admin.post('/api/contact/save', { LastName: 'Sandoval', FirstName, Address: '4 Sandoval Row' });
    await clerk.open('/search?Text=Sandoval');
    assert.deepEqual(await visibleFaults(clerk.page), []);
    await clerk.keys('/');
    assert.equal(await clerk.page.evaluate('document.activeElement.id'), 'text');
    await clerk.keys('ArrowDown');
    const first = await clerk.focused();
    await clerk.keys('j');
    const second = await clerk.focused();
    assert.deepEqual([first, second].toSorted(), ['Sandoval, Ines', 'Sandoval, Noemi']);
    await clerk.follow(() => clerk.keys('Enter'));
    assert.match(new URL(clerk.page.url()).pathname, /^\/records\/contact\/\d+$/);
    assert.ok((await clerk.page.title()).startsWith(second));
  });

  it('WEB-01 an administrator takes the first steps and hides them', async (t) => {
    const chief = await visitor(t, p, 'chief');
    await chief.open('/');
    await chief.follow(() => chief.click('link', 'First steps'));
    assert.match(await chief.waitFor('Begin for real', 'main'), /Add the people of your office/);
    assert.deepEqual(await visibleFaults(chief.page), []);
    await chief.follow(() => chief.click('button', 'Hide from home'));
    assert.equal(await chief.page.$('main a[href="/welcome"]'), null);
  });
});
