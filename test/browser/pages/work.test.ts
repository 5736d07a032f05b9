import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { fixedClock } from '../../../src/kernel/time/clock.ts';
import { visibleFaults } from '../../support/browser/accessibility.ts';
import { browserMissing } from '../../support/browser/browser.ts';
import { press } from '../../support/browser/page-steps.ts';
import { visitor } from '../../support/browser/visitor.ts';
import { client } from '../../support/client.ts';
import { testSession, type BrowserAnswer, type TestSession } from '../../support/pages/session.ts';
import { testPlatform } from '../../support/platform.ts';
import { workWorld } from '../../support/work/work-world.ts';
import { worklistCalls } from '../../support/work/worklists.ts';

const HOSTILE = `"><script>alert(1)</script>\u202Eעברית `.padEnd(200, 'x');

// Wednesday, 10:00 in New York.
const clock = fixedClock('2026-11-18T15:00:00Z');
const p = await testPlatform({ after }, { clock });
const admin = client(p);
const { worklist, item, team, worker, call, ok, loan } = worklistCalls(p);
const world = await workWorld(p);
const sessions = new Map<string, Promise<TestSession>>();
const as = (name: string): Promise<TestSession> => {
  const known = sessions.get(name) ?? testSession(p, name);
  sessions.set(name, known);
  return known;
};
/** Follows an answer's redirect. */
const followed = async (session: TestSession, answer: BrowserAnswer): Promise<string> => {
  assert.equal(answer.status, 303, answer.text);
  return (await session.get(String(answer.location))).text;
};
const itemOf = (answer: BrowserAnswer): number => Number(/item=(\d+)/.exec(String(answer.location))?.[1]);
const version = (page: string): string => /name="Version" value="(\d+)"/.exec(page)?.[1] ?? '';
const status = async (id: number): Promise<unknown[]> => {
  const row = await admin.select('smartworklistmember', id);
  return [row['Status'], row['PersonID']];
};
/** A team of its own with a queue, so that its members get nothing else. */
async function ownQueue(...names: readonly string[]): Promise<{ id: number; personIds: readonly number[] }> {
  const people = await Promise.all(names.map((name) => worker(name)));
  const TeamID = await team(
    `Team of ${names.join()}`,
    people.map(({ personId }) => [personId]),
  );
  const { id } = await worklist({ SmartWorklistTemplate: `Queue <of> ${names.join()}`, TeamID });
  return { id, personIds: people.map(({ personId }) => personId) };
}

describe('a day of work by keyboard', { skip: browserMissing }, () => {
  it('WEB-02 WL-01 a clerk begins the next item from the home page, answers, is led to a wrong answer, completes, and has the next item', async (t) => {
    const first = await world.addCase('FC-26-04417', 'Delgado, Marisol', '88 Linden Ave');
    const second = await world.addCase('FC-26-04418', 'Whitfield, Angela', '1204 Carver St');
    const one = await world.addTask(first, -50, { AssignedPersonID: world.clerk.personId });
    const two = await world.addTask(second, -20);
    await world.refresh();
    const clerk = await visitor(t, p, 'dana');
    await clerk.open('/');
    await clerk.waitFor('Delgado, Marisol · 88 Linden Ave, Yonkers NY · FC-26-04417');
    assert.match(await clerk.waitFor('Wednesday, November 18'), /Overdue 2 days[^]*Overdue, and assigned to you\./);
    assert.deepEqual(await visibleFaults(clerk.page), []);
    await clerk.follow(() => clerk.keys('w'));
    await clerk.waitFor('Does the vesting name match the mortgage?');
    assert.deepEqual(await status(one.itemId), ['Started', world.clerk.personId]);
    // A link within the page moves the focus and does not load the page again.
    await clerk.keys('Tab', 'Enter');
    await clerk.page.waitForFunction("location.hash === '#main' && document.activeElement.id === 'main'");
    await clerk.tabTo('radio', 'Yes');
    await clerk.keys('ArrowRight');
    await clerk.waitFor('Asked because you answered No');
    await clerk.waitFor('Saved', '.work-foot');
    assert.deepEqual(await visibleFaults(clerk.page), []);
    // The answer survives leaving the page, and is not in the task yet.
    await clerk.open(`/work?item=${one.itemId}`);
    await clerk.waitFor('Asked because you answered No');
    assert.equal((await admin.select('importform', one.taskId))['XmlData'], undefined);
    clerk.expectProblem('400');
    await clerk.keys('c');
    await clerk.waitFor('answers to continue', '[role=alert]');
    assert.equal(await clerk.focused(), 'Owner did not sign the mortgage');
    await clerk.keys('Space');
    await clerk.tabTo('textbox', 'Who did not sign? optional');
    await clerk.page.keyboard.type('Hector <Delgado>');
    await clerk.keys('Tab');
    // A date before the note's is wrong as soon as the field is left.
    await clerk.page.keyboard.type('06212018');
    await clerk.tabTo('radio', 'Clear');
    await clerk.waitFor('2019-06-14', '.work-item');
    await clerk.waitFor('1 answer to check', '.work-foot');
    await clerk.keys('Space', 'Shift+Tab', 'Shift+Tab', 'Shift+Tab', 'Shift+Tab');
    await clerk.page.keyboard.type('06212020');
    await clerk.tabTo('radio', 'Clear');
    // A choice that was made by mistake is taken back with a key.
    await clerk.keys('Delete');
    assert.equal((await clerk.page.$$('[name="answer.Decision"]:checked')).length, 0);
    await clerk.keys('Space', 'c');
    await clerk.waitFor('Whitfield, Angela', '.work-case');
    await clerk.waitFor('Done.', '#toasts');
    assert.deepEqual(await status(one.itemId), ['Completed', world.clerk.personId]);
    assert.deepEqual(await status(two.itemId), ['Started', world.clerk.personId]);
    assert.match(
      String((await admin.select('importform', one.taskId))['XmlData']),
      /<Difference>owner<\/Difference><Signer>Hector &lt;Delgado&gt;<\/Signer><Recorded>2020-06-21/,
    );
    await ok(call('smartworklistmember/bulkcomplete', { ID: two.itemId }));
  });
});

describe('work mode in a browser', { skip: browserMissing }, () => {
  it('WEB-02 hostile names fit every screen, and S skips an item; with script switched off an item can be taken and completed in the same way', async (t) => {
    const { id } = await ownQueue('ned');
    const hostile = { SmartWorklistMember: HOSTILE, Reason: HOSTILE, ReasonDetail: HOSTILE.repeat(5) };
    const [first, second] = [await item(id, { ...hostile, Priority: 1 }), await item(id, { ...hostile, Priority: 2 })];
    const ned = await visitor(t, p, 'ned');
    const { page } = ned;
    await ned.open('/');
    await ned.follow(() => ned.keys('w'));
    assert.equal(page.url(), `${p.url}/work?item=${first}`);
    assert.equal((await page.$$('main script')).length, 0);
    assert.deepEqual(await visibleFaults(page), []);
    await ned.keys('s');
    await page.waitForSelector('[name=SkipDate]');
    await ned.open('/work');
    await page.setJavaScriptEnabled(false);
    await (await as('ned')).post('/work', { Do: 'leave', ID: String(first) });
    await ned.open('/');
    await press(page, '.next-actions', 'Start');
    assert.equal(page.url(), `${p.url}/work?item=${first}`);
    await press(page, '.work-foot', 'Complete and next');
    assert.deepEqual([(await status(first))[0], (await status(second))[0]], ['Completed', 'Started']);
    await ok(call('smartworklistmember/bulkcomplete', { ID: second }));
  });
});

describe('the page of a team in a browser', { skip: browserMissing }, () => {
  it('WEB-02 a team lead sees who does what and why an item is there, on a desk and on a phone', async (t) => {
    const caseId = await world.addCase('FC-26-04500', 'Ibrahim, Yusuf', '78 Prospect Pl');
    const { itemId } = await world.addTask(caseId, 3);
    const lead = await visitor(t, p, 'ruth');
    await lead.open('/team');
    await lead.waitFor('Who does what');
    assert.deepEqual(await visibleFaults(lead.page), []);
    // On a phone the tables have fewer columns, and none has to be scrolled sideways.
    await lead.page.setViewport({ width: 390, height: 844 });
    assert.deepEqual(
      await lead.page.$$eval('.table-scroll', (all) => all.map((each) => each.scrollWidth <= each.clientWidth)),
      [true, true, true],
    );
    await lead.page.setViewport({ width: 1440, height: 900 });
    // The row's key ticks it, and the bar for ticked rows is reached with another.
    await lead.keys('j', 'x');
    await lead.waitFor('1 selected', '.move-bar');
    await lead.keys('m');
    assert.equal(await lead.focused(), 'Move to');
    await lead.open(`/item/why?item=${itemId}`);
    await lead.waitFor('Nobody else has it.');
    assert.deepEqual(await visibleFaults(lead.page), []);
    await ok(call('smartworklistmember/bulkcomplete', { ID: itemId }));
  });
});

describe('work mode', () => {
  it('WEB-02 WL-01 two clerks who take the next item at the same moment get different ones; each may return only their own', async () => {
    const { id, personIds } = await ownQueue('ann', 'bob');
    const ids = [await item(id), await item(id)];
    const [anns, bobs] = [await as('ann'), await as('bob')];
    const answers = await Promise.all([anns.post('/work', { Do: 'next' }), bobs.post('/work', { Do: 'next' })]);
    const got = answers.map(itemOf);
    assert.deepEqual(
      got.toSorted((a, b) => a - b),
      ids,
    );
    for (const Do of ['complete', 'skip', 'release', 'start']) {
      const refused = await bobs.post('/work', { Do, ID: String(got[0]) });
      assert.equal(refused.status, 422, Do);
      assert.match(refused.text, /ann is working on “Loan” since 10:00 AM\./, Do);
    }
    assert.equal((await status(got[0] ?? 0))[1], personIds[0]);
    assert.match(
      await followed(anns, await anns.post('/work', { Do: 'release', ID: String(got[0]) })),
      /Returned to its queue/,
    );
    assert.deepEqual(await status(got[0] ?? 0), ['Queued', undefined]);
    await anns.post('/work', { Do: 'next' });
    assert.match(
      await followed(anns, await anns.post('/work', { Do: 'leave', ID: String(got[0]) })),
      /Returned to its/,
    );
    assert.deepEqual(await status(got[0] ?? 0), ['Queued', undefined]);
    await ok(call('smartworklistmember/bulkcomplete', { ID: ids }));
  });

  it('WEB-02 an item that was completed, canceled or reassigned elsewhere, or does not exist, says so and leads on', async () => {
    const { id } = await ownQueue('cal', 'deb');
    const [done, canceled, moved, left] = [await item(id), await item(id), await item(id), await item(id)];
    const deb = await p.platform.store.query<{ id: number }>("select personid as id from person where person = 'deb'");
    await ok(call('smartworklistmember/bulkcomplete', { ID: done }));
    await ok(call('smartworklistmember/cancel', { ID: canceled }));
    await ok(call('smartworklistmember/reassign', { ID: moved, PersonID: deb[0]?.id }));
    const cal = await as('cal');
    for (const [gone, words] of [
      [done, /“Loan” was completed by admin[^,]*, 10:00 AM\./],
      [canceled, /“Loan” was canceled, 10:00 AM\. Nothing is left to do\./],
      [moved, /“Loan” was assigned to deb, 10:00 AM\./],
      [99_999_999, /This item does not exist, or you don’t have access to it\./],
    ] as const) {
      const page = await cal.get(`/work?item=${gone}`);
      assert.equal(page.status, 200);
      assert.match(page.text, words);
      assert.match(page.text, /name="Do" value="next"/);
      assert.doesNotMatch(page.text, /value="complete"/);
    }
    assert.equal(itemOf(await cal.post('/work', { Do: 'next' })), left);
    await ok(call('smartworklistmember/bulkcomplete', { ID: [left, moved] }));
  });

  it('WEB-02 WL-02 skipping takes a local time and a reason; a time in the past is refused and stays in the field', async () => {
    const { id } = await ownQueue('eli');
    const [first, second] = [await item(id), await item(id)];
    const eli = await as('eli');
    await eli.post('/work', { Do: 'next' });
    assert.match((await eli.get(`/item/skip?item=${first}`)).text, /name="SkipDate"[^>]*|value="2026-11-19T10:00"/);
    const fields = { Do: 'skip', ID: String(first), ReasonDetail: 'Waits for <mail>' };
    const refused = await eli.post('/work', { ...fields, SkipDate: '2001-02-03T04:05' });
    assert.equal(refused.status, 400);
    assert.match(refused.text, /value="2001-02-03T04:05"/);
    assert.match(refused.text, /Waits for &lt;mail&gt;/);
    const page = await followed(eli, await eli.post('/work', { ...fields, SkipDate: '2026-12-01T09:30' }));
    assert.match(page, /Skipped\. It comes back on its own\./);
    assert.match(page, new RegExp(`data-item="${second}"`));
    const row = await admin.select('smartworklistmember', first);
    assert.deepEqual([row['SkipDate'], row['ReasonDetail']], ['2026-12-01T14:30:00.000Z', 'Waits for <mail>']);
    assert.match((await eli.get('/work?list=waiting')).text, /until Dec 1/);
    await ok(call('smartworklistmember/bulkcomplete', { ID: [first, second] }));
  });

  it('WEB-02 FRM-04 a task on hold says so and cannot be completed; a page sent twice completes once', async () => {
    const caseId = await world.addCase('FC-26-05000', 'Tran, Linh', '640 Old Mill Rd');
    const { taskId, itemId } = await world.addTask(caseId, 5, { AssignedPersonID: world.clerk.personId });
    const dana = await as('dana');
    const started = await dana.post('/work', { Do: 'start', ID: String(itemId) });
    assert.equal(itemOf(started), itemId, started.text);
    const page = (await dana.get(`/work?item=${itemId}`)).text;
    assert.match(page, /<span class="without-script">If you answered No<\/span>/);
    const fields = {
      Do: 'complete',
      ID: String(itemId),
      Task: String(taskId),
      Version: version(page),
      'before.Vesting': '',
      'answer.Vesting': 'true',
      'before.Recorded': '',
      'answer.Recorded': '2018-01-01',
      'before.Decision': '',
      'answer.Decision': 'clear',
    };
    const refused = await dana.post('/work', fields);
    assert.equal(refused.status, 400);
    assert.match(refused.text, /Fix 1 answer to continue[^]*aria-invalid="true"/);
    assert.match(refused.text, /value="2018-01-01"/);
    const right = { ...fields, 'answer.Recorded': '2020-01-01' };
    const done = await dana.post('/work', right);
    assert.match(String(done.location), /done=completed/);
    assert.match(String((await dana.post('/work', right)).location), /done=completed/, 'sent again');
    assert.deepEqual(await status(itemId), ['Completed', world.clerk.personId]);
  });

  it('WEB-02 two people who change one task see both answers, and nothing is lost', async () => {
    const caseId = await world.addCase('FC-26-05001', 'Novak, Arjun', '9 Garrison Rd');
    const { taskId, itemId } = await world.addTask(caseId, 5, { AssignedPersonID: world.clerk.personId });
    const dana = await as('dana');
    await dana.post('/work', { Do: 'start', ID: String(itemId) });
    const page = (await dana.get(`/work?item=${itemId}`)).text;
    await admin.save('importform', { ID: taskId, Note: 'theirs <b>' });
    const refused = await dana.post('/work', {
      Do: 'complete',
      ID: String(itemId),
      Task: String(taskId),
      Version: version(page),
      'before.Note': '',
      'answer.Note': 'mine & mine',
      'before.Vesting': '',
      'answer.Vesting': 'true',
      'before.Recorded': '',
      'answer.Recorded': '2020-01-01',
      'before.Decision': '',
      'answer.Decision': 'clear',
    });
    assert.equal(refused.status, 409, refused.text);
    assert.match(refused.text, /<td><bdi>theirs &lt;b&gt;<\/bdi><\/td><td><bdi>mine &amp; mine<\/bdi><\/td>/);
    await ok(call('smartworklistmember/bulkcomplete', { ID: itemId }));
  });

  it('WEB-02 one queue can be worked alone, and an empty or unknown one says so', async () => {
    const { id } = await ownQueue('fay');
    const { id: other } = await worklist({ SmartWorklistTemplate: 'Other & queue' });
    const [own, requested] = [await item(id), await item(other, { Priority: 99 })];
    const fay = await as('fay');
    const answer = await fay.post('/work', { Do: 'next', queue: 'Other & queue' });
    assert.equal(answer.location, `/work?item=${requested}&queue=Other+%26+queue`);
    const page = await followed(fay, answer);
    assert.match(page, /Other &amp; queue/);
    assert.doesNotMatch(page, new RegExp(`item=${own}`));
    await ok(call('smartworklistmember/bulkcomplete', { ID: requested }));
    assert.match(
      (await fay.get('/work?queue=Other+%26+queue')).text,
      /Nothing waits in “<bdi>Other &amp; queue<\/bdi>”/,
    );
    const unknown = await fay.post('/work', { Do: 'next', queue: 'No <such> list' });
    assert.equal(unknown.status, 400);
    assert.match(unknown.text, /no open queue is named &quot;No &lt;such&gt; list&quot;/);
    await ok(call('smartworklistmember/bulkcomplete', { ID: own }));
  });

  it("WEB-02 users without permission are offered nothing, and forms without the session's token are refused", async () => {
    await worker('reader', 'Read Only');
    const reader = await as('reader');
    for (const path of ['/', '/work']) {
      const page = await reader.get(path);
      assert.equal(page.status, 200, page.text);
      assert.doesNotMatch(page.text, /name="Do"/);
    }
    assert.equal((await reader.post('/work', { Do: 'next' })).status, 403);
    const dana = await as('dana');
    assert.equal((await dana.post('/work', { _csrf: 'x', Do: 'next' })).status, 403);
    assert.equal((await dana.post('/work', { Do: 'explode' })).status, 400);
    assert.equal((await dana.post('/work', { Do: 'complete', ID: 'x' })).status, 400);
    assert.equal((await dana.post('/work', { Do: 'complete', ID: '999999' })).status, 404);
  });

  it('WEB-02 hostile names stay text; an item whose record was deleted leads on', async () => {
    const { id } = await ownQueue('hal');
    const hostile = await item(id, { SmartWorklistMember: HOSTILE, Reason: HOSTILE, ReasonDetail: HOSTILE });
    const hal = await as('hal');
    for (const path of ['/', '/work', `/item/skip?item=${hostile}`]) {
      const { text, status: code } = await hal.get(path);
      assert.equal(code, 200, text);
      assert.doesNotMatch(text, /<script>alert/);
      assert.match(text, /&lt;script&gt;alert/);
    }
    await ok(call('smartworklistmember/bulkcomplete', { ID: hostile }));
    const record = await loan();
    await item(id, { SourceObjectID: record });
    const answer = await hal.post('/work', { Do: 'next' });
    await admin.expectOk('loan/delete', { ID: record });
    assert.match(await followed(hal, answer), /The record was deleted|all caught up/);
  });
});

describe('the page of a team', () => {
  const ticked = (page: string): readonly string[] =>
    [...page.matchAll(/name="Was" value="([^"]+)"/g)].map(([, text]) => text ?? '');

  it('WEB-02 WL-01 a team lead moves many items after a question, sees what became of each, and undoes it', async () => {
    const caseId = await world.addCase('FC-26-08000', 'Moved, Ann', '3 Way St');
    const ids: number[] = [];
    for (let count = 0; count < 3; count++) ids.push((await world.addTask(caseId, count)).itemId);
    await world.refresh();
    const [first = 0, second = 0, third = 0] = ids;
    await ok(call('smartworklistmember/reassign', { ID: second, PersonID: world.clerk.personId }));
    const lead = await as('ruth');
    const page = (await lead.get(`/team?team=${world.teamId}`)).text;
    for (const words of ['Who does what', 'Dana Okafor', 'Moved, Ann', `name="Item" value="${first}"`])
      assert.ok(page.includes(words), words);
    const fields = { team: String(world.teamId), Do: 'move', To: `person ${world.lead.personId}` };
    const none = await lead.post('/team', fields);
    assert.equal(none.status, 400);
    assert.match(none.text, /Tick the items first\./);
    const form = { ...fields, Item: ids.map(String) };
    const question = await lead.post('/team', form);
    assert.match(question.text, /Move 3 items to <bdi>Ruth Vasquez, \d+ open<\/bdi>\?/);
    // One of them is completed before the answer.
    await ok(call('smartworklistmember/bulkcomplete', { ID: third }));
    const moved = await lead.post('/team', { ...form, Confirmed: 'true' });
    assert.match(moved.text, /2 items were moved\. 1 item stayed:[^]*it is Completed; only open work items/);
    assert.deepEqual([(await status(first))[1], (await status(second))[1]], [world.lead.personId, world.lead.personId]);
    const undone = await lead.post('/team', { ...fields, Do: 'undo', Was: ticked(moved.text) });
    assert.match(undone.text, /Undone\./);
    assert.deepEqual([(await status(first))[1], (await status(second))[1]], [undefined, world.clerk.personId]);
    const why = (await lead.get(`/item/why?item=${second}&person=${world.lead.personId}`)).text;
    assert.match(why, /It does not come to you\.[^]*It is assigned to somebody else\./);
    await ok(call('smartworklistmember/bulkcomplete', { ID: [first, second] }));
  });

  it('WEB-02 clerks see their team and can move nothing', async () => {
    const dana = await as('dana');
    const page = await dana.get('/team');
    assert.equal(page.status, 200);
    assert.doesNotMatch(page.text, /name="Item"|value="move"/);
    const refused = await dana.post('/team', { team: String(world.teamId), Do: 'undo', Was: '1 - - -' });
    assert.equal(refused.status, 403);
  });
});

describe('the home page', () => {
  it('WEB-02 cards fail apart: one that cannot be read says so, the rest stays', async () => {
    const { store } = p.platform;
    await store.query('alter table smartworklistmember rename column completiondate to brokendate');
    try {
      const { text, status: code } = await (await as('dana')).get('/');
      assert.equal(code, 200);
      assert.match(text, /The output of your team did not load\. The rest of the page is here\./);
      assert.match(text, /Wednesday, November 18/);
    } finally {
      await store.query('alter table smartworklistmember rename column brokendate to completiondate');
    }
  });

  it('WEB-02 shows operators what failed, and users without work their newest cases', async () => {
    await world.addCase('FC-26-07000', 'Last, Newest', '1 End St');
    await worker('operator', 'Administrator');
    assert.match((await (await as('operator')).get('/')).text, /Newest cases|Next item|Nothing waits for you/);
    assert.match((await (await as('reader')).get('/')).text, /Newest cases[^]*FC-26-07000/);
    await p.firm('hollis', 'Partner');
    const firm = await (await testSession(p, 'user of hollis')).get('/');
    assert.equal(firm.status, 200, firm.text);
    assert.match(firm.text, /There are no cases yet\./);
  });
});
