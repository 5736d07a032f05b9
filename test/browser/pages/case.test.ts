import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { Browser } from 'puppeteer-core';
import { browserMissing, screenshot, watchedPage } from '../../support/browser/browser.ts';
import { accessibilityViolations } from '../../support/browser/accessibility.ts';
import { press, signInAt } from '../../support/browser/page-steps.ts';
import { testSession } from '../../support/pages/session.ts';
import { reviewWorld } from '../../support/work/review-world.ts';
import type { StepOf } from '../../support/work/workflows.ts';

/** An attacker's name that also contains right-to-left text. */
const HOSTILE = `<script>alert(1)</script>"'&\u202Eעברית `.padEnd(100, 'x');

describe('the page of a case', async () => {
  const { at, browser, clerk, complete, firm, flow, form, newCase, ok, p, save, start, stepId, stepNamed, template } =
    await reviewWorld({ after });

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
    assert.match(
      documents,
      new RegExp(`<form class="upload" method="post" [^>]*data-object="Foreclosure" data-id="${id}" data-upload>`),
    );
    assert.match(documents, /src="\/assets\/upload-/);
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
    assert.match(
      several.text,
      new RegExp(`Quillfeather, <mark>Bram</mark><[\\s\\S]*case <a class="link" href="${at(id)}">Case of Bram</a>`),
    );
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
    const row = /<h2 id="items-title">[\s\S]*?<tbody>([\s\S]*?)<\/tbody>/.exec(queue)?.[1] ?? '';
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
