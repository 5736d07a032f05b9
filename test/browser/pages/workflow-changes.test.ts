import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { Browser } from 'puppeteer-core';
import { accessibilityViolations } from '../../support/browser/accessibility.ts';
import { browserMissing, screenshot, watchedPage } from '../../support/browser/browser.ts';
import { press, signInAt } from '../../support/browser/page-steps.ts';
import { testSession } from '../../support/pages/session.ts';
import { reviewWorld } from '../../support/work/review-world.ts';

describe('changing a workflow', async () => {
  const { at, browser, clerk, complete, flow, newCase, ok, p, save, start, stepId, stepNamed, stepStatuses } =
    await reviewWorld({ after });
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
      /<bdi>Order the title<\/bdi><\/th>\s*<td class="nowrap">Waiting<\/td>\s*<td>Canceled, 1 open task canceled</,
    );
    const fields = fieldsOf(question.text);
    const silent = await clerk.post(`${at(id)}/cancel`, { ...fields, Status: 'With <drawn>', BodyText: ' ' });
    assert.equal(silent.status, 400);
    assert.match(
      silent.text,
      /role="alert">[^]*?<p>Enter a reason[\s\S]*aria-invalid="true"[^>]* autofocus[\s\S]*value="With &lt;drawn&gt;"/,
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
      /1 step will be reopened\.[^]*<bdi>Order the title[^]*nowrap">Canceled<\/td>\s*<td>Reopened</,
    );
    const again = await clerk.post(`${at(id)}/reactivate`, fieldsOf(question));
    const reported = (await clerk.get(String(again.location).replace(/#.*/, ''))).text;
    assert.match(reported, /role="status">[^]*?<p>“<bdi>Foreclosure review<\/bdi>” was reopened\. No step was started/);
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
          '</th>\\s*<td class="nowrap">Done</td>\\s*<td>To be done again<[^]*<bdi>Draft the complaint</bdi>' +
          '</th>\\s*<td class="nowrap">Waiting</td>\\s*<td>Canceled<',
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
      /<bdi>Draft the complaint<\/bdi><\/th>\s*<td class="nowrap">Upcoming<\/td>\s*<td>Done, without its action</,
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
    const latest = async (): Promise<string> => /id="workflow-(\d+)"/.exec((await clerk.get(flow(id))).text)?.[1] ?? '';
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
        (await clerk.post(`${at(id)}/restart`, { ...fields, Version: String(row['Version']), BodyText: 'Why' })).status,
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
