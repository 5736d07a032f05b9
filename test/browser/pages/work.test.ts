import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { Browser } from 'puppeteer-core';
import { screenshot, testBrowser, watchedPage, browserMissing } from '../../support/browser/browser.ts';
import { accessibilityViolations } from '../../support/browser/accessibility.ts';
import { press, signInAt } from '../../support/browser/page-steps.ts';
import { testPlatform } from '../../support/platform.ts';
import { testSession, type BrowserAnswer, type TestSession } from '../../support/pages/session.ts';
import { worklistCalls, type WorklistRow } from '../../support/work/worklists.ts';

const HOSTILE = `"><script>alert(1)</script>\u202Eעברית `.padEnd(200, 'x');

describe('the work page', async () => {
  const p = await testPlatform({ after });
  const { save, select, worklist, item, loan, team, worker, call, ok } = worklistCalls(p);
  const ann = await worker('ann');
  const bob = await worker('bob');
  await worker('reader', 'Read Only');
  const both = await team('Title team', [[ann.personId], [bob.personId]]);
  const sessions = new Map<string, TestSession>();
  const as = async (name: string): Promise<TestSession> =>
    sessions.get(name) ?? (sessions.set(name, await testSession(p, name)).get(name) as TestSession);
  const browser = browserMissing === false ? await testBrowser({ after }) : undefined;
  /** Follows an answer's redirect. */
  const followed = async (session: TestSession, answer: BrowserAnswer): Promise<string> => {
    assert.equal(answer.status, 303, answer.text);
    return (await session.get(String(answer.location))).text;
  };
  const finishAll = async (): Promise<void> => {
    const rows = (
      await ok(p.admin.get('/api/smartworklistmember/search?Output=Json&CompletionDate=null&CancelledDate=null'))
    )['SmartWorklistMemberCollection'] as WorklistRow;
    const ids = ((rows['SmartWorklistMemberItem'] ?? []) as WorklistRow[]).map((row) => row['SmartWorklistMemberID']);
    if (ids.length > 0) await ok(call('smartworklistmember/bulkcomplete', { ID: ids }));
  };

  it(
    'WEB-02 WL-01 WL-02 a clerk works by keyboard: next, snooze, next, complete; ' +
      'shortcuts are off while typing in a field',
    { skip: browserMissing },
    async () => {
      const list = await worklist({
        SmartWorklistTemplate: 'Title defects',
        TeamID: both,
        MemberUrl: '/records/loan/{LoanID}',
      });
      const first = await item(list.id, {
        Priority: 1,
        Reason: 'Lien found',
        SourceObjectID: await loan({ Loan: '4711001' }),
        DueDate: '2020-01-01T00:00:00Z',
      });
      const second = await item(list.id, { Priority: 2, SourceObjectID: await loan({ Loan: '4711002' }) });
      const problems: string[] = [];
      const page = await watchedPage(browser as Browser, problems);
      await signInAt(page, p.url, 'ann');
      await press(page, 'nav', 'My work');
      const shown = (): Promise<string> => page.$eval('main', (main) => main.innerText);
      assert.match(await shown(), /You're not working on anything/);
      assert.match(await shown(), /Title defects\s+2\s+0\s+0\s+0\s+1/);
      assert.deepEqual(await accessibilityViolations(page), []);
      await screenshot(page, 'work-empty');
      const key = async (letter: 'n' | 'c' | 's'): Promise<void> => {
        await Promise.all([page.waitForNavigation(), page.keyboard.press(letter)]);
      };
      await key('n');
      await key('n');
      assert.match(await shown(), /Finish or snooze this item to get the next one/);
      for (const part of ['4711001', 'Lien found', 'Overdue', 'Snooze', 'Return to queue'])
        assert.ok((await shown()).includes(part), part);
      assert.equal(
        await page.$eval('.item a.button', (link) => link.getAttribute('href')),
        `/records/loan/${String((await select('smartworklistmember', first))['SourceObjectID'])}`,
      );
      assert.deepEqual(await accessibilityViolations(page), []);
      await screenshot(page, 'work-item');
      await page.focus('#find');
      await page.keyboard.type('scn');
      assert.equal(await page.$eval('#find', (input) => (input as unknown as { value: string }).value), 'scn');
      assert.equal(
        (await select('smartworklistmember', first))['Status'],
        'Started',
        'typing in a field presses no button',
      );
      await page.focus('main');
      await key('s');
      assert.match(await shown(), /Item snoozed/);
      assert.match(await shown(), /Snoozed 1\s+4711001/);
      await key('n');
      assert.ok((await shown()).includes('4711002'));
      await key('c');
      assert.match(await shown(), /Item completed/);
      assert.deepEqual(
        [
          (await select('smartworklistmember', first))['Status'],
          (await select('smartworklistmember', second))['Status'],
        ],
        ['Skipped', 'Completed'],
      );
      await key('n');
      assert.match(await shown(), /You're all caught up/);
      await press(page, '#own-skipped + ul', 'Start now');
      assert.ok((await shown()).includes('4711001'));
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }]);
      await page.setViewport({ width: 400, height: 900 });
      await page.reload();
      assert.deepEqual(await accessibilityViolations(page), []);
      assert.ok(await page.evaluate('document.documentElement.scrollWidth <= 400'));
      await screenshot(page, 'work-narrow-dark');
      assert.deepEqual(problems, []);
      await finishAll();
    },
  );

  it("WEB-02 FRM-04 a task's form is on the work page, missing answers are reported, and completing the task completes the item", async () => {
    const template = await save('importformtemplate', {
      ImportFormTemplate: 'Lien check',
      Instructions: 'Look for liens.',
      AssignedCollectionID: both,
      Questions: [
        {
          ImportFormQuestion: 'Liens',
          QuestionType: 'Number',
          Prompt: 'How many liens?',
          IsRequired: true,
          Sequence: 1,
        },
      ],
    });
    await ok(call('importformtemplate/createworklist', { ID: template['ImportFormTemplateID'] }));
    const foreclosure = Number((await save('foreclosure', { Foreclosure: 'Case 7' }))['ForeclosureID']);
    const form = Number(
      (
        await save('importform', {
          TemplateID: template['ImportFormTemplateID'],
          Object: 'Foreclosure',
          ObjectID: foreclosure,
        })
      )['ImportFormID'],
    );
    const session = await as('bob');
    const page = await followed(session, await session.post('/work', { Do: 'next' }));
    for (const part of [
      'Lien check',
      'Look for liens.',
      'How many liens?',
      'Case 7',
      `href="/case/foreclosure/${foreclosure}"`,
      `action="/form/${form}"`,
    ])
      assert.ok(page.includes(part), part);
    const [, back = ''] = /name="Return" value="([^"]+)"/.exec(page) ?? [];
    const version = /name="Version" value="(\d+)"/.exec(page)?.[1] ?? '';
    const fields = { Version: version, Return: back, 'before.Liens': '' };
    const refused = await session.post(`/form/${form}`, { ...fields, 'answer.Liens': '', Do: 'complete' });
    assert.equal(refused.status, 400);
    assert.ok(refused.text.includes(`name="Return" value="${back}"`) && refused.text.includes('Back to work'));
    const saved = await session.post(`/form/${form}`, { ...fields, 'answer.Liens': '2', Do: 'save' });
    assert.equal(saved.location, `${back}&done=saved`);
    const again = await followed(session, saved);
    assert.match(again, /Saved<[\s\S]*name="answer\.Liens" value="2"|name="answer\.Liens"[^>]*value="2"/);
    const done = await session.post(`/form/${form}`, {
      Version: /name="Version" value="(\d+)"/.exec(again)?.[1] ?? '',
      Return: back,
      'before.Liens': '2',
      'answer.Liens': '2',
      Do: 'complete',
    });
    assert.equal(done.location, '/work?done=task');
    const last = await followed(session, done);
    assert.match(last, /Task completed[\s\S]*You're not working on anything/);
    const [row] = (
      (
        await ok(
          p.admin.get(`/api/smartworklistmember/search?Output=Json&SourceObject=ImportForm&SourceObjectID=${form}`),
        )
      )['SmartWorklistMemberCollection'] as WorklistRow
    )['SmartWorklistMemberItem'] as WorklistRow[];
    assert.equal(row?.['Status'], 'Completed');
    const elsewhere = await session.post(`/form/${form}`, {
      ...fields,
      Return: 'https://elsewhere.example/',
      Do: 'save',
      'answer.Liens': '',
    });
    assert.equal(elsewhere.location, `/form/${form}?done=unchanged`, 'only the work page is a return target');
  });

  it('WEB-02 WL-01 two clerks asking at the same moment get different items; users can return only their own items to the queue', async () => {
    const list = await worklist({ TeamID: both });
    const ids = [await item(list.id), await item(list.id)];
    const [anns, bobs] = [await as('ann'), await as('bob')];
    const answers = await Promise.all([anns.post('/work', { Do: 'next' }), bobs.post('/work', { Do: 'next' })]);
    const got = answers.map(({ location }) => Number(/item=(\d+)/.exec(String(location))?.[1]));
    assert.deepEqual(
      [...got].sort((a, b) => a - b),
      ids,
    );
    for (const Do of ['complete', 'skip', 'release']) {
      const refused = await bobs.post('/work', { Do, ID: String(got[0]) });
      assert.equal(refused.status, 422, Do);
      assert.match(refused.text, /role="alert"><p>[^<]*(?:not|no longer)/, Do);
    }
    assert.equal((await select('smartworklistmember', got[0]))['PersonID'], ann.personId);
    assert.match(
      await followed(anns, await anns.post('/work', { Do: 'release', ID: String(got[0]) })),
      /Item returned to its queue/,
    );
    const released = await select('smartworklistmember', got[0]);
    assert.deepEqual([released['Status'], released['PersonID']], ['Queued', undefined]);
    const lost = await anns.get(`/work?item=${got[0]}`);
    assert.match(lost.text, /no longer assigned to you/);
    await finishAll();
  });

  it('WEB-02 WL-02 snoozing takes a local date and time; a time in the past is refused and stays in the field', async () => {
    const list = await worklist({ TeamID: both });
    const id = await item(list.id);
    const session = await as('ann');
    await session.post('/work', { Do: 'next' });
    const refused = await session.post('/work', { Do: 'skip', ID: String(id), SkipDate: '2001-02-03T04:05' });
    assert.equal(refused.status, 400);
    assert.match(refused.text, /role="alert"><p>SkipDate/);
    assert.match(refused.text, /name="SkipDate" value="2001-02-03T04:05"/);
    const page = await followed(
      session,
      await session.post('/work', { Do: 'skip', ID: String(id), SkipDate: '2099-07-01T09:30' }),
    );
    assert.match(page, /snoozed until Jul 1, 2099, 9:30 AM/);
    await finishAll();
  });

  it(
    'WEB-02 with script switched off an item can be taken and completed in the same way',
    { skip: browserMissing },
    async () => {
      const list = await worklist({ TeamID: both });
      const id = await item(list.id);
      const page = await watchedPage(browser as Browser, []);
      await page.setJavaScriptEnabled(false);
      await signInAt(page, p.url, 'bob');
      await page.goto(`${p.url}/work`);
      await press(page, 'main', 'Next item');
      assert.equal(page.url(), `${p.url}/work?item=${id}`);
      await press(page, '.toolbar', 'Complete');
      assert.equal((await select('smartworklistmember', id))['Status'], 'Completed');
    },
  );

  it('WEB-02 queues show counts and ages, by team and person for users who may reassign items; one queue can be worked alone', async () => {
    const one = await worklist({ SmartWorklistTemplate: 'First <list>', TeamID: both });
    const two = await worklist({ SmartWorklistTemplate: 'Second & list', TeamID: both });
    await item(one.id);
    const requested = await item(two.id, { Priority: 99 });
    const session = await as('ann');
    await p.user('lead', 'Team lead');
    const page = await (await as('lead')).get('/work');
    assert.ok(!(await session.get('/work')).text.includes('By team and person'), 'for users who may reassign items');
    for (const part of ['First &lt;list&gt;', 'Second &amp; list', 'By team and person', 'Title team', '0 min'])
      assert.ok(page.text.includes(part), part);
    const answer = await session.post('/work', { Do: 'next', SmartWorklist: 'Second & list' });
    assert.equal(answer.location, `/work?item=${requested}`);
    const bobs = await as('bob');
    const unknown = await bobs.post('/work', { Do: 'next', SmartWorklist: 'No <such> list' });
    assert.equal(unknown.status, 400);
    assert.match(unknown.text, /no open queue is named &quot;No &lt;such&gt; list&quot;/);
    await worklist({ SmartWorklistTemplate: 'Empty <list>' });
    assert.match(
      await followed(bobs, await bobs.post('/work', { Do: 'next', SmartWorklist: 'Empty <list>' })),
      /all caught up in “<bdi>Empty &lt;list&gt;<\/bdi>”/,
    );
    await finishAll();
  });

  it("WEB-02 users without permission are offered nothing, and forms without the session's token are refused", async () => {
    const reader = await as('reader');
    const page = await reader.get('/work');
    assert.equal(page.status, 200, page.text);
    assert.doesNotMatch(page.text, /name="Do"/);
    assert.equal((await reader.post('/work', { Do: 'next' })).status, 403);
    const session = await as('ann');
    assert.equal((await session.post('/work', { _csrf: 'x', Do: 'next' })).status, 403);
    assert.equal((await session.post('/work', { Do: 'explode' })).status, 400);
    assert.equal((await session.post('/work', { Do: 'complete', ID: 'x' })).status, 400);
    assert.equal((await session.post('/work', { Do: 'complete', ID: '999999' })).status, 404);
  });

  it(
    'WEB-02 hostile names stay text, on a narrow screen too; an item whose record was deleted keeps its buttons',
    { skip: browserMissing },
    async () => {
      const list = await worklist({ SmartWorklistTemplate: HOSTILE.slice(0, 90), TeamID: both });
      await item(list.id, {
        SmartWorklistMember: HOSTILE.slice(0, 90),
        Reason: HOSTILE,
        ReasonDetail: HOSTILE.repeat(5),
      });
      const problems: string[] = [];
      const page = await watchedPage(browser as Browser, problems);
      await signInAt(page, p.url, 'ann');
      await page.setViewport({ width: 400, height: 900 });
      await page.goto(`${p.url}/work`);
      await press(page, 'main', 'Next item');
      assert.equal((await page.$$('main script')).length, 0);
      assert.deepEqual(await accessibilityViolations(page), []);
      assert.ok(await page.evaluate('document.documentElement.scrollWidth <= 400'));
      await screenshot(page, 'work-hostile');
      assert.deepEqual(problems, []);
      await finishAll();
      const gone = await worklist({ TeamID: both });
      const record = await loan();
      await item(gone.id, { SourceObjectID: record });
      const session = await as('ann');
      const answer = await session.post('/work', { Do: 'next' });
      await p.admin.post('/api/loan/delete', { ID: record });
      assert.match(await followed(session, answer), /The record was deleted|You're not working on anything/);
    },
  );
});
