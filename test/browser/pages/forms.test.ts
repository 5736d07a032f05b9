import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { Browser, Page } from 'puppeteer-core';
import { screenshot, testBrowser, watchedPage, browserMissing } from '../../support/browser/browser.ts';
import { accessibilityViolations } from '../../support/browser/accessibility.ts';
import { press, signInAt } from '../../support/browser/page-steps.ts';
import { testPlatform } from '../../support/platform.ts';
import { testSession } from '../../support/pages/session.ts';

const questions = [
  {
    ImportFormQuestion: 'Outcome',
    QuestionType: 'Choice',
    Prompt: 'What came of the search?',
    Choices: 'clear|Clear title\ndefect|Defect found',
    IsRequired: true,
    Section: 'Title',
    Sequence: 1,
  },
  {
    ImportFormQuestion: 'Defects',
    QuestionType: 'MultipleChoice',
    Prompt: 'Which defects?',
    Choices: 'lien|Lien\ntax|Unpaid tax',
    ShownWhen: "/Form/Answers/Outcome = 'defect'",
    IsRequired: true,
    Section: 'Title',
    Sequence: 2,
  },
  {
    ImportFormQuestion: 'Cost',
    QuestionType: 'Money',
    Prompt: 'Cost of the search',
    Help: 'As invoiced.',
    Minimum: '0',
    Section: 'Money',
    Sequence: 3,
  },
  {
    ImportFormQuestion: 'Fee',
    QuestionType: 'Money',
    Prompt: 'Fee',
    Calculation: '/Form/Answers/Cost * 0.1',
    Section: 'Money',
    Sequence: 4,
  },
  { ImportFormQuestion: 'Note', QuestionType: 'LongText', Sequence: 5 },
  { ImportFormQuestion: 'Process_Status', QuestionType: 'Text', Prompt: 'Status of the case', Sequence: 6 },
  { ImportFormQuestion: 'ProjectedCompletion', QuestionType: 'Date', Sequence: 7 },
];

describe('the page of a form', async () => {
  const p = await testPlatform({ after });
  await p.user('clerk', 'Staff');
  const post = async (route: string, fields: object): Promise<Record<string, unknown>> => {
    const answer = await p.admin.post(`/api/${route}?Output=Json`, fields);
    assert.equal(answer.status, 200, answer.text);
    return answer.json();
  };
  const template = await post('importformtemplate/save', {
    ImportFormTemplate: 'Title review',
    Instructions: 'Look at the <report> first.',
    Questions: questions,
  });
  const staged = await post('importformtemplate/save', {
    ImportFormTemplate: 'Staged review',
    Questions: [{ ImportFormQuestion: 'Remark', Sequence: 1 }],
    Statuses: [
      { ImportFormStatus: 'Open', Sequence: 1 },
      { ImportFormStatus: 'Review', Sequence: 2 },
      { ImportFormStatus: 'Approved', IsFinal: true, Sequence: 3 },
    ],
    Transitions: [
      { FromStatus: 'Open', ToStatus: 'Review', ImportFormTransition: 'Send to review' },
      { FromStatus: 'Review', ToStatus: 'Approved', ImportFormTransition: 'Approve' },
    ],
  });
  const foreclosure = await post('foreclosure/save', { Foreclosure: 'QF-1', Status: 'Open' });
  const below = { Object: 'Foreclosure', ObjectID: foreclosure['ForeclosureID'] };
  const make = async (of: Record<string, unknown> = template): Promise<number> =>
    Number((await post('importform/save', { TemplateID: of['ImportFormTemplateID'], ...below }))['ImportFormID']);
  const stored = async (id: number): Promise<Record<string, unknown>> =>
    (await p.admin.get(`/api/importform/${id}?Output=Json`)).json();
  const browser = browserMissing === false ? await testBrowser({ after }) : undefined;
  const isShown = (page: Page, name: string): Promise<boolean> =>
    page.$eval(`[data-question="${name}"]`, (element) => !(element as unknown as { hidden: boolean }).hidden);

  it(
    'FRM-01 a clerk fills in a form: questions appear as they apply, calculated answers update, ' +
      'and completing is refused until all required questions are answered',
    { skip: browserMissing },
    async () => {
      const id = await make();
      const problems: string[] = [];
      const page = await watchedPage(browser as Browser, problems);
      await signInAt(page, p.url, 'clerk');
      await page.goto(`${p.url}/form/${id}`);
      assert.deepEqual(await accessibilityViolations(page), []);
      const text = await page.$eval('main', (main) => main.innerText);
      for (const part of [
        'Title review',
        'QF-1',
        'Look at the <report> first.',
        'What came of the search?',
        'As invoiced.',
      ])
        assert.ok(text.includes(part), part);
      assert.equal(await isShown(page, 'Defects'), false);
      await page.click('input[value=defect]');
      await page.waitForFunction(
        () =>
          !(
            globalThis as unknown as { document: { querySelector(s: string): { hidden: boolean } } }
          ).document.querySelector('[data-question="Defects"]').hidden,
      );
      await page.type('#f-Cost', '250.50');
      await page.keyboard.press('Tab');
      await page.waitForFunction(
        () =>
          (
            globalThis as unknown as { document: { querySelector(s: string): { textContent: string } } }
          ).document.querySelector('[data-question="Fee"] output').textContent === '25.05',
      );
      await screenshot(page, 'form');
      await press(page, '.task-form', 'Complete');
      assert.match(await page.$eval('[role=alert]', (note) => note.textContent ?? ''), /Which defects\?/);
      assert.equal(await page.$eval('#f-Cost', (input) => (input as unknown as { value: string }).value), '250.50');
      assert.equal((await stored(id))['XmlData'], undefined);
      assert.deepEqual(await accessibilityViolations(page), []);
      await screenshot(page, 'form-refused');
      await page.click('input[value=tax]');
      await page.$eval('#f-Process_Status', (input) => {
        (input as unknown as { value: string }).value = 'In title';
      });
      await press(page, '.task-form', 'Complete');
      assert.equal(page.url(), `${p.url}/form/${id}?done=completed`);
      const saved = await stored(id);
      assert.equal(
        saved['XmlData'],
        '<ImportFormXml><Outcome>defect</Outcome><Defects>tax</Defects>' +
          '<Cost>250.5</Cost><Fee>25.05</Fee></ImportFormXml>',
      );
      assert.ok(saved['ActualCompletion']);
      assert.equal(
        (await p.admin.get(`/api/foreclosure/${String(foreclosure['ForeclosureID'])}?Output=Json`)).json()['Status'],
        'In title',
      );
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }]);
      await page.setViewport({ width: 400, height: 900 });
      await page.reload();
      assert.deepEqual(await accessibilityViolations(page), []);
      await screenshot(page, 'form-narrow-dark');
      assert.deepEqual(
        problems.filter((problem) => !problem.includes('400')),
        [],
      );
    },
  );

  it(
    'FRM-01 status transitions are buttons, and the last transition completes the task',
    { skip: browserMissing },
    async () => {
      const id = await make(staged);
      const page = await watchedPage(browser as Browser, []);
      await signInAt(page, p.url, 'clerk');
      await page.goto(`${p.url}/records/importform/${id}`);
      await press(page, 'main', 'Open task');
      await press(page, '.task-form', 'Send to review');
      assert.equal((await stored(id))['Status'], 'Review');
      await screenshot(page, 'form-moves');
      await press(page, '.task-form', 'Approve');
      const { Status: status, ActualCompletion: completed } = await stored(id);
      assert.equal(status, 'Approved');
      assert.ok(completed);
    },
  );

  it(
    'FRM-01 with script switched off a form can be filled in the same way, one save at a time',
    { skip: browserMissing },
    async () => {
      const id = await make();
      const problems: string[] = [];
      const page = await watchedPage(browser as Browser, problems);
      await page.setJavaScriptEnabled(false);
      await signInAt(page, p.url, 'clerk');
      await page.goto(`${p.url}/form/${id}`);
      await page.click('input[value=defect]');
      await page.type('#f-Cost', '7');
      const condition = await page.$eval('[data-conditional=Outcome]', (part) => part.innerText);
      assert.match(condition, /^If you answered Defect found\s+Which defects\?/);
      await press(page, '.task-form', 'Save');
      assert.equal(await isShown(page, 'Defects'), true);
      assert.equal(await page.$eval('[data-question="Fee"] output', (output) => output.textContent), '0.7');
      await page.click('input[value=lien]');
      await press(page, '.task-form', 'Complete');
      assert.ok((await stored(id))['ActualCompletion']);
      assert.deepEqual(problems, []);
    },
  );

  const clerk = await testSession(p, 'clerk');
  const templateId = template['ImportFormTemplateID'];
  const caseId = foreclosure['ForeclosureID'];
  const hidden = (html: string, name: string): boolean => new RegExp(`data-question="${name}" hidden`).test(html);

  it('FRM-01 without script a new task is created from its URL; questions that apply are shown after each save', async () => {
    const address = `/form/new?Template=Title%20review&Object=Foreclosure&ObjectID=${String(caseId)}`;
    const page = await clerk.get(address);
    assert.equal(page.status, 200, page.text);
    assert.ok(page.text.includes('QF-1') && hidden(page.text, 'Defects'));
    const made = await clerk.post('/form/new', {
      Template: 'Title review',
      Object: 'Foreclosure',
      ObjectID: String(caseId),
      'answer.Outcome': 'defect',
      'before.Outcome': '',
      'answer.Note': 'two\r\nlines',
      'before.Note': '',
      Do: 'save',
    });
    assert.equal(made.status, 303, made.text);
    const next = await clerk.get(String(made.location));
    assert.equal(hidden(next.text, 'Defects'), false);
    const id = /\/form\/(\d+)/.exec(String(made.location))?.[1] ?? '';
    assert.equal(
      (await p.admin.get(`/api/importform/${id}?Output=Json`)).json()['XmlData'],
      '<ImportFormXml><Outcome>defect</Outcome><Note>two\nlines</Note></ImportFormXml>',
    );
  });

  it('FRM-01 when two people fill in one form, the second sees both answers and loses nothing', async () => {
    const id = String(
      (
        await p.admin.post('/api/importform/save?Output=Json', {
          TemplateID: templateId,
          Object: 'Foreclosure',
          ObjectID: caseId,
          Note: 'old',
        })
      ).json()['ImportFormID'],
    );
    const page = await clerk.get(`/form/${id}`);
    const version = /name="Version" value="(\d+)"/.exec(page.text)?.[1] ?? '';
    await p.admin.post('/api/importform/save', { ID: id, Note: 'theirs <b>', Cost: '5' });
    const refused = await clerk.post(`/form/${id}`, {
      Version: version,
      'answer.Note': 'mine & mine',
      'before.Note': 'old',
      'answer.Cost': '',
      'before.Cost': '',
      Do: 'save',
    });
    assert.equal(refused.status, 409);
    assert.match(refused.text, /<td><bdi>theirs &lt;b&gt;<\/bdi><\/td><td><bdi>mine &amp; mine<\/bdi><\/td>/);
    assert.match(refused.text, /name="answer\.Cost"[^>]* value="5"/);
    const again = await clerk.post(`/form/${id}`, {
      Version: /name="Version" value="(\d+)"/.exec(refused.text)?.[1] ?? '',
      'answer.Note': 'mine & mine',
      'before.Note': 'theirs <b>',
      'answer.Cost': '5',
      'before.Cost': '5',
      Do: 'save',
    });
    assert.equal(again.location, `/form/${id}?done=saved`);
    assert.equal(
      (await p.admin.get(`/api/importform/${id}?Output=Json`)).json()['XmlData'],
      '<ImportFormXml><Note>mine &amp; mine</Note><Cost>5</Cost><Fee>0.5</Fee></ImportFormXml>',
    );
  });

  it('WF-16 FRM-01 without script a task of a held workflow shows the hold and its end, and cannot be completed on its own page or on the work page', async () => {
    const plain = await post('importformtemplate/save', {
      ImportFormTemplate: 'Wait for it',
      AppliesTo: 'Foreclosure',
      Questions: [{ ImportFormQuestion: 'Remark', Sequence: 1 }],
    });
    await post('importformtemplate/createworklist', { ID: plain['ImportFormTemplateID'] });
    await post('decisiontemplate/save', {
      DecisionTemplate: 'Waits',
      AppliesTo: 'Foreclosure',
      Steps_0_DecisionStepTemplate: 'Only',
      Steps_0_Object: 'ImportFormTemplate',
      Steps_0_ObjectID: plain['ImportFormTemplateID'],
    });
    await post('decisiondelaytemplate/save', { DecisionDelayTemplate: 'Title <hold>', AppliesTo: 'Foreclosure' });
    const workflow = await post('decision/save', { Template: 'Waits', Object: 'Foreclosure', ObjectID: caseId });
    const hold = await post('decisiondelay/save', {
      DecisionID: workflow['DecisionID'],
      DecisionDelay: 'Title <hold>',
      ProjectedCompletion: '2031-05-06T12:00:00Z',
    });
    const [item] = await p.platform.store.query<{ form: number; id: number }>(
      `select sourceobjectid as form, smartworklistmemberid as id from smartworklistmember
         where sourceobject = 'ImportForm' order by 2 desc limit 1`,
    );
    assert.equal((await clerk.post('/work', { Do: 'next' })).location, '/work', 'not given while on hold');
    const taken = await clerk.post('/work', { Do: 'start', ID: String(item?.id) });
    assert.equal(taken.location, `/work?item=${item?.id}`);
    const own = `/form/${item?.form}`;
    for (const address of [own, taken.location]) {
      const { text } = await clerk.get(address);
      assert.match(
        text,
        new RegExp(
          `This task is on hold\\.[^]*<a href="/records/decisiondelay/${String(hold['DecisionDelayID'])}">` +
            'Title &lt;hold&gt;</a>[^]*' +
            'expected to end <time datetime="2031-05-06T12:00:00.000Z">May 6, 2031',
        ),
        address,
      );
      assert.ok(text.includes('value="save"') && !text.includes('value="complete"'), address);
    }
    const version = /name="Version" value="(\d+)"/.exec((await clerk.get(own)).text)?.[1] ?? '';
    const late = await clerk.post(own, {
      Version: version,
      'answer.Remark': 'kept',
      'before.Remark': '',
      Do: 'complete',
    });
    assert.equal(late.status, 422, 'a page from before the hold still offers it');
    assert.ok(
      late.text.includes('value="kept"') &&
        late.text.includes('This task is on hold.') &&
        !late.text.includes('value="complete"'),
    );
    await post('decisiondelay/save', { ID: hold['DecisionDelayID'], ActualCompletion: new Date().toISOString() });
    const after = (await clerk.get(own)).text;
    assert.ok(after.includes('value="complete"') && !after.includes('This task is on hold.'));
  });

  it('a form posted without its token or without permission changes nothing', async () => {
    const id = String(
      (
        await p.admin.post('/api/importform/save?Output=Json', {
          TemplateID: templateId,
          Object: 'Foreclosure',
          ObjectID: caseId,
        })
      ).json()['ImportFormID'],
    );
    assert.equal(
      (await clerk.post(`/form/${id}`, { _csrf: 'wrong', 'answer.Note': 'x', 'before.Note': '' })).status,
      403,
    );
    await p.user('reader', 'Read Only');
    const reader = await testSession(p, 'reader');
    const page = await reader.get(`/form/${id}`);
    assert.ok(
      page.status === 200 && !page.text.includes('value="save"') && !page.text.includes('answer.Note'),
      page.text,
    );
    assert.equal((await reader.post(`/form/${id}`, { 'answer.Note': 'x', 'before.Note': '' })).status, 403);
    assert.equal((await p.admin.get(`/api/importform/${id}?Output=Json`)).json()['XmlData'], undefined);
  });

  it('FRM-01 WEB-01 a question for a user offers names, shows the name of the chosen one, and takes a typed sign-in name', async () => {
    const { personId } = await p.user('ben', 'Staff');
    await post('person/save', { ID: personId, FirstName: 'Ben', LastName: 'Okafor' });
    await post('importformtemplate/save', {
      ImportFormTemplate: 'Who reviews',
      Questions: [{ ImportFormQuestion: 'Reviewer', QuestionType: 'Person' }],
    });
    const id = Number((await post('importform/save', { Template: 'Who reviews', Reviewer: 'ben' }))['ImportFormID']);
    const session = await testSession(p, 'clerk');
    const { text } = await session.get(`/form/${id}`);
    assert.match(
      text,
      new RegExp(
        `<select [^>]*name="answer.Reviewer"[^>]*>[\\s\\S]*<option value="${personId}" selected>Ben Okafor \\(ben\\)`,
      ),
    );
    assert.doesNotMatch(text, />(?:System|Workflow)<\/option>/, 'nobody works as a built-in user');
    await post('importform/save', { ID: id, ActualCompletion: '2026-01-05' });
    await post('role/save', {
      Role: 'Reads',
      Permissions: 'ImportFormDescribe ImportFormSelect PersonSearch',
      UniversalAccess: true,
    });
    await p.user('reads', 'Reads');
    const closed = await (await testSession(p, 'reads')).get(`/form/${id}`);
    assert.match(closed.text, /<output [^>]*>Ben Okafor \(ben\)<\/output>/);
  });
});
