/** A document beside the form of a work item, and beside a case. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { Page } from 'puppeteer-core';
import { fixedClock } from '../../../src/kernel/time/clock.ts';
import { visibleFaults } from '../../support/browser/accessibility.ts';
import { browserMissing, screenshot } from '../../support/browser/browser.ts';
import { visitor } from '../../support/browser/visitor.ts';
import { client } from '../../support/client.ts';
import { pdfOf } from '../../support/documents.ts';
import { testSession } from '../../support/pages/session.ts';
import { testPlatform } from '../../support/platform.ts';
import { workWorld } from '../../support/work/work-world.ts';

const p = await testPlatform({ after }, { clock: fixedClock('2026-11-18T15:00:00Z') });
const admin = client(p);
const world = await workWorld(p);
const caseId = await world.addCase('FC-26-04417', 'Delgado, Marisol', '88 Linden Ave');
const other = await world.addCase('FC-26-04418', 'Whitfield, Angela', '1204 Carver St');
const task = await world.addTask(caseId, -50, { AssignedPersonID: world.clerk.personId });
await world.addTask(other, -20);
await world.refresh();
const [report, deed] = [
  await stored('title report.pdf', await pdfOf('Taxes are paid', 'A junior lien', 'Vesting: a lien')),
  await stored('deed.pdf', await pdfOf('The deed')),
];

async function stored(FileName: string, content: Uint8Array): Promise<number> {
  const Content = Buffer.from(content).toString('base64');
  const row = await admin.save('attachment', { FileName, Content, Object: 'Foreclosure', ObjectID: caseId });
  assert.equal((await p.admin.post('/api/attachment/readtext', {})).status, 200);
  return Number(row['AttachmentID']);
}

it('DOC-04 WEB-02 without script the documents of a work item and of a case lead to their pages', async () => {
  const clerk = await testSession(p, 'dana');
  for (const path of [`/work?item=${task.itemId}`, `/case/foreclosure/${caseId}`])
    assert.match((await clerk.get(path)).text, new RegExp(`<a [^>]*href="/documents/${report}"`));
  assert.match((await clerk.get(`/documents/${report}`)).text, /Pages of the document/);
});

const width = (page: Page): Promise<unknown> =>
  page.$eval('.drawer-edge', (edge) => Number(edge.getAttribute('aria-valuenow')));

describe('a document beside the work', { skip: browserMissing }, () => {
  it('DOC-04 WEB-02 by keyboard: a document opens beside the form, is paged and searched, and closes; the answers stay', async (t) => {
    const clerk = await visitor(t, p, 'dana');
    const { page } = clerk;
    await clerk.open(`/work?item=${task.itemId}`);
    await clerk.tabTo('radio', 'Yes');
    await clerk.keys('Space');
    await page.focus('[name="answer.Recorded"]');
    await page.keyboard.type('0621');
    await clerk.tabTo('radio', 'Clear');
    await screenshot(page, 'work-with-documents');
    await clerk.keys('v');
    await page.waitForSelector(`document-viewer[data-id="${deed}"]`);
    await page.waitForFunction("document.activeElement?.classList.contains('viewer-pages')");
    await clerk.click('link', 'Next document');
    await page.waitForSelector(`document-viewer[data-id="${report}"] #page-1[data-words]`);
    await clerk.keys('.');
    await page.waitForFunction("document.querySelector('[data-page-number]').value === '2'");
    await clerk.keys('/');
    assert.equal(await clerk.focused(), 'Find in this document');
    await page.keyboard.type('lien');
    await clerk.keys('Enter');
    await clerk.waitFor('2 hits', '#viewer-hits');
    await page.waitForSelector('#page-2 rect.current');
    await screenshot(page, 'drawer-work');
    assert.deepEqual(await visibleFaults(page), []);
    // Esc empties the field first.
    await clerk.keys('Escape');
    assert.equal(await page.$eval('document-drawer [name=find]', (field) => (field as { value?: string }).value), '');
    await clerk.keys('F6');
    assert.equal(await clerk.focused(), 'Clear');
    await clerk.keys('F6', 'Escape');
    await page.waitForFunction("!document.querySelector('document-drawer')");
    assert.equal(await clerk.focused(), 'Clear', 'the focus returns to where it was');
    assert.equal(await page.$eval('[name="answer.Vesting"]:checked', (field) => field.getAttribute('value')), 'true');
  });

  it('WEB-02 the width is changed by keyboard and remembered; O opens the page of the document', async (t) => {
    const clerk = await visitor(t, p, 'dana');
    const { page } = clerk;
    await clerk.open(`/work?item=${task.itemId}`);
    await clerk.keys('v');
    await page.waitForSelector('.drawer-edge');
    const before = Number(await width(page));
    await page.focus('.drawer-edge');
    await clerk.keys('ArrowLeft', 'ArrowLeft');
    assert.equal(await width(page), before + 80);
    await page.reload();
    await clerk.keys('v');
    await page.waitForSelector('.drawer-edge');
    assert.equal(await width(page), before + 80);
    await clerk.keys('o');
    await page.waitForFunction(`location.pathname === '/documents/${deed}'`);
  });
});

describe('a document beside a case', { skip: browserMissing }, () => {
  it('DOC-04 WEB-01 a note that is being written stays while a document is read; on a phone it covers the page', async (t) => {
    const clerk = await visitor(t, p, 'dana');
    const { page } = clerk;
    await clerk.open(`/case/foreclosure/${caseId}`);
    await page.type('.composer textarea', 'The vesting name differs');
    await page.focus(`#newest-documents a[href="/documents/${report}"]`);
    await clerk.keys('Enter');
    await page.waitForSelector(`document-viewer[data-id="${report}"] #page-1[data-words]`);
    await screenshot(page, 'drawer-case');
    assert.deepEqual(await visibleFaults(page), []);
    await page.setViewport({ width: 390, height: 844 });
    await page.waitForFunction("document.getElementById('main').inert");
    await screenshot(page, 'drawer-phone');
    await clerk.click('button', 'Close');
    await page.waitForFunction("!document.querySelector('document-drawer') && !document.getElementById('main').inert");
    assert.equal(
      await page.$eval('.composer textarea', (field) => (field as { value?: string }).value),
      'The vesting name differs',
    );
    assert.match(await clerk.focused(), /title report\.pdf/);
  });
});
