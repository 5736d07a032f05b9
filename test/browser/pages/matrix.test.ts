import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { visibleFaults } from '../../support/browser/accessibility.ts';
import { browserMissing } from '../../support/browser/browser.ts';
import { visitor, type Visitor } from '../../support/browser/visitor.ts';
import { testPlatform } from '../../support/platform.ts';
import { matrixCalls } from '../../support/rules/matrices.ts';

/** Pastes into what has the focus, as a spreadsheet's cells are pasted. Browsers without a screen have no clipboard. */
async function paste({ page }: Visitor, text: string): Promise<void> {
  await page.evaluate((pasted) => {
    const { document, DataTransfer, ClipboardEvent } = globalThis as unknown as {
      document: { activeElement: { dispatchEvent(event: unknown): void } };
      DataTransfer: new () => { setData(type: string, text: string): void };
      ClipboardEvent: new (type: string, options: object) => unknown;
    };
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', pasted);
    const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
    document.activeElement.dispatchEvent(event);
  }, text);
}

describe('the editor of matrices', { skip: browserMissing }, async () => {
  const p = await testPlatform({ after });
  const { ok, table, lookup } = matrixCalls(p);
  await p.user('analyst', 'Analyst');

  it('WEB-04 an analyst edits a cell, pastes rows, fixes a conflict, tries a case and publishes, by keyboard', async (t) => {
    const { MatrixID: id } = await ok(
      table(
        'Fees',
        'State,Balance,Price\n5,1,output\ntype: Text,type: Number,type: Money\nNY,,100\nFL,0 - 250000,200\n,,300\n',
      ),
    );
    const analyst = await visitor(t, p, 'analyst');
    await analyst.open(`/configure/matrices/${String(id)}`);
    await analyst.tabTo('gridcell', 'NY');
    // Typing replaces the text; Enter stores it and moves down.
    await analyst.keys('ArrowRight', 'ArrowRight', '1', '5', '0', 'Enter');
    await analyst.waitFor('Saved', '#saved');
    await analyst.waitFor('1 changed', '#change-counts');
    assert.match(await analyst.waitFor('100', '#row-1'), /100\s*150/, 'the former price is shown beside the new one');
    // An unreadable cell says at once what was expected.
    await analyst.keys('ArrowLeft', 'F2', 'End', 'x');
    await analyst.waitFor('Expected a number', '#cell-reading');
    await analyst.keys('Escape');
    // Three rows from a spreadsheet, below the last row.
    await analyst.keys('Control+End', 'Control+Enter');
    await paste(analyst, 'FL\t200k to 500k\t250\nTX\tany\t90\nCA\t>500k\t80\n');
    await analyst.waitFor('Rows 2 and 4 tie', '#problems');
    await analyst.waitFor('Fix 1 conflict to publish', '#publishing');
    assert.deepEqual(await visibleFaults(analyst.page), []);
    await analyst.keys('Control+z', 'Control+y');
    await analyst.waitFor('200k – 500k', '#row-4');
    // The link to the problem leads to its row.
    await analyst.tabTo('link', 'Fix 1 conflict to publish');
    await analyst.keys('Enter');
    await analyst.keys('F2', 'Escape');
    assert.match(await analyst.focused(), /200k – 500k/);
    // The suggested fix changes the cell and goes there.
    await analyst.tabTo('link', 'Start row 4 at 250,000.01');
    await analyst.keys('Enter');
    await analyst.waitFor('250,000.01 – 500,000', '#row-4');
    await analyst.page.waitForFunction("!document.querySelector('#problems').innerText.includes('tie')");
    // A trial marks the row that decides, and saves nothing.
    await analyst.tabTo('combobox', 'State');
    await analyst.page.keyboard.type('TX');
    const trial = await analyst.waitFor('wins', '#trial');
    assert.match(trial, /Row 5 wins\s+5 of 6[\s\S]*\$90[\s\S]*State\s+is TX\s+\+5[\s\S]*Near misses/);
    await analyst.page.waitForSelector('#row-5.wins');
    await analyst.page.keyboard.press('Tab');
    assert.equal(Number((await lookup('Fees', { State: 'NY' }))[0]?.['Price']), 100, 'the published version decides');
    await analyst.tabTo('link', 'Publish…');
    await analyst.follow(() => analyst.keys('Enter'));
    await analyst.waitFor('3 rows added');
    assert.deepEqual(await visibleFaults(analyst.page), []);
    await analyst.tabTo('button', 'Publish v2');
    await analyst.follow(() => analyst.keys('Enter'));
    await analyst.waitFor('v2 published', '#version-name');
    assert.equal(Number((await lookup('Fees', { State: 'NY' }))[0]?.['Price']), 150);
    assert.equal(Number((await lookup('Fees', { State: 'FL', Balance: '300000' }))[0]?.['Price']), 250);
  });

  it('WEB-04 changes that somebody else made meanwhile stay, and so do those that were not saved yet', async (t) => {
    const { MatrixID: id } = await ok(table('Shared', 'State,Price\n5,output\nNY,100\nFL,200\n'));
    const analyst = await visitor(t, p, 'analyst');
    await analyst.open(`/configure/matrices/${String(id)}`);
    const edits = [{ kind: 'insert', at: 0, rows: [['CA', '50']] }];
    await ok(p.admin.post('/api/matrix/savedraft?Output=Json', { ID: id, Version: 0, Edits: JSON.stringify(edits) }));
    analyst.expectProblem('409');
    await analyst.tabTo('gridcell', 'NY');
    await analyst.keys('ArrowRight', '1', '5', '0', 'Enter');
    await analyst.waitFor('Somebody else changed this draft', '#conflict');
    await analyst.tabTo('button', 'Add mine to theirs');
    await analyst.keys('Enter');
    await analyst.waitFor('Saved', '#saved');
    const { Grid } = await ok(p.admin.get(`/api/matrix/draft?ID=${String(id)}&Output=Json`));
    assert.deepEqual((Grid as { rows: unknown }).rows, [
      ['CA', '50'],
      ['NY', '150'],
      ['FL', '200'],
    ]);
  });
});
