/** What happens to an item that is open in work mode, and to what was entered, when something goes wrong. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { visibleFaults } from '../../support/browser/accessibility.ts';
import { browserMissing, screenshot } from '../../support/browser/browser.ts';
import { visitor, type Visitor } from '../../support/browser/visitor.ts';
import { client } from '../../support/client.ts';
import { testSession } from '../../support/pages/session.ts';
import { testPlatform } from '../../support/platform.ts';
import { workflowCalls } from '../../support/work/workflows.ts';
import { workWorld } from '../../support/work/work-world.ts';

const p = await testPlatform({ after });
const admin = client(p);
const world = await workWorld(p);
const lead = client(p, world.lead.caller);
let cases = 0;

/** Opens work mode with a task of a case of its own, and answers what is required. */
async function openAnswered(clerk: Visitor, name: string): Promise<{ caseId: number; taskId: number; itemId: number }> {
  const caseId = await world.addCase(`FC-${++cases}`, name, `${cases} Oak St`);
  const task = await world.addTask(caseId, -cases, { AssignedPersonID: world.clerk.personId });
  await world.refresh();
  await clerk.open(`/work?item=${task.itemId}`);
  await clerk.waitFor('Does the vesting name match');
  await clerk.tabTo('radio', 'Yes');
  await clerk.keys('Space');
  await clerk.waitFor('Saved', '.work-foot');
  await clerk.keys('Tab');
  await clerk.page.keyboard.type('06212020');
  await clerk.tabTo('radio', 'Clear');
  await clerk.keys('Space');
  await clerk.waitFor('Saved', '.work-foot');
  return { caseId, ...task };
}

/** Returns what a page says in its main part. */
function wordsOf(page: string): string {
  const main = page.slice(page.indexOf('<work-mode'), page.indexOf('</work-mode>'));
  return main.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
}

/** How often a record's field was changed from nothing to something. */
async function timesFilled(table: string, id: number, column: string): Promise<number> {
  const rows = await p.platform.store.query<{ old: Record<string, unknown> }>(
    'select old from history where tablename = $1 and recordid = $2::bigint',
    [table, id],
  );
  return rows.filter(({ old }) => column in old && old[column] === null).length;
}

describe('an item that is open in work mode', { skip: browserMissing }, () => {
  it('WEB-02 an item that is completed without a network is kept, completed once when the network is back, and followed by the next one in one request', async (t) => {
    const clerk = await visitor(t, p, 'dana');
    const { page } = clerk;
    const next = await world.addTask(await world.addCase('FC-next', 'Next, Nora', '1 Last St'), 50, {
      AssignedPersonID: world.clerk.personId,
    });
    const { taskId, itemId } = await openAnswered(clerk, 'Offline, Olga');
    clerk.expectProblem('ERR_INTERNET_DISCONNECTED');
    await page.setOfflineMode(true);
    await clerk.keys('c');
    await clerk.waitFor('This item is completed as soon as the connection is back.', '.work-foot');
    await clerk.keys('c');
    assert.equal((await admin.select('importform', taskId))['ActualCompletion'], undefined);
    const requests: string[] = [];
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url());
      if (pathname === '/work' && !searchParams.has('Part')) requests.push(request.method());
    });
    await page.setOfflineMode(false);
    await clerk.waitFor('Next, Nora', '.work-case');
    assert.match(page.url(), new RegExp(`item=${next.itemId}$`));
    assert.deepEqual(requests, ['POST']);
    assert.deepEqual(
      [
        await timesFilled('importform', taskId, 'actualcompletion'),
        await timesFilled('smartworklistmember', itemId, 'completiondate'),
      ],
      [1, 1],
    );
    // Once the page is closed: it claims the item that it shows.
    t.after(async () => {
      await admin.expectOk('smartworklistmember/bulkcomplete', { ID: next.itemId });
    });
  });

  it('WEB-02 answers survive the end of the session: the page says so where it is, and leads back to the same item', async (t) => {
    const clerk = await visitor(t, p, 'dana');
    const { page } = clerk;
    const { taskId } = await openAnswered(clerk, 'Session, Sid');
    await clerk.tabTo('textbox', '4. Note to the firm optional');
    await page.keyboard.type('Typed as the session ended');
    await p.platform.store.query("update session set endeddate = now(), status = 'Ended' where personid = $1::bigint", [
      world.clerk.personId,
    ]);
    p.platform.identity.forget();
    clerk.expectProblem('401');
    await clerk.keys('Tab', 'c');
    await clerk.waitFor('Your session has ended. Your answers are kept in this tab. Sign in', '.work-foot');
    await clerk.follow(() => clerk.click('link', 'Sign in'));
    await page.type('#name', 'dana');
    await page.type('#password', 'password of dana');
    await clerk.follow(() => clerk.keys('Enter'));
    await clerk.waitFor('Saved', '.work-foot');
    assert.equal(await page.$eval('textarea', (area) => area.value), 'Typed as the session ended');
    await clerk.keys('c');
    await clerk.waitFor('all caught up');
    assert.match(String((await admin.select('importform', taskId))['XmlData']), /Typed as the session ended/);
  });

  it('WEB-02 a change of the task and a new owner are said while the item is open; what was typed stays, and the way on is offered', async (t) => {
    const clerk = await visitor(t, p, 'ruth');
    const { page } = clerk;
    const caseId = await world.addCase('FC-live', 'Live, Lena', '2 Now St');
    const { taskId, itemId } = await world.addTask(caseId, -9);
    await clerk.open(`/work?item=${itemId}`);
    await clerk.tabTo('textbox', '4. Note to the firm optional');
    await page.keyboard.type('Half a sentence');
    const typed = (): Promise<string> => page.$eval('textarea', (area) => area.value);
    await admin.save('importform', { ID: taskId, Signer: 'Theirs' });
    await clerk.waitFor('changed this task', '#item-state');
    assert.equal(await typed(), 'Half a sentence');
    await screenshot(page, 'work-changed');
    await admin.expectOk('smartworklistmember/reassign', { ID: itemId, PersonID: world.clerk.personId });
    await clerk.waitFor('was assigned to Dana Okafor', '#item-state');
    await clerk.waitFor('Next item', '.work-foot');
    assert.equal(await typed(), 'Half a sentence');
    await screenshot(page, 'work-reassigned');
    assert.deepEqual(await visibleFaults(page), []);
    await clerk.keys('Tab');
    await clerk.follow(() => clerk.keys('w'));
    await clerk.waitFor('all caught up');
    await lead.expectOk('smartworklistmember/bulkcomplete', { ID: itemId });
  });

  it('WEB-02 WF-16 a hold that another user places while the task is open stops its completion at once, and its end allows it again', async (t) => {
    const clerk = await visitor(t, p, 'ruth');
    const { page } = clerk;
    const task = await admin.expectRows('importformtemplate/search', { ImportFormTemplate: 'Review title report' });
    const { template, start } = workflowCalls(p);
    await template('Title', [
      { name: 'Read', Object: 'ImportFormTemplate', ObjectID: task[0]?.['ImportFormTemplateID'] },
    ]);
    await admin.save('decisiondelaytemplate', { DecisionDelayTemplate: 'Workout', AppliesTo: 'Foreclosure' });
    const caseId = await world.addCase('FC-held', 'Held, Hal', '5 Stop St');
    const workflow = await start('Title', caseId);
    await clerk.open('/work');
    await clerk.waitFor('FC-held', '.work-case');
    await clerk.tabTo('textbox', '4. Note to the firm optional');
    await page.keyboard.type('Waits');
    const hold = await admin.save('decisiondelay', {
      Object: 'Foreclosure',
      ObjectID: caseId,
      DecisionID: workflow['DecisionID'],
      DecisionDelay: 'Workout',
    });
    await clerk.waitFor('This task is on hold.', '#item-state');
    await clerk.waitFor('Workout', '#item-state');
    assert.equal(await page.$eval('#work-actions .primary', (button) => button.ariaDisabled), 'true');
    assert.equal(await page.$eval('textarea', (area) => area.value), 'Waits');
    assert.deepEqual(await visibleFaults(page), []);
    await screenshot(page, 'work-held');
    await admin.save('decisiondelay', { ID: hold['DecisionDelayID'], ActualCompletion: new Date().toISOString() });
    await page.waitForSelector('#work-actions button[value=complete]');
    await page.waitForFunction("!document.querySelector('#item-state').textContent.includes('on hold')");
  });
});

describe('an item that two people complete', () => {
  it('WEB-02 the second learns who was first, and what they entered can be kept as a note', async () => {
    const caseId = await world.addCase('FC-two', 'Second, Sue', '4 Both St');
    const { taskId, itemId } = await world.addTask(caseId, 5, { AssignedPersonID: world.clerk.personId });
    const dana = await testSession(p, 'dana');
    await dana.post('/work', { Do: 'start', ID: String(itemId) });
    const page = (await dana.get(`/work?item=${itemId}`)).text;
    const version = /name="Version" value="(\d+)"/.exec(page)?.[1] ?? '';
    const answers = { Vesting: 'true', Recorded: '2020-01-01', Decision: 'clear' };
    await lead.save('importform', { ID: taskId, ...answers, ActualCompletion: new Date().toISOString() });
    const refused = await dana.post('/work', {
      Do: 'complete',
      ID: String(itemId),
      Task: String(taskId),
      Version: version,
      'before.Vesting': '',
      'answer.Vesting': 'false',
      'before.Note': '',
      'answer.Note': 'Mine <b>',
    });
    assert.equal(refused.status, 409, refused.text);
    const shown = wordsOf(refused.text);
    assert.match(shown, /was completed by Ruth Vasquez/);
    assert.match(
      shown,
      /What you entered was not saved Does the vesting name match the mortgage\? No Note to the firm Mine &lt;b&gt;/,
    );
    assert.match(shown, /Home/);
    const [, object = '', id = '', body = ''] =
      /name="Object" value="(\w+)"[^]*name="ObjectID" value="(\d+)"[^]*name="BodyText" value="([^"]*)"/.exec(
        refused.text,
      ) ?? [];
    const fields = {
      ID: String(itemId),
      Object: object,
      ObjectID: id,
      BodyText: body.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&#10;', '\n'),
    };
    const noted = await dana.post('/work', { Do: 'note', ...fields });
    assert.match(String(noted.location), /done=noted/);
    const [note] = await admin.expectRows('message/search', { Object: 'Foreclosure', ObjectID: caseId });
    assert.match(String(note?.['BodyText']), /Note to the firm: Mine <b>/);
  });
});
