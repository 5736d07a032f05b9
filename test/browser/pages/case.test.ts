// size: the tests of one page share a platform and a browser.
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { Browser } from 'puppeteer-core';
import { screenshot, testBrowser, watchedPage, browserMissing } from '../../support/browser/browser.ts';
import { accessibilityViolations } from '../../support/browser/accessibility.ts';
import { press, signInAt } from '../../support/browser/page-steps.ts';
import { testPlatform } from '../../support/platform.ts';
import { testSession } from '../../support/pages/session.ts';
import { workflowCalls, type StepOf } from '../../support/work/workflows.ts';

/** An attacker's name that also contains right-to-left text. */
const HOSTILE = `<script>alert(1)</script>"'&\u202Eעברית `.padEnd(100, 'x');

describe('the page of a case', async () => {
  const p = await testPlatform({ after });
  const { save, template, newCase, start, stepNamed, stepStatuses, complete, ok } = workflowCalls(p);
  await p.user('clerk', 'Staff');
  await p.user('other', 'Staff');
  await p.user('reader', 'Read Only');
  const firm = await p.firm('Firm A');
  const clerk = await testSession(p, 'clerk');
  const browser = browserMissing === false ? await testBrowser({ after }) : undefined;

  const form = await save('importformtemplate', {
    ImportFormTemplate: 'Title review',
    Questions: [{ ImportFormQuestion: 'Remark', Sequence: 1 }],
  });
  const review: readonly StepOf[] = [
    {
      name: 'Order the title',
      Object: 'ImportFormTemplate',
      ObjectID: form['ImportFormTemplateID'],
      EstimatedDuration: '3',
    },
    { name: 'Is the title clear?', after: ['Order the title'] },
    { name: 'Cure the defects', after: ['Is the title clear?=0'], EstimatedDuration: '10' },
    { name: 'Draft the complaint', after: [['Is the title clear?=1', 'Cure the defects']] },
    { name: 'File the complaint', after: ['Draft the complaint'] },
  ];
  await template('Foreclosure review', review);

  const stepId = async (decision: unknown, name: string): Promise<string> =>
    String((await stepNamed(decision, name))['DecisionStepID']);
  const at = (id: number, of = 'foreclosure'): string => `/case/${of}/${id}`;
  /** The address of the workflows of a case, with their steps. */
  const flow = (id: number, of = 'foreclosure'): string => `${at(id, of)}?tab=workflow`;

  it(
    'WEB-01 WEB-04 shows facts, the workflow as a diagram and a list, and tasks with their forms; ' +
      'completes a step with a result',
    { skip: browserMissing },
    async () => {
      const id = await newCase({ Foreclosure: 'Case 2041', Status: 'Open' });
      const decision = (await start('Foreclosure review', id))['DecisionID'];
      const problems: string[] = [];
      const page = await watchedPage(browser as Browser, problems);
      await signInAt(page, p.url, 'clerk');
      await page.goto(`${p.url}/records/foreclosure/${id}`);
      await press(page, 'main .actions', 'Open case');
      assert.equal(page.url(), `${p.url}${at(id)}`);
      assert.deepEqual(await accessibilityViolations(page), []);
      assert.match(await page.$eval('main', (main) => main.innerText), /0 of 5 steps done[^]*Now: Order the title/);
      await page.goto(`${p.url}${flow(id)}`);
      assert.deepEqual(await accessibilityViolations(page), []);
      const text = await page.$eval('main', (main) => main.innerText);
      for (const part of [
        'Case 2041',
        'Foreclosure review',
        '0 of 5 steps done',
        'Order the title',
        'Waiting',
        'Title review',
        'Documents',
      ])
        assert.ok(text.includes(part), part);
      assert.equal((await page.$$('svg.flow rect')).length, 5);
      assert.equal((await page.$$('svg.flow .line')).length, 5);
      assert.deepEqual(await page.$$eval('svg.flow .when', (marks) => marks.map((mark) => mark.textContent)), [
        'no',
        'yes',
      ]);
      await screenshot(page, 'case');
      await ok(complete(await stepId(decision, 'Order the title')));
      await page.reload();
      await press(page, '.now', 'Complete: yes');
      assert.match(
        await page.$eval('.banner[role=status]', (note) => note.textContent ?? ''),
        /“Is the title clear\?” is done\./,
      );
      assert.equal((await stepNamed(decision, 'Is the title clear?'))['IsTrue'], true);
      assert.equal((await stepNamed(decision, 'Draft the complaint'))['Status'], 'Pending');
      assert.deepEqual(await page.$$eval('svg.flow text.state', (marks) => marks.map((mark) => mark.textContent)), [
        '✓ Done',
        '✓ Done: yes',
        '– Not needed',
        '● Waiting',
        '○ Upcoming',
      ]);
      await page.click('details summary');
      assert.deepEqual(await accessibilityViolations(page), []);
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }]);
      await page.setViewport({ width: 400, height: 900 });
      await page.reload();
      assert.deepEqual(await accessibilityViolations(page), []);
      assert.ok(
        await page.evaluate('document.documentElement.scrollWidth <= 400'),
        'only diagrams and tables scroll sideways',
      );
      await screenshot(page, 'case-narrow-dark');
      assert.deepEqual(problems, []);
    },
  );

  it('WEB-04 when two people complete one step, the second is shown that somebody else did, when and with which result', async () => {
    const id = await newCase();
    const decision = (await start('Foreclosure review', id))['DecisionID'];
    await ok(complete(await stepId(decision, 'Order the title')));
    const step = await stepId(decision, 'Is the title clear?');
    const other = await testSession(p, 'other');
    const answers = await Promise.all([
      clerk.post(at(id), { Action: 'complete true', StepID: step }),
      other.post(at(id), { Action: 'complete false', StepID: step }),
    ]);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [303, 303],
    );
    const reported = await Promise.all(
      answers.map(
        async ({ location }, who) => (await (who === 0 ? clerk : other).get(String(location).replace(/#.*/, ''))).text,
      ),
    );
    const result = (await stepNamed(decision, 'Is the title clear?'))['IsTrue'] as boolean;
    const [winner, loser] = result ? [0, 1] : [1, 0];
    assert.match(reported[winner] ?? '', /role="status">[^]*?<p>“<bdi>Is the title clear\?<\/bdi>” is done\./);
    assert.match(
      reported[loser] ?? '',
      new RegExp(
        'role="alert">[^]*?<p>“<bdi>Is the title clear\\?</bdi>” was already completed on [\\w ,:]+ ' +
          `with the result ${result ? 'yes' : 'no'} by someone else\\.`,
      ),
    );
    const late = await other.post(at(id), { Action: 'complete', StepID: step });
    assert.match(String(late.location), /done=already/);
  });

  it('WEB-04 WF-36 without script a failed step shows its reason and its id in the error log, and can be started again', async () => {
    await template('Calls something', [
      {
        name: 'Call',
        Object: 'Foreclosure',
        Operation: 'Update',
        Parameters: 'ID={ObjectID}&Status=Called&Foreclosure={Foreclosure}',
      },
      { name: 'Fails', Object: 'Loan', Operation: 'Select', Parameters: 'ID=9876543', after: ['Call'] },
    ]);
    const id = await newCase();
    await p.admin.post('/api/decision/save', { Template: 'Calls something', Object: 'Foreclosure', ObjectID: id });
    const page = await clerk.get(flow(id));
    const [, step = ''] = /name="StepID" value="(\d+)"/.exec(page.text) ?? [];
    const failed = (await p.admin.get(`/api/decisionstep/select/${step}?Output=Json`)).json();
    assert.equal(failed['Status'], 'Error');
    assert.ok(
      page.text.includes(String(failed['ErrorGUID'])) && page.text.includes('Loan 9876543 not found'),
      page.text,
    );
    const again = await clerk.post(at(id), { Action: 'start', StepID: step });
    assert.equal(again.status, 422, again.text);
    assert.match(again.text, /role="alert">[^]*?<p>Step “?"?&quot;?Fails/);
    assert.notEqual(
      (await p.admin.get(`/api/decisionstep/select/${step}?Output=Json`)).json()['ErrorGUID'],
      failed['ErrorGUID'],
    );
  });

  it('WEB-04 WF-16 WF-32 a hold is placed and ended; meanwhile no step is offered, a stale page is refused, and the page says so to the second user who ends the hold', async () => {
    await save('decisiondelaytemplate', { DecisionDelayTemplate: 'Title hold', AppliesTo: 'Foreclosure' });
    await save('decisiondelaytemplate', { DecisionDelayTemplate: 'Loan hold', AppliesTo: 'Loan' });
    const id = await newCase();
    const decision = (await start('Foreclosure review', id))['DecisionID'];
    const step = await stepId(decision, 'Order the title');
    const before = await clerk.get(`${at(id)}?compose=hold`);
    assert.ok(
      before.text.includes('<option value="Title hold">') && !before.text.includes('Loan hold'),
      'hold types that fit the case',
    );
    const wrong = await clerk.post(at(id), {
      Action: 'hold',
      DecisionID: String(decision),
      DecisionDelay: 'No such hold',
      ReasonDetail: 'Why & how',
    });
    assert.ok([400, 404].includes(wrong.status), wrong.text);
    assert.match(wrong.text, /role="alert"[\s\S]*Why &amp; how<\/textarea>/);
    const held = await clerk.post(at(id), {
      Action: 'hold',
      DecisionID: String(decision),
      DecisionDelay: 'Title hold',
      ReasonDetail: 'A <lien>\r\nwas found',
    });
    assert.equal(held.status, 303, held.text);
    const page = (await clerk.get(String(held.location).replace(/#.*/, ''))).text;
    for (const part of [
      'The case is on hold. No step starts',
      '<b><bdi>Foreclosure review</bdi> is on hold.</b>',
      ' · On hold',
      'A &lt;lien&gt;&#10;was found',
      'Release hold',
    ])
      assert.ok(page.includes(part), part);
    assert.doesNotMatch((await clerk.get(flow(id))).text, /value="complete/);
    const stale = await clerk.post(at(id), { Action: 'complete', StepID: step });
    assert.equal(stale.status, 422, stale.text);
    assert.match(stale.text, /role="alert">[^]*?<p>[^<]*on hold/);
    const [, hold = ''] = /name="HoldID" value="(\d+)"/.exec(page) ?? [];
    assert.match(String((await clerk.post(at(id), { Action: 'endhold', HoldID: hold })).location), /done=hold-ended$/);
    const again = await clerk.post(at(id), { Action: 'endhold', HoldID: hold });
    assert.match(
      (await clerk.get(String(again.location).replace(/#.*/, ''))).text,
      /Someone else already ended this hold/,
    );
    assert.doesNotMatch((await clerk.get(at(id))).text, /Release hold/);
  });

  it('WEB-04 WF-16 WF-32 a hold is of the whole case unless one workflow is chosen; then the page names what continues', async () => {
    await save('decisiondelaytemplate', { DecisionDelayTemplate: 'Bankruptcy stay', AppliesTo: 'Process' });
    await template('Servicing', [{ name: 'Advance the taxes' }]);
    const id = await newCase();
    const first = (await start('Foreclosure review', id))['DecisionID'];
    const second = (await start('Servicing', id))['DecisionID'];
    const delayed = async (decision: unknown): Promise<unknown> =>
      (await p.admin.get(`/api/decision/select/${String(decision)}?Output=Json`)).json()['Delayed'] ?? false;
    const form = (await clerk.get(`${at(id)}?compose=hold`)).text;
    assert.match(form, /name="DecisionID">\s*<option value="">The whole case<\/option>/);
    const shown = async (answer: { readonly location?: string | null | undefined }): Promise<string> =>
      (await clerk.get(String(answer.location).replace(/#.*/, ''))).text;

    const one = { Action: 'hold', DecisionID: String(second), DecisionDelay: 'Bankruptcy stay' };
    const partly = await shown(await clerk.post(at(id), one));
    assert.match(partly, /On hold: <bdi>Servicing<\/bdi>\. Not on hold: <bdi>Foreclosure review<\/bdi>\./);
    assert.match(partly, /<b><bdi>Servicing<\/bdi> is on hold\.<\/b>[^]*<bdi>Foreclosure review<\/bdi> continues\./);
    assert.deepEqual([await delayed(first), await delayed(second)], [false, true]);

    const whole = await shown(
      await clerk.post(at(id), { Action: 'hold', DecisionID: '', DecisionDelay: 'Bankruptcy stay' }),
    );
    assert.match(whole, /role="status">[^]*?<p>The case is on hold\. No step starts and none can be completed/);
    assert.match(whole, /<b>The case is on hold\.<\/b>[^]*no review date\./i);
    assert.match(whole, /Title review[\s\S]{0,300} · On hold/, 'the task shows it');
    assert.equal(await delayed(first), true);
    const later = (await start('Servicing', id))['DecisionID'];
    assert.equal(await delayed(later), true, 'a workflow that starts later is held as well');
  });

  it('WEB-04 WF-09 a step that waits for a task or a workflow is completed by hand only with a reason, which cancels that', async () => {
    const inner = await template('Inner review', [{ name: 'By somebody' }]);
    await template('Outer review', [
      { name: 'Review it', Object: 'DecisionTemplate', ObjectID: inner['DecisionTemplateID'] },
      { name: 'Look at it', Object: 'ImportFormTemplate', ObjectID: form['ImportFormTemplateID'] },
    ]);
    const id = await newCase();
    const decision = (await start('Outer review', id))['DecisionID'];
    const shown = (await clerk.get(flow(id))).text;
    for (const way of ['workflow', 'task'])
      assert.match(
        shown,
        new RegExp(
          `<summary>Skip ${way}…[\\s\\S]{0,900}<textarea [^>]*name="BodyText" rows="2" required>` +
            `[\\s\\S]{0,200}>Skip ${way}</button>`,
        ),
      );
    const step = await stepNamed(decision, 'Look at it');
    const skip = { Action: 'complete', StepID: String(step['DecisionStepID']) };
    for (const BodyText of ['', '  ']) {
      const page = await clerk.post(at(id), { ...skip, BodyText });
      assert.equal(page.status, 400);
      assert.match(page.text, /Enter a reason[\s\S]*<details open>\s*<summary>Skip task/);
    }
    assert.equal((await stepNamed(decision, 'Look at it'))['Status'], 'Pending');
    const done = await clerk.post(at(id), { ...skip, BodyText: 'Reviewed on paper' });
    assert.match(String(done.location), /done=completed/);
    const task = (await p.admin.get(`/api/importform/select/${String(step['ObjectID'])}?Output=Json`)).json();
    assert.equal(typeof task['CanceledDate'], 'string');
    const notes = (await p.admin.get(`/api/foreclosure/${id}/message/search?Output=Json`)).text;
    assert.match(notes, /Completed without what it waited for: Look at it/);
    assert.match(notes, /Reviewed on paper/);
  });

  it('WEB-01 a note and a document that are added from the case are on the case; an empty note is refused', async () => {
    const id = await newCase();
    const empty = await clerk.post(at(id), { Action: 'note', BodyText: ' ' });
    assert.equal(empty.status, 400, empty.text);
    assert.match(empty.text, /role="alert">[^]*?<p>Write a note first\./);
    const text = 'Borrower called\r\nand asked <when>';
    assert.match(String((await clerk.post(at(id), { Action: 'note', BodyText: text })).location), /done=noted/);
    const notes = (await p.admin.get(`/api/foreclosure/${id}/message/search?Output=Json`)).text;
    assert.match(notes, /"Message":"Borrower called"/);
    const page = (await clerk.get(at(id))).text;
    assert.match(page, /Messages<span class="count">1</);
    assert.match(page, /Borrower called&#10;and asked &lt;when&gt;/);
    const documents = (await clerk.get(`${at(id)}?tab=documents`)).text;
    assert.match(documents, new RegExp(`<form class="upload" data-object="Foreclosure" data-id="${id}" data-upload>`));
    assert.match(documents, /src="\/upload\.js/);
  });

  it("WEB-01 a borrower's first name, the property's address and the last digits of the loan lead to the case; a queue lists its items with them", async () => {
    const property = await save('property', { Address: '3479 Driftwood Lane', City: 'Quail Hollow' });
    const loan = await save('loan', { Loan: '7700451298', PropertyID: property['PropertyID'] });
    const borrower = { Object: 'Loan', ObjectID: loan['LoanID'], LastName: 'Quillfeather', FirstName: 'Bram' };
    await save('contact', borrower);
    const id = await newCase({ Foreclosure: 'Case of Bram', LoanID: loan['LoanID'] });
    for (const text of ['Bram Quill', '3479 Driftwood', '51298', 'Quail Hollow']) {
      const found = await clerk.get(`/search?Text=${encodeURIComponent(text)}`);
      const target = found.status === 303 ? String(found.location) : found.text;
      assert.match(target, new RegExp(`/(?:records|case)/foreclosure/${id}\\b`), text);
    }
    await save('contact', { ...borrower, FirstName: 'Bramwell' });
    const several = await clerk.get('/search?Text=bram');
    assert.match(several.text, new RegExp(`Quillfeather, Bram<[\\s\\S]*case <a href="${at(id)}">Case of Bram</a>`));
    const list = (
      await p.admin.post('/api/smartworklisttemplate/create?Output=Json', {
        SmartWorklistTemplate: 'Title reviews',
        SourceObject: 'ImportForm',
        Calculate: false,
      })
    ).json();
    await save('importformtemplate', {
      ImportFormTemplate: 'Check the lien',
      SmartWorklistTemplateID: list['SmartWorklistTemplateID'],
    });
    await save('importform', {
      Template: 'Check the lien',
      Object: 'Foreclosure',
      ObjectID: id,
      EstimatedCompletion: '2027-03-01',
    });
    assert.match((await clerk.get(`${at(id)}?tab=tasks`)).text, /Check the lien[\s\S]{0,400}Unassigned/);
    const next = await p.admin.get('/api/smartworklistmember/next?Output=Json&SmartWorklist=Title+reviews');
    const [, taker = ''] = /"PersonID":(\d+)/.exec(next.text) ?? [];
    const person = `href="/records/person/${taker}"`;
    assert.match(
      (await clerk.get(`${at(id)}?tab=tasks`)).text,
      new RegExp(`Check the lien[\\s\\S]{0,400}${person}`),
      'who took it',
    );
    const queue = (await clerk.get(`/records/smartworklist/${String(list['SmartWorklistID'])}`)).text;
    const row = /<h2 id="items">[\s\S]*?<tbody>([\s\S]*?)<\/tbody>/.exec(queue)?.[1] ?? '';
    for (const part of [
      'Check the lien',
      `href="${at(id)}">Case of Bram`,
      'Quillfeather, Bram; Quillfeather, Bramwell',
      'Mar 1, 2027',
      person,
    ])
      assert.ok(row.includes(part), `${part} in ${row}`);
  });

  it('WEB-01 the home page and the search lead to a case, and its page to its older workflows; a base type redirects to the derived one', async () => {
    const id = await newCase({ Foreclosure: 'Findable 77' });
    await newCase({ Foreclosure: 'Findable 78' });
    const first = (await start('Foreclosure review', id))['DecisionID'];
    await p.admin.post('/api/decision/cancel', { ID: first });
    await start('Calls something', id).catch(() => undefined);
    await start('Foreclosure review', id);
    assert.ok((await clerk.get('/search?Text=Findable')).text.includes(`href="${at(id)}"`));
    assert.ok((await clerk.get('/')).text.includes('href="/work"'));
    const page = await clerk.get(flow(id));
    assert.match(
      page.text,
      new RegExp(`Other workflows[\\s\\S]*href="${at(id)}\\?tab=workflow&amp;Workflow=${String(first)}"`),
    );
    const old = await clerk.get(`${flow(id)}&Workflow=${String(first)}`);
    assert.ok(
      old.text.includes(`id="workflow-${String(first)}"`) &&
        old.text.includes('Not reached') &&
        old.text.includes('Canceled'),
    );
    assert.doesNotMatch(old.text, /name="StepID"/);
    assert.equal((await clerk.get(at(id, 'process'))).location, at(id));
  });

  it("WEB-04 read-only users and the case's firm see the same page without what they may not do; another firm sees nothing", async () => {
    const id = Number(
      (await save('foreclosure', { Foreclosure: 'Case of Firm A', OrganizationID: firm.organizationId }))[
        'ForeclosureID'
      ],
    );
    const decision = (await start('Foreclosure review', id))['DecisionID'];
    const own = await clerk.get(flow(id));
    assert.match(own.text, /value="complete"/);
    for (const name of ['reader', 'user of Firm A']) {
      const page = await (await testSession(p, name)).get(flow(id));
      assert.equal(page.status, 200, page.text);
      assert.ok(page.text.includes('Order the title') && page.text.includes('File the complaint'), name);
      assert.doesNotMatch(page.text, /<form method="post" class="actions"|name="Action"/, name);
    }
    const reported = (await ok(firm.caller.get(`/api/decision/outline?Output=Json&ID=${String(decision)}`)))[
      'DecisionOutline'
    ] as {
      readonly Step: readonly {
        readonly DecisionStep: string;
        readonly DecisionStepTemplateID: number;
        readonly Kind: string;
        readonly Dependency?: readonly Record<string, number>[];
      }[];
    };
    const ids = reported.Step.map((step) => step.DecisionStepTemplateID);
    assert.deepEqual(
      reported.Step.map((step) => [
        step.DecisionStep,
        step.Kind,
        (step.Dependency ?? []).map((need) => [
          ids.indexOf(Number(need['DecisionStepTemplateID'])),
          need['GroupNumber'],
          need['IsTrue'],
        ]),
      ]),
      [
        ['Order the title', 'Record', []],
        ['Is the title clear?', 'Manual', [[0, 0, undefined]]],
        ['Cure the defects', 'Manual', [[1, 0, 0]]],
        [
          'Draft the complaint',
          'Manual',
          [
            [1, 0, 1],
            [2, 0, undefined],
          ],
        ],
        ['File the complaint', 'Manual', [[3, 0, undefined]]],
      ],
    );
    const other = await p.firm('Firm B');
    assert.equal((await other.caller.get(`/api/decision/outline?ID=${String(decision)}`)).status, 404);
    const foreign = await testSession(p, 'user of Firm B');
    assert.equal((await foreign.get(flow(id))).status, 404);
  });

  describe('changing a workflow', () => {
    const requested = (of: number, change: string, workflow: unknown, step?: unknown): string =>
      `${at(of)}/${change}?Workflow=${String(workflow)}${step === undefined ? '' : `&Step=${String(step)}`}`;
    /** Returns the hidden fields of a page's form. */
    const fieldsOf = (page: string): Record<string, string> =>
      Object.fromEntries(
        [...page.slice(page.indexOf('<h1>')).matchAll(/<input type="hidden" name="([A-Z]\w*)" value="([^"]*)">/g)].map(
          ([, name = '', value = '']) => [name, value],
        ),
      );
    const links = (page: string): string[] =>
      [...page.matchAll(/class="button quiet" href="[^"]*\/(\w+)\?Workflow=/g)].map(([, name = '']) => name);
    /** Creates a case whose workflow has reached its second step, with its task complete. */
    const caseAtSecondStep = async (): Promise<{ id: number; decision: unknown }> => {
      const id = await newCase();
      const decision = (await start('Foreclosure review', id))['DecisionID'];
      await ok(complete(await stepId(decision, 'Order the title')));
      return { id, decision };
    };

    it('WEB-04 WF-12 WF-22 without script a workflow is canceled with a reason: the page previews the affected steps and tasks, and a blank reason is refused', async () => {
      const id = await newCase();
      const decision = (await start('Foreclosure review', id))['DecisionID'];
      const shown = (await clerk.get(flow(id))).text;
      assert.deepEqual(links(shown), ['dates', 'skip', 'cancel']);
      const question = await clerk.get(requested(id, 'cancel', decision));
      assert.match(question.text, /<h1>Cancel “<bdi>Foreclosure review<\/bdi>”\?<\/h1>/);
      assert.match(question.text, /1 step will be canceled, 1 task will be canceled\./);
      assert.match(
        question.text,
        /<bdi>Order the title<\/bdi><\/th>\s*<td>Waiting<\/td>\s*<td>Canceled, 1 open task canceled</,
      );
      const fields = fieldsOf(question.text);
      const silent = await clerk.post(`${at(id)}/cancel`, { ...fields, Status: 'With <drawn>', BodyText: ' ' });
      assert.equal(silent.status, 400);
      assert.match(
        silent.text,
        /role="alert">[^]*?<p>Enter a reason[\s\S]*aria-invalid="true" autofocus[\s\S]*value="With &lt;drawn&gt;"/,
      );
      const done = await clerk.post(`${at(id)}/cancel`, {
        ...fields,
        Status: 'Withdrawn',
        BodyText: 'The loan was\r\npaid <off>',
      });
      assert.equal(done.status, 303, done.text);
      const reported = (await clerk.get(String(done.location).replace(/#.*/, ''))).text;
      assert.match(reported, /role="status">[^]*?<p>“<bdi>Foreclosure review<\/bdi>” was canceled\./);
      assert.deepEqual(links(reported), ['reactivate']);
      const messages = (await ok(p.admin.get(`/api/foreclosure/${id}/message/search?Output=Json`)))[
        'MessageCollection'
      ] as { MessageItem: { Message: string; BodyText: string }[] };
      assert.deepEqual(
        messages.MessageItem.map(({ Message, BodyText }) => [Message, BodyText]),
        [['Workflow canceled', 'The loan was\npaid <off>']],
      );
      assert.equal(
        (await p.admin.get(`/api/decision/select/${String(decision)}?Output=Json`)).json()['Status'],
        'Withdrawn',
      );
      const twice = await clerk.post(`${at(id)}/cancel`, { ...fields, BodyText: 'Again' });
      assert.equal(twice.status, 409);
      assert.match(
        twice.text,
        /The workflow changed since you opened this page[\s\S]*The workflow is canceled\. You can&#39;t do this now/,
      );
      assert.doesNotMatch(twice.text, /name="BodyText"/);
    });

    it('WEB-04 WF-22 when two people cancel one workflow, the second is shown that somebody else did', async () => {
      const { id, decision } = await caseAtSecondStep();
      const fields = fieldsOf((await clerk.get(requested(id, 'cancel', decision))).text);
      const answers = await Promise.all(
        [clerk, await testSession(p, 'other')].map((session, who) =>
          session.post(`${at(id)}/cancel`, { ...fields, BodyText: `By ${who}` }),
        ),
      );
      const reported = await Promise.all(
        answers.map(async (answer) =>
          answer.status === 303 ? (await clerk.get(String(answer.location).replace(/#.*/, ''))).text : answer.text,
        ),
      );
      assert.equal(
        reported.filter((text) => /role="status">[^]*?<p>“<bdi>Foreclosure review<\/bdi>” was canceled\./.test(text))
          .length,
        1,
      );
      assert.equal(
        reported.filter((text) =>
          /role="alert">[^]*?<p>(“<bdi>Foreclosure review<\/bdi>” has already ended\.|The workflow changed since)/.test(
            text,
          ),
        ).length,
        1,
        reported.join(),
      );
      const messages = (await ok(p.admin.get(`/api/decision/${String(decision)}/message/search?Output=Json`)))[
        'MessageCollection'
      ] as { MessageItem: unknown };
      assert.equal([messages.MessageItem].flat().length, 1, 'only the user who canceled it is named');
    });

    it('WEB-04 WF-22 canceling can keep tasks; reopening restores what was canceled with the workflow, and can continue it at once', async () => {
      const id = await newCase();
      const decision = (await start('Foreclosure review', id))['DecisionID'];
      const step = await stepNamed(decision, 'Order the title');
      const fields = fieldsOf((await clerk.get(requested(id, 'cancel', decision))).text);
      await clerk.post(`${at(id)}/cancel`, { ...fields, BodyText: 'Why', KeepImportForm: 'true' });
      assert.equal(
        (await p.admin.get(`/api/importform/select/${String(step['ObjectID'])}?Output=Json`)).json()['CanceledDate'],
        undefined,
      );
      const question = (await clerk.get(requested(id, 'reactivate', decision))).text;
      assert.match(
        question,
        /1 step will be reopened\.[\s\S]*<bdi>Order the title<\/bdi><\/th>\s*<td>Canceled<\/td>\s*<td>Reopened</,
      );
      const again = await clerk.post(`${at(id)}/reactivate`, fieldsOf(question));
      const reported = (await clerk.get(String(again.location).replace(/#.*/, ''))).text;
      assert.match(
        reported,
        /role="status">[^]*?<p>“<bdi>Foreclosure review<\/bdi>” was reopened\. No step was started/,
      );
      assert.deepEqual(links(reported), ['dates', 'process', 'skip', 'cancel']);
      const on = await clerk.post(
        `${at(id)}/process`,
        fieldsOf((await clerk.get(requested(id, 'process', decision))).text),
      );
      assert.match(String(on.location), /done=processed/);
      assert.equal((await stepNamed(decision, 'Order the title'))['Status'], 'Pending');
      await ok(complete(step['DecisionStepID']));
      await p.admin.post('/api/decision/cancel', { ID: decision });
      const both = await clerk.post(`${at(id)}/reactivate`, {
        ...fieldsOf((await clerk.get(requested(id, 'reactivate', decision))).text),
        Process: 'true',
      });
      assert.match(String(both.location), /done=reactivated-on/);
    });

    it('WEB-04 WF-24 restarting from a completed step previews what must be redone, and leads to the replacement workflow', async () => {
      const { id, decision } = await caseAtSecondStep();
      await ok(complete(await stepId(decision, 'Is the title clear?'), { IsTrue: true }));
      const choice = (await clerk.get(requested(id, 'restart', decision))).text;
      const ids = [...choice.matchAll(/<option value="(\d+)">([^,<]*), done/g)].map(([, value = '', name = '']) => [
        name,
        value,
      ]);
      assert.deepEqual(
        ids.map(([name]) => name),
        ['Order the title', 'Is the title clear?'],
      );
      const first = ids[0]?.[1];
      const question = (await clerk.get(requested(id, 'restart', decision, first))).text;
      assert.match(question, /1 step will be canceled, 1 step that is done must be done again\./);
      assert.match(
        question,
        new RegExp(
          '<bdi>Is the title clear\\?</bdi>' +
            '</th>\\s*<td>Done</td>\\s*<td>To be done again<[^]*<bdi>Draft the complaint</bdi>' +
            '</th>\\s*<td>Waiting</td>\\s*<td>Canceled<',
        ),
      );
      const fields = { ...fieldsOf(question), BodyText: 'The title was wrong' };
      const answers = await Promise.all([
        clerk.post(`${at(id)}/restart`, fields),
        (await testSession(p, 'other')).post(`${at(id)}/restart`, fields),
      ]);
      const [won, lost] = answers.sort((a, b) => a.status - b.status);
      assert.equal(won?.status, 303, won?.text);
      assert.ok(
        [409, 422].includes(lost?.status ?? 0) &&
          /role="alert">[^]*?<p>(The workflow changed since|Workflow \d+ was already restarted)/.test(lost?.text ?? ''),
        lost?.text,
      );
      const reported = (await clerk.get(String(won?.location).replace(/#.*/, ''))).text;
      assert.match(reported, /role="status">[^]*?<p>“<bdi>Foreclosure review<\/bdi>” was restarted/);
      const made = /Workflow=(\d+)/.exec(String(won?.location))?.[1];
      assert.deepEqual((await stepStatuses(made)).sort(), ['Is the title clear? Pending', 'Order the title Complete']);
      assert.equal(
        (await clerk.get(requested(id, 'restart', decision, first))).status,
        422,
        'a restarted workflow cannot be restarted either',
      );
      assert.match(
        (await clerk.get(requested(id, 'reactivate', decision))).text,
        /was restarted, and another one replaces it/,
      );
    });

    it('WEB-04 WF-25 skipping ahead previews the skipped steps; a change made meanwhile is shown before anything happens', async () => {
      const { id, decision } = await caseAtSecondStep();
      const choice = (await clerk.get(requested(id, 'skip', decision))).text;
      const [, target = ''] = /<option value="(\d+)">Draft the complaint</.exec(choice) ?? [];
      const question = (await clerk.get(requested(id, 'skip', decision, target))).text;
      assert.match(question, /3 steps will be skipped\./);
      assert.match(
        question,
        /<bdi>Draft the complaint<\/bdi><\/th>\s*<td>Upcoming<\/td>\s*<td>Done, without its action</,
      );
      const fields = { ...fieldsOf(question), BodyText: 'Served on paper' };
      await ok(complete(await stepId(decision, 'Is the title clear?'), { IsTrue: false }));
      const stale = await clerk.post(`${at(id)}/skip`, fields);
      assert.equal(stale.status, 409);
      assert.match(
        stale.text,
        /changed since you opened this page[\s\S]*2 steps will be skipped\.[\s\S]*Served on paper<\/textarea>/,
      );
      assert.equal((await stepNamed(decision, 'Cure the defects'))['Status'], 'Pending', 'nothing was done');
      const done = await clerk.post(`${at(id)}/skip`, { ...fieldsOf(stale.text), BodyText: 'Served on paper' });
      assert.match(String(done.location), /done=skipped/);
      assert.deepEqual(
        (await stepStatuses(decision)).filter((step) => !step.endsWith('Complete')),
        [],
      );
      assert.match(
        (await clerk.get(String(done.location).replace(/#.*/, ''))).text,
        /role="status">[^]*?<p>“<bdi>Foreclosure review<\/bdi>” was skipped ahead/,
      );
    });

    it('WEB-04 WF-27 a failed step is queued again; for a step that has not failed the page says so', async () => {
      const id = await newCase();
      await p.admin.post('/api/decision/save', { Template: 'Calls something', Object: 'Foreclosure', ObjectID: id });
      const [, path = ''] = /href="([^"]*\/requeue\?[^"]*)"/.exec((await clerk.get(flow(id))).text) ?? [];
      const question = (await clerk.get(path.replaceAll('&amp;', '&'))).text;
      assert.match(question, /<h1>Retry “<bdi>Fails<\/bdi>” of “<bdi>Calls something<\/bdi>”\?/);
      const done = await clerk.post(`${at(id)}/requeue`, fieldsOf(question));
      assert.match(String(done.location), /done=requeued&/);
      const decision = /Workflow=(\d+)/.exec(String(done.location))?.[1];
      assert.equal((await stepNamed(decision, 'Fails'))['Status'], 'Queued');
      const again = await clerk.post(`${at(id)}/requeue`, fieldsOf(question));
      assert.ok([409, 422].includes(again.status), again.text);
      assert.match(again.text, /role="alert"/);
    });

    it('WEB-04 WF-24 if a step fails after a restart, the page reports both; after reopening, the step stays failed', async () => {
      const id = await newCase();
      await p.admin.post('/api/decision/save', { Template: 'Calls something', Object: 'Foreclosure', ObjectID: id });
      const latest = async (): Promise<string> =>
        /id="workflow-(\d+)"/.exec((await clerk.get(flow(id))).text)?.[1] ?? '';
      const first = await latest();
      const question = (await clerk.get(requested(id, 'restart', first, await stepId(first, 'Call')))).text;
      const done = await clerk.post(`${at(id)}/restart`, { ...fieldsOf(question), BodyText: 'Once more' });
      assert.match(String(done.location), /done=restart-failed$/, done.text);
      assert.match(
        (await clerk.get(String(done.location))).text,
        /role="alert">[^]*?<p>The workflow was restarted\. A step failed[\s\S]*Loan 9876543 not found/,
      );
      const second = await latest();
      assert.deepEqual([second === first, await stepStatuses(second)], [false, ['Call Complete', 'Fails Error']]);
      await p.admin.post('/api/decision/cancel', { ID: second });
      const open = await clerk.post(`${at(id)}/reactivate`, {
        ...fieldsOf((await clerk.get(requested(id, 'reactivate', second))).text),
        Process: 'true',
      });
      assert.match(String(open.location), /done=reactivated-on/);
      assert.deepEqual(await stepStatuses(second), ['Call Complete', 'Fails Error']);
    });

    it('WEB-04 on hold, skipping and restarting are neither offered nor possible; canceling is', async () => {
      const { id, decision } = await caseAtSecondStep();
      const fields = fieldsOf(
        (await clerk.get(requested(id, 'restart', decision, await stepId(decision, 'Order the title')))).text,
      );
      await clerk.post(at(id), { Action: 'hold', DecisionID: String(decision), DecisionDelay: 'Title hold' });
      assert.deepEqual(links((await clerk.get(flow(id))).text), ['dates', 'cancel']);
      for (const change of ['skip', 'restart']) {
        const page = await clerk.get(requested(id, change, decision));
        assert.equal(page.status, 422);
        assert.match(page.text, /role="alert">[^]*?<p>The workflow is on hold\. You can&#39;t do this now/);
        assert.doesNotMatch(page.text, /<textarea|<select/);
      }
      const row = (await p.admin.get(`/api/decision/select/${String(decision)}?Output=Json`)).json();
      assert.ok(
        [409, 422].includes(
          (await clerk.post(`${at(id)}/restart`, { ...fields, Version: String(row['Version']), BodyText: 'Why' }))
            .status,
        ),
      );
      assert.equal((await stepNamed(decision, 'Is the title clear?'))['Status'], 'Pending');
      await clerk.post(`${at(id)}/cancel`, {
        ...fieldsOf((await clerk.get(requested(id, 'cancel', decision))).text),
        BodyText: 'Why',
      });
      const open = await clerk.post(`${at(id)}/reactivate`, {
        ...fieldsOf((await clerk.get(requested(id, 'reactivate', decision))).text),
        Process: 'true',
      });
      assert.match(
        (await clerk.get(String(open.location).replace(/#.*/, ''))).text,
        /was reopened\. It is on hold and continues when the hold ends/,
      );
    });

    it("WEB-04 changes are refused without permission, to another firm, without the page's token, and for another case's workflow; nothing changes", async () => {
      const { id, decision } = await caseAtSecondStep();
      const elsewhere = await newCase();
      const fields = { ...fieldsOf((await clerk.get(requested(id, 'cancel', decision))).text), BodyText: 'Why' };
      const reader = await testSession(p, 'reader');
      assert.deepEqual(links((await reader.get(flow(id))).text), ['dates']);
      for (const change of ['cancel', 'restart', 'skip', 'reactivate', 'process', 'requeue']) {
        assert.equal((await reader.get(requested(id, change, decision))).status, 403, change);
        assert.equal((await reader.post(`${at(id)}/${change}`, fields)).status, 403, change);
      }
      await p.user('remover', await roleThatCancels());
      const remover = await testSession(p, 'remover');
      assert.deepEqual(links((await remover.get(flow(id))).text), ['dates', 'cancel'], 'each is offered separately');
      assert.equal((await clerk.post(`${at(id)}/cancel`, { ...fields, _csrf: 'wrong' })).status, 403);
      assert.equal((await clerk.post(`${at(id)}/cancel`, fields, { Origin: 'https://elsewhere.example' })).status, 403);
      assert.equal((await clerk.post(`${at(elsewhere)}/cancel`, fields)).status, 404);
      assert.equal((await (await testSession(p, 'user of Firm A')).post(`${at(id)}/cancel`, fields)).status, 403);
      for (const path of [
        `${at(id)}/explode`,
        `${at(id)}/cancel`,
        requested(id, 'cancel', 'x'),
        requested(id, 'cancel', 999_999),
        requested(elsewhere, 'dates', decision),
      ])
        assert.equal((await clerk.get(path)).status, 404, path);
      assert.equal((await clerk.get(requested(id, 'restart', decision, 999_999))).status, 400);
      assert.equal(
        (await p.admin.get(`/api/decision/select/${String(decision)}?Output=Json`)).json()['Status'],
        'In Progress',
      );
      const done = await remover.post(`${at(id)}/cancel`, fields);
      assert.match(String(done.location), /done=canceled/, done.text);
    });

    const roleThatCancels = async (): Promise<string> => {
      await save('role', {
        Role: 'Remover',
        Permissions: '*Select *Search DecisionOutline DecisionProject DecisionCancel',
        UniversalAccess: true,
      });
      return 'Remover';
    };

    it(
      'WEB-04 WF-13 with and without script, a change is chosen, confirmed and made by keyboard; ' +
        'the dates page shows upcoming steps',
      { skip: browserMissing },
      async () => {
        for (const hasScript of [true, false]) {
          const { id, decision } = await caseAtSecondStep();
          const problems: string[] = [];
          const page = await watchedPage(browser as Browser, problems);
          await signInAt(page, p.url, 'clerk');
          await page.setJavaScriptEnabled(hasScript);
          await page.goto(`${p.url}${flow(id)}`);
          await press(page, '.ways', 'Dates');
          assert.match(await page.$eval('main', (main) => main.innerText), /Draft the complaint\s+Upcoming/);
          if (hasScript) assert.deepEqual(await accessibilityViolations(page), []);
          await page.goBack();
          await page.focus(`a[href*="/restart?Workflow=${String(decision)}"]`);
          await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
          if (hasScript) assert.deepEqual(await accessibilityViolations(page), []);
          await page.select('#step', await stepId(decision, 'Order the title'));
          await press(page, 'main', 'Preview');
          assert.match(
            await page.$eval('h1', (heading) => heading.innerText),
            /^Restart “Foreclosure review” after “Order the title”\?$/,
          );
          if (hasScript) {
            assert.deepEqual(await accessibilityViolations(page), []);
            await screenshot(page, 'case-go-back');
          }
          await page.focus('#why');
          await page.keyboard.type('The title was wrong');
          await page.keyboard.press('Tab');
          await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
          assert.match(
            await page.$eval('.banner[role=status]', (note) => note.textContent ?? ''),
            /“Foreclosure review” was restarted/,
          );
          if (hasScript) {
            assert.deepEqual(await accessibilityViolations(page), []);
            await screenshot(page, 'case-gone-back');
            await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }]);
            await page.setViewport({ width: 400, height: 900 });
          }
          await press(page, '.ways', 'Cancel…');
          if (hasScript) assert.ok(await page.evaluate('document.documentElement.scrollWidth <= 400'));
          if (hasScript) assert.deepEqual(await accessibilityViolations(page), []);
          if (hasScript) await screenshot(page, 'case-cancel-narrow-dark');
          await page.type('#why', 'Paid off');
          await press(page, 'main form', 'Cancel workflow');
          assert.match(
            await page.$eval('.banner[role=status]', (note) => note.textContent ?? ''),
            /“Foreclosure review” was canceled/,
          );
          assert.deepEqual(problems, []);
        }
      },
    );
  });

  it("WEB-04 refuses forms without the session's token, and addresses that are not those of a case", async () => {
    const id = await newCase();
    assert.equal((await clerk.post(at(id), { _csrf: 'wrong', Action: 'complete', StepID: '1' })).status, 403);
    assert.equal((await clerk.post(at(id), { Action: 'explode' })).status, 400);
    assert.equal((await clerk.post(at(id), { Action: 'complete', StepID: '999999' })).status, 404);
    for (const word of ['constructor', '__proto__'])
      assert.equal((await clerk.get(`${at(id)}?done=${word}&step=${word}&Workflow=${word}`)).status, 200, word);
    for (const path of [at(999_999), at(id, 'nosuch'), at(id, 'decisionsteptemplate'), at(0), '/case/foreclosure/x'])
      assert.equal((await clerk.get(path)).status, 404, path);
  });

  it(
    'WEB-04 right-to-left names and names with markup or 200 characters break neither the page nor its diagram',
    { skip: browserMissing },
    async () => {
      await template(
        HOSTILE,
        [{ name: `1${HOSTILE.slice(1)}` }, { name: `2${HOSTILE.slice(1)}`, after: [`1${HOSTILE.slice(1)}`] }].map(
          (step) => ({ ...step, name: step.name.replaceAll('=', '') }),
        ),
      );
      const id = await newCase({ Foreclosure: HOSTILE.slice(0, 50) });
      await start(HOSTILE, id, { Decision: HOSTILE.repeat(2) });
      const problems: string[] = [];
      const page = await watchedPage(browser as Browser, problems);
      await signInAt(page, p.url, 'clerk');
      await page.setViewport({ width: 400, height: 900 });
      await page.goto(`${p.url}${flow(id)}`);
      assert.equal((await page.$$('main script')).length, 0);
      assert.equal((await page.$$('svg.flow rect')).length, 2);
      assert.ok((await page.$eval('h1', (heading) => heading.textContent ?? '')).includes('<script>alert(1)</script>'));
      assert.deepEqual(await accessibilityViolations(page), []);
      assert.ok(await page.evaluate('document.documentElement.scrollWidth <= 400'));
      await screenshot(page, 'case-hostile');
      assert.deepEqual(problems, []);
    },
  );

  it(
    'WEB-04 of thirty open steps the first are shown and the rest are folded; the diagram has ten per row, ' +
      'and its legend counts the states',
    { skip: browserMissing },
    async () => {
      const sides = Array.from({ length: 30 }, (_each, n) => `Side ${n}`);
      await template('Thirty at once', [
        ...sides.map((name): StepOf => ({ name })),
        { name: 'Together', after: sides },
      ]);
      const id = await newCase();
      await start('Thirty at once', id);
      const problems: string[] = [];
      const page = await watchedPage(browser as Browser, problems);
      await signInAt(page, p.url, 'clerk');
      await page.goto(`${p.url}${flow(id)}`);
      assert.equal(
        await page.$$eval('ul.now > li', (items) => items.filter((item) => item.checkVisibility()).length),
        12,
      );
      assert.deepEqual(await page.$$eval('.legend li', (items) => items.map((item) => item.textContent)), [
        '● Waiting 30',
        '○ Upcoming 1',
      ]);
      assert.match(await page.$eval('.sides', (part) => part.innerText), /20 dependencies have no line here/);
      assert.ok(await page.evaluate('document.documentElement.scrollWidth <= 1280'));
      assert.deepEqual(await accessibilityViolations(page), []);
      await screenshot(page, 'case-thirty');
      await page.click('.now + details summary');
      assert.equal(
        await page.$$eval('ul.now > li', (items) => items.filter((item) => item.checkVisibility()).length),
        30,
      );
      assert.deepEqual(problems, []);
    },
  );

  it(
    'WEB-04 the page of a workflow of 300 steps stays small, and the diagram is scrolled to the first open step',
    { skip: browserMissing },
    async () => {
      const steps = Array.from({ length: 300 }, (_each, n): StepOf => ({
        name: `Step ${n}`,
        ...(n < 150 ? { CreateOnCompletion: true } : {}),
        after: n < 3 ? [] : [`Step ${n - 3}`, ...(n % 7 === 0 ? [`Step ${n - 2}`] : [])],
      }));
      await template('Three hundred', steps);
      const id = await newCase();
      await start('Three hundred', id);
      const answer = await clerk.get(flow(id));
      assert.equal(answer.status, 200);
      assert.ok(answer.text.length < 600_000, `${answer.text.length} characters`);
      const page = await watchedPage(browser as Browser, []);
      await signInAt(page, p.url, 'clerk');
      await page.goto(`${p.url}${flow(id)}`);
      assert.equal((await page.$$('svg.flow rect')).length, 300);
      assert.ok(Number(await page.$eval('[data-picture]', (picture) => picture.scrollTop)) > 1000);
      const seen = await page.evaluate(
        `(() => {
          const [a, b] = [document.querySelector('[data-now]'), document.querySelector('[data-picture]')]
            .map((each) => each.getBoundingClientRect());
          return a.top >= b.top && a.bottom <= b.bottom && a.left >= b.left && a.right <= b.right;
        })()`,
      );
      assert.ok(seen, "the first open step is within the diagram's frame");
      await screenshot(page, 'case-300');
    },
  );
});
