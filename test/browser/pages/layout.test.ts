import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { visibleFaults } from '../../support/browser/accessibility.ts';
import { browserMissing } from '../../support/browser/browser.ts';
import { visitor } from '../../support/browser/visitor.ts';
import { testPlatform } from '../../support/platform.ts';
import { workflowCalls } from '../../support/work/workflows.ts';

describe('the editor of page layouts', { skip: browserMissing }, async () => {
  const p = await testPlatform({ after });
  const { ok, save } = workflowCalls(p);
  await p.user('analyst', 'Analyst');
  await save('foreclosure', { Foreclosure: 'FC-1', DateOpened: '2026-02-03', ScheduledSaleDate: '2026-05-04' });

  it('WEB-05 an analyst moves, drags and adds facts, settles a conflict and publishes, with and without a mouse', async (t) => {
    const header = ['Foreclosure', 'DateOpened', { field: 'ScheduledSaleDate', label: 'Sale' }];
    const panels = [{ title: 'Loan', facts: ['LoanID'] }];
    const { PageLayoutID: id } = await save('pagelayout', {
      PageLayout: 'For analysts',
      AppliesTo: 'Foreclosure',
      Role: 'Analyst',
      Layout: JSON.stringify({ header, panels, tabs: ['Overview'] }),
    });
    const change = (version: number, verb: object): Promise<unknown> => {
      const content = { header: ['DateOpened', 'Foreclosure'], panels, tabs: ['Overview'], ...verb };
      const body = { ID: id, Version: version, Layout: JSON.stringify(content) };
      return ok(p.admin.post('/api/pagelayout/savedraft?Output=Json', body));
    };
    const analyst = await visitor(t, p, 'analyst');
    await analyst.open(`/configure/layouts/${String(id)}`);
    // Picked up by keyboard, put back, then moved to the top and on to the panel.
    await analyst.tabTo('button', 'Move Sale');
    await analyst.keys('Space', 'ArrowUp');
    await analyst.waitFor('Sale, 2 of 3 in Header', '#announcement');
    await analyst.keys('Escape');
    await analyst.waitFor('Put back: Sale, 3 of 3 in Header', '#announcement');
    await analyst.keys('Space', 'ArrowUp', 'ArrowUp', 'Space');
    await analyst.waitFor('Sale, 1 of 3 in Header. Saved.', '#announcement');
    assert.equal(await analyst.focused(), 'Move Sale');
    await analyst.keys('Space', 'ArrowRight', 'Enter');
    await analyst.waitFor('Sale, 2 of 2 in Loan. Saved.', '#announcement');
    await analyst.waitFor('v2 draft', '#version-name');
    assert.match(await analyst.waitFor('Sale', '#preview'), /Sale\s+May 4/, 'the preview shows it in the panel');
    assert.deepEqual(await visibleFaults(analyst.page), []);
    // Back to the header with the mouse.
    const middleOf = async (selector: string): Promise<{ x: number; y: number }> => {
      const box = await (await analyst.page.waitForSelector(selector))?.boundingBox();
      assert.ok(box);
      return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    };
    const [from, to] = [await middleOf('#grip-panel-Loan-ScheduledSaleDate'), await middleOf('#header-Foreclosure')];
    await analyst.page.mouse.move(from.x, from.y);
    await analyst.page.mouse.down();
    await analyst.page.mouse.move(to.x, to.y - 3, { steps: 8 });
    await analyst.page.mouse.up();
    await analyst.waitFor('Sale, 1 of 3 in Header. Saved.', '#announcement');
    // A field that does not exist is refused with the nearest one; then it is added by its label.
    await analyst.tabTo('combobox', 'Add to Header');
    await analyst.page.keyboard.type('Agencyy');
    await analyst.keys('Enter');
    await analyst.waitFor('has no field "Agencyy"');
    await analyst.page.focus('#add-header');
    await analyst.keys('Control+a');
    await analyst.page.keyboard.type('Status');
    await analyst.keys('Enter');
    await analyst.page.waitForSelector('#header-Status');
    // Somebody else saves meanwhile: the change waits for a decision, and is made on theirs.
    await change(4, {});
    analyst.expectProblem('409');
    analyst.expectProblem('400');
    await analyst.tabTo('button', 'Move Foreclosure');
    await analyst.keys('Space', 'ArrowUp', 'Space');
    await analyst.waitFor('changed this draft', '[data-conflict]');
    assert.equal(await analyst.focused(), 'Apply it to theirs');
    await analyst.keys('Enter');
    await analyst.page.waitForFunction("!document.querySelector('[data-conflict]')");
    await analyst.tabTo('link', 'Publish…');
    await analyst.follow(() => analyst.keys('Enter'));
    await analyst.waitFor('Header: ScheduledSaleDate removed');
    await analyst.tabTo('button', 'Publish v2');
    await analyst.follow(() => analyst.keys('Enter'));
    await analyst.waitFor('v2 published', '#version-name');
  });
});
