/** The work of a clerk and of a team lead without a mouse. */
import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, it } from 'node:test';
import { browserMissing, screenshot } from '../../support/browser/browser.ts';
import { visitor, type Visitor } from '../../support/browser/visitor.ts';
import { chooseFileByKeyboard } from '../../support/browser/choose-file.ts';
import { client } from '../../support/client.ts';
import { testPlatform } from '../../support/platform.ts';
import { workWorld } from '../../support/work/work-world.ts';
import { workflowCalls } from '../../support/work/workflows.ts';

const p = await testPlatform({ after }, { worker: true });
const admin = client(p);
const world = await workWorld(p);
const { template, start } = workflowCalls(p);

it(
  'WEB-01 WEB-02 WEB-07 a clerk signs in, completes an item, finds a case by a misspelled name, holds it, ' +
    'writes a note, adds documents, changes a date and undoes it, and hands an item over, all by keyboard',
  { skip: browserMissing },
  async (t) => {
    const caseId = await world.addCase('FC-26-04417', 'Delgado, Marisol', '88 Linden Ave');
    await admin.save('foreclosure', { ID: caseId, Status: 'Open', DateOpened: '2026-01-05' });
    await template('Review', [{ name: 'Look' }]);
    await start('Review', caseId);
    await admin.save('decisiondelaytemplate', { DecisionDelayTemplate: 'Workout', AppliesTo: 'Foreclosure' });
    const mine = { AssignedPersonID: world.clerk.personId };
    const first = await world.addTask(caseId, -50, mine);
    const second = await world.addTask(
      await world.addCase('FC-26-04418', 'Whitfield, Angela', '1 Carver St'),
      -20,
      mine,
    );
    await world.refresh();
    const clerk = await visitor(t, p, 'dana');
    await signIn(clerk);
    await completeItem(clerk, first.itemId);
    await findCase(clerk, caseId);
    await holdAndNote(clerk);
    await addDocuments(clerk, caseId);
    await changeDate(clerk, caseId);
    await handOver(clerk, second.itemId);
    const row = await admin.select('smartworklistmember', second.itemId);
    assert.equal(row['PersonID'], world.lead.personId);
  },
);

async function signIn({ page, open, keys, follow, waitFor }: Visitor): Promise<void> {
  await page.browserContext().deleteCookie(...(await page.browserContext().cookies()));
  await open('/');
  await page.keyboard.type('dana');
  await keys('Tab');
  await page.keyboard.type('password of dana');
  await follow(() => keys('Enter'));
  await waitFor('Delgado, Marisol');
}

async function completeItem({ page, keys, follow, tabTo, waitFor }: Visitor, itemId: number): Promise<void> {
  await follow(() => keys('w'));
  assert.ok(page.url().endsWith(`item=${itemId}`), page.url());
  await tabTo('radio', 'Yes');
  await keys('Space', 'Tab');
  await page.keyboard.type('06212020');
  await tabTo('radio', 'Clear');
  await keys('Space', 'c');
  await waitFor('Whitfield, Angela', '.work-case');
  assert.equal((await admin.select('smartworklistmember', itemId))['Status'], 'Completed');
}

async function findCase({ page, keys, follow, waitFor }: Visitor, caseId: number): Promise<void> {
  await keys('Control+k');
  await page.keyboard.type('Delgdao');
  await page.waitForSelector('dialog.palette [role=option][href^="/case/"][aria-selected=true]');
  await follow(() => keys('Enter'));
  assert.equal(new URL(page.url()).pathname, `/case/foreclosure/${caseId}`);
  await waitFor('88 Linden Ave');
}

async function holdAndNote({ page, keys, follow, tabTo, waitFor }: Visitor): Promise<void> {
  await keys('h');
  await page.waitForSelector('select[name=DecisionDelay]:focus');
  await page.keyboard.type('Work');
  await tabTo('textbox', 'Reason');
  await page.keyboard.type('Package is complete');
  await follow(() => keys('Control+Enter'));
  await waitFor('The case is on hold. Workout since');
  await keys('n');
  await page.waitForSelector('textarea[name=BodyText]:focus');
  await page.keyboard.type('Borrower called.');
  await follow(() => keys('Control+Enter'));
  await waitFor('Note added.');
}

/** Adds a document that is chosen, and one that is dropped on the page, as from a window of files. */
async function addDocuments(clerk: Visitor, caseId: number): Promise<void> {
  const { page, keys, waitFor } = clerk;
  const folder = mkdtempSync(join(tmpdir(), 'half-hour-'));
  const [chosen, dropped] = [join(folder, 'title-report.txt'), join(folder, 'deed.txt')];
  for (const path of [chosen, dropped]) writeFileSync(path, 'Clear.');
  await keys('3');
  await waitFor('Add a file');
  await chooseFileByKeyboard(clerk, chosen);
  await waitFor('title-report.txt');
  const session = await page.createCDPSession();
  const data = { items: [], files: [dropped], dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await session.send('Input.dispatchDragEvent', { type, x: 500, y: 400, data });
  await waitFor('deed.txt');
  const documents = await admin.expectRows('attachment/search', { Object: 'Foreclosure', ObjectID: caseId });
  assert.deepEqual(new Set(documents.map(({ FileName: name }) => name)), new Set(['deed.txt', 'title-report.txt']));
}

async function changeDate({ page, keys, follow, waitFor }: Visitor, caseId: number): Promise<void> {
  await keys('1');
  await waitFor('Open tasks');
  await follow(() => keys('d'));
  await page.waitForSelector('#act input[name=DateOpened]:focus');
  await page.keyboard.type('02062026');
  await follow(() => keys('Enter'));
  await waitFor('The dates were changed.');
  assert.equal((await admin.select('foreclosure', caseId))['DateOpened'], '2026-02-06');
  await follow(() => keys('z'));
  await waitFor('The change was undone.');
  assert.equal((await admin.select('foreclosure', caseId))['DateOpened'], '2026-01-05');
}

async function handOver({ page, keys, follow, waitFor }: Visitor, itemId: number): Promise<void> {
  await follow(() => keys('w'));
  await waitFor('Whitfield, Angela', '.work-case');
  await screenshot(page, 'half-hour-work');
  await follow(() => keys('r'));
  await page.waitForSelector(`select[name=To]:focus`);
  await page.keyboard.type('Ruth');
  await follow(() => keys('Tab', 'Enter'));
  await waitFor('all caught up');
  assert.notEqual((await admin.select('smartworklistmember', itemId))['PersonID'], world.clerk.personId);
}

it(
  'WEB-01 WEB-02 WEB-07 a team lead sees who has what, why an item is there, moves items to another team, undoes it, ' +
    'puts one first, and assigns a case, all by keyboard',
  { skip: browserMissing },
  async (t) => {
    const caseId = await world.addCase('FC-26-05001', 'Osborne, Grace', '12 Carver St');
    const late = await world.addTask(caseId, -30, { AssignedPersonID: world.clerk.personId });
    const open = await world.addTask(await world.addCase('FC-26-05002', 'Haddad, Noor', '3 Elm St'), -25);
    await world.refresh();
    const lead = await visitor(t, p, 'ruth');
    await lead.open('/');
    await lead.follow(() => lead.keys('g', 't'));
    await lead.waitFor('Osborne');
    await explainItem(lead);
    await moveAndUndo(lead, [late.itemId, open.itemId]);
    await putFirst(lead);
    await assignCase(lead, caseId);
  },
);

async function explainItem({ page, keys, follow, waitFor }: Visitor): Promise<void> {
  await keys('j');
  await follow(() => keys('Enter'));
  await waitFor('Assigned to');
  assert.match(page.url(), /\/item\/why/);
  await follow(() => keys('g', 't'));
  await waitFor('Osborne');
}

async function moveAndUndo({ page, keys, follow, tabTo, waitFor }: Visitor, ids: readonly number[]): Promise<void> {
  const teams = async (): Promise<unknown[]> =>
    Promise.all(ids.map(async (id) => (await admin.select('smartworklistmember', id))['TeamID']));
  await keys('j', 'x', 'j', 'x', 'm');
  await page.waitForSelector('select[name=To]:focus');
  await page.keyboard.type('Anyone in Sales');
  await tabTo('button', 'Move');
  await follow(() => keys('Enter'));
  await waitFor('Move 2 items to Anyone in Sales?');
  await follow(() => keys('Enter'));
  await waitFor('2 items were moved.');
  assert.deepEqual(await teams(), [world.otherTeamId, world.otherTeamId]);
  await follow(() => keys('z'));
  await waitFor('Undone.');
  assert.deepEqual(await teams(), [world.teamId, world.teamId]);
}

async function putFirst({ page, keys, follow, tabTo, waitFor }: Visitor): Promise<void> {
  await keys('j', 'x');
  await tabTo('spinbutton', 'Priority, lower comes first');
  await page.keyboard.type('1');
  await tabTo('button', 'Set priority');
  await follow(() => keys('Enter'));
  await waitFor('1 item was given the priority.');
}

async function assignCase({ page, keys, follow, waitFor }: Visitor, caseId: number): Promise<void> {
  await follow(() => keys('g', 'c'));
  await keys('/');
  await page.keyboard.type('osborne');
  await keys('Enter');
  await page.waitForFunction("document.querySelectorAll('.record-rows tbody tr').length === 1");
  await keys('Tab', 'j', 'x');
  await follow(() => keys('r'));
  await page.waitForSelector('#AssignedPersonID:focus');
  await page.keyboard.type('Okaf');
  await page.waitForSelector('[role=option][aria-selected=true]');
  await keys('Enter');
  await follow(() => keys('Enter'));
  await waitFor('1 of 1 can be changed');
  await follow(() => keys('Enter'));
  await waitFor('1 of 1 done');
  assert.equal((await admin.select('foreclosure', caseId))['AssignedPersonID'], world.clerk.personId);
}
