import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { Browser, Page } from 'puppeteer-core';
import { screenshot, testBrowser, watchedPage, browserMissing } from '../../support/browser/browser.ts';
import { accessibilityViolations } from '../../support/browser/accessibility.ts';
import { press, signInAt } from '../../support/browser/page-steps.ts';
import { eventually } from '../../support/eventually.ts';
import { testPlatform } from '../../support/platform.ts';
import { testSession } from '../../support/pages/session.ts';

const column = (name: string, QuestionType: string, more: object = {}): object => ({
  ImportFormQuestion: name,
  RowsOf: 'Bids',
  QuestionType,
  ...more,
});
const questions = [
  {
    ImportFormQuestion: 'Bids',
    QuestionType: 'Rows',
    Prompt: 'Which bids were made?',
    Help: 'In the order in which they were made.',
    Minimum: '1',
    Maximum: '5',
    IsRequired: true,
    Sequence: 1,
  },
  column('Bidder', 'Text', { IsRequired: true, Sequence: 2 }),
  column('Amount', 'Money', { IsRequired: true, Minimum: '1', Sequence: 3 }),
  column('Kind', 'Choice', { Choices: 'cash|Cash\ncredit|Credit bid', Sequence: 4 }),
  column('MadeAt', 'Timestamp', { Prompt: 'Time', Sequence: 5 }),
  {
    ImportFormQuestion: 'Total',
    QuestionType: 'Money',
    Calculation: 'sum(/Form/Answers/Bids/Row/Amount)',
    Sequence: 6,
  },
];

describe('the page of a form with rows', async () => {
  const p = await testPlatform({ after });
  await p.user('clerk', 'Staff');
  const post = async (route: string, fields: object): Promise<Record<string, unknown>> => {
    const answer = await p.admin.post(`/api/${route}?Output=Json`, fields);
    assert.equal(answer.status, 200, answer.text);
    return answer.json();
  };
  await post('importformtemplate/save', { ImportFormTemplate: 'Record the bids', Questions: questions });
  const foreclosure = await post('foreclosure/save', { Foreclosure: 'QF-1' });
  const below = { Template: 'Record the bids', Object: 'Foreclosure', ObjectID: foreclosure['ForeclosureID'] };
  const make = async (fields: object = {}): Promise<number> =>
    Number((await post('importform/save', { ...below, ...fields }))['ImportFormID']);
  const stored = async (id: number): Promise<string> =>
    String((await p.admin.get(`/api/importform/${id}?Output=Json`)).json()['XmlData']);
  const clerk = await testSession(p, 'clerk');
  const browser = browserMissing === false ? await testBrowser({ after }) : undefined;
  const type = async (page: Page, place: number, name: string, text: string): Promise<void> => {
    await page.type(`[id="f-Bids[${place}].${name}"]`, text);
  };
  const focused = (page: Page): Promise<string> =>
    page.evaluate(
      () => (globalThis as unknown as { document: { activeElement: { id: string } } }).document.activeElement.id,
    );
  const textOf = (page: Page, selector: string): Promise<string> =>
    page.$eval(selector, (element) => (element.textContent ?? '').trim());
  const saved = (page: Page): Promise<unknown> =>
    page.waitForResponse((response) => response.url().includes('/importform/draft'));
  const rowCount = async (page: Page): Promise<number> => (await page.$$('answer-rows tbody tr')).length;

  it(
    'FRM-01 WEB-02 a clerk enters rows by keyboard, removes one and takes that back, and sees the total',
    { skip: browserMissing },
    async () => {
      const id = await make();
      const problems: string[] = [];
      const page = await watchedPage(browser as Browser, problems);
      await signInAt(page, p.url, 'clerk');
      await page.setViewport({ width: 1440, height: 900 });
      await page.goto(`${p.url}/form/${id}`);
      assert.equal(await rowCount(page), 1, 'empty rows are for users without script');
      await type(page, 0, 'Bidder', 'Dana Lee');
      await type(page, 0, 'Amount', '1,000.50');
      await page.keyboard.press('Enter');
      assert.equal(await focused(page), 'f-Bids[1].Bidder', 'Enter in the last row adds one');
      await type(page, 1, 'Bidder', 'Sam Roe');
      await type(page, 1, 'Amount', 'much');
      await Promise.all([saved(page), page.keyboard.press('Tab')]);
      await page.waitForSelector('[id="e-f-Bids[1].Amount"]:not([hidden])');
      assert.match(await textOf(page, '[id="e-f-Bids[1].Amount"]'), /^Expected a number/);
      assert.equal(await textOf(page, 'output[data-total=Amount]'), '1,000.50');
      assert.deepEqual(await accessibilityViolations(page), []);
      await screenshot(page, 'form-rows-wrong');
      await page.$eval('[id="f-Bids[1].Amount"]', (input) => {
        (input as unknown as { value: string }).value = '';
      });
      await type(page, 1, 'Amount', '2000');
      await Promise.all([saved(page), page.keyboard.press('Tab')]);
      await page.waitForFunction(
        () =>
          (
            globalThis as unknown as { document: { querySelector(s: string): { textContent: string } } }
          ).document.querySelector('output[data-total=Amount]').textContent === '3,000.50',
      );
      await Promise.all([saved(page), page.click('tbody tr:nth-child(1) [data-remove-row]')]);
      assert.equal(await rowCount(page), 1);
      assert.match(await textOf(page, '[data-removed]'), /Row 1 removed/);
      await Promise.all([saved(page), page.keyboard.press('Enter')]);
      assert.equal(await rowCount(page), 2, 'Undo has the focus');
      await page.reload();
      assert.equal(await rowCount(page), 2, 'the draft has the rows');
      assert.deepEqual(await accessibilityViolations(page), []);
      await screenshot(page, 'form-rows');
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }]);
      await screenshot(page, 'form-rows-dark');
      await page.setViewport({ width: 390, height: 844 });
      await screenshot(page, 'form-rows-narrow-dark');
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'light' }]);
      assert.deepEqual(await accessibilityViolations(page), []);
      await screenshot(page, 'form-rows-narrow');
      await press(page, '.task-form', 'Complete');
      assert.equal(page.url(), `${p.url}/form/${id}?done=completed`);
      assert.equal(
        await stored(id),
        '<ImportFormXml><Total>3000.5</Total><Bids><Row><Bidder>Dana Lee</Bidder><Amount>1000.5</Amount></Row>' +
          '<Row><Bidder>Sam Roe</Bidder><Amount>2000</Amount></Row></Bids></ImportFormXml>',
      );
      assert.deepEqual(problems, []);
    },
  );

  it(
    'FRM-01 with script switched off rows are added by a button, and empty ones are left out',
    { skip: browserMissing },
    async () => {
      const page = await watchedPage(browser as Browser, []);
      await page.setJavaScriptEnabled(false);
      await signInAt(page, p.url, 'clerk');
      const id = await make();
      await page.goto(`${p.url}/form/${id}`);
      assert.equal(await rowCount(page), 4);
      await type(page, 0, 'Bidder', 'A');
      await type(page, 2, 'Bidder', 'C');
      await screenshot(page, 'form-rows-without-script');
      await press(page, '.task-form', 'Add row');
      assert.equal(await rowCount(page), 5, 'at most five');
      assert.equal(await page.$eval('[id="f-Bids[1].Bidder"]', (input) => (input as { value?: string }).value), 'C');
      await press(page, '.task-actions', 'Save');
      assert.match(await stored(id), /<Bids><Row><Bidder>A<\/Bidder><\/Row><Row><Bidder>C<\/Bidder><\/Row><\/Bids>/);
      const template = encodeURIComponent(below.Template);
      await page.goto(`${p.url}/form/new?Template=${template}&Object=Foreclosure&ObjectID=${String(below.ObjectID)}`);
      await type(page, 1, 'Bidder', 'New');
      await press(page, '.task-form', 'Add row');
      assert.equal(await page.$eval('[id="f-Bids[0].Bidder"]', (input) => (input as { value?: string }).value), 'New');
      await type(page, 0, 'Amount', '5');
      await press(page, '.task-actions', 'Save');
      const made = Number(/\/form\/(\d+)/.exec(page.url())?.[1]);
      assert.match(await stored(made), /<Bids><Row><Bidder>New<\/Bidder><Amount>5<\/Amount><\/Row><\/Bids>/);
    },
  );

  it(
    'WEB-02 FRM-01 in work mode rows survive the end of the session, and the item is completed with them',
    { skip: browserMissing },
    async () => {
      const type_ = (await post('importformtemplate/search', { ImportFormTemplate: 'Record the bids' }))[
        'ImportFormTemplateCollection'
      ] as { ImportFormTemplateItem: { ImportFormTemplateID: number }[] };
      await post('importformtemplate/createworklist', {
        ID: type_.ImportFormTemplateItem[0]?.ImportFormTemplateID,
      });
      const id = await make();
      const [item] = await p.platform.store.query<{ id: number }>(
        `select smartworklistmemberid as id from smartworklistmember
         where sourceobject = 'ImportForm' and sourceobjectid = $1::bigint`,
        [id],
      );
      const { personId } = await p.user('worker', 'Staff');
      const page = await watchedPage(browser as Browser, []);
      await signInAt(page, p.url, 'worker');
      await page.goto(`${p.url}/work?item=${item?.id}`);
      await type(page, 0, 'Bidder', 'Dana Lee');
      await Promise.all([saved(page), page.keyboard.press('Tab')]);
      await screenshot(page, 'form-rows-work');
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }]);
      await screenshot(page, 'form-rows-work-dark');
      assert.deepEqual(await accessibilityViolations(page), []);
      await page.setViewport({ width: 390, height: 844 });
      await screenshot(page, 'form-rows-work-narrow');
      await page.setViewport({ width: 1440, height: 900 });
      await p.platform.store.query(
        "update session set endeddate = now(), status = 'Ended' where personid = $1::bigint",
        [personId],
      );
      p.platform.identity.forget();
      await type(page, 0, 'Amount', '7');
      await page.keyboard.press('Enter');
      await type(page, 1, 'Bidder', 'Sam Roe');
      await page.keyboard.press('Tab');
      await type(page, 1, 'Amount', '9');
      await Promise.all([saved(page), page.keyboard.press('Tab')]);
      await signInAt(page, p.url, 'worker');
      await Promise.all([saved(page), page.goto(`${p.url}/work?item=${item?.id}`)]);
      assert.equal(await rowCount(page), 2);
      await page.click('#work-actions button[value=complete]');
      // A page in work mode takes the next task that arrives, which is one of the tests below.
      await page.waitForSelector('::-p-text(You’re all caught up.)');
      await page.close();
      await eventually('the task is complete', async () => {
        const task = await p.admin.get(`/api/importform/${id}?Output=Json`);
        return task.json()['ActualCompletion'] === undefined ? undefined : true;
      });
      assert.match(
        await stored(id),
        /<Row><Bidder>Dana Lee<\/Bidder><Amount>7<\/Amount><\/Row><Row><Bidder>Sam Roe<\/Bidder><Amount>9</,
      );
    },
  );

  it('FRM-01 a refused form names row and column of each problem, and has all rows as they were sent', async () => {
    const id = await make({ Bids: [{ Bidder: 'A', Amount: 1, MadeAt: '2026-03-01T15:00:00Z' }] });
    const page = await clerk.get(`/form/${id}`);
    const hidden = (html: string, name: string): string =>
      (new RegExp(`name="${name}" value="([^"]*)"`).exec(html)?.[1] ?? '').replaceAll('&quot;', '"');
    const before = hidden(page.text, 'before.Bids');
    const [row] = JSON.parse(before) as Record<string, string>[];
    const fields = {
      Version: hidden(page.text, 'Version'),
      'before.Bids': before,
      'answer.Bids[0].Bidder': 'A',
      'answer.Bids[0].Amount': '1',
      'answer.Bids[0].MadeAt': String(row?.['MadeAt']),
    };
    assert.equal((await clerk.post(`/form/${id}`, { ...fields, Do: 'save' })).location, `/form/${id}?done=unchanged`);
    const refused = await clerk.post(`/form/${id}`, {
      ...fields,
      'answer.Bids[3].Bidder': '<b>B</b>',
      'answer.Bids[3].Amount': '0',
      Do: 'complete',
    });
    assert.equal(refused.status, 400);
    assert.match(
      refused.text,
      /href="#f-Bids\[1\]\.Amount">Which bids were made\?, row 2, Amount<\/a>: Expected 1 or more\./,
    );
    assert.ok(refused.text.includes('value="&lt;b>B&lt;/b>"') || refused.text.includes('value="&lt;b&gt;B&lt;/b&gt;"'));
    const missing = await clerk.post(`/form/${id}`, {
      ...fields,
      'answer.Bids[3].Bidder': 'B',
      Do: 'complete',
    });
    assert.match(missing.text, /href="#f-Bids\[1\]\.Amount">[^<]*row 2, Amount<\/a>: Required; enter an answer\./);
  });

  it('FRM-01 when two people save rows, the second sees both', async () => {
    const id = await make({ Bids: [{ Bidder: 'old', Amount: 1 }] });
    const page = await clerk.get(`/form/${id}`);
    const version = /name="Version" value="(\d+)"/.exec(page.text)?.[1] ?? '';
    await post('importform/save', { ID: id, Bids: [{ Bidder: 'theirs', Amount: 2 }] });
    const conflict = await clerk.post(`/form/${id}`, {
      Version: version,
      'before.Bids': '[{"Bidder":"old","Amount":"1"}]',
      'answer.Bids[0].Bidder': 'mine',
      'answer.Bids[0].Amount': '3',
      Do: 'save',
    });
    assert.equal(conflict.status, 409);
    assert.match(conflict.text, /<td><bdi>theirs, 2<\/bdi><\/td><td><bdi>mine, 3<\/bdi><\/td>/);
  });

  it('FRM-01 a complete task shows its rows as a table to people who cannot change them', async () => {
    const id = await make({
      Bids: [
        { Bidder: 'Dana Lee', Amount: 1000.5, Kind: 'credit', MadeAt: '2026-03-01T15:00:00Z' },
        { Bidder: 'Sam Roe', Amount: 2000 },
      ],
      ActualCompletion: '2026-05-01',
    });
    await p.user('reader', 'Read Only');
    const { text } = await (await testSession(p, 'reader')).get(`/form/${id}`);
    assert.match(text, /<bdi>1,000\.50<\/bdi>[^]*<bdi>Credit bid<\/bdi>[^]*3,000\.50/);
    assert.doesNotMatch(text, /answer\.Bids/);
    if (!browser) return;
    const page = await watchedPage(browser, []);
    await signInAt(page, p.url, 'reader');
    await page.setViewport({ width: 1440, height: 900 });
    await page.goto(`${p.url}/form/${id}`);
    assert.deepEqual(await accessibilityViolations(page), []);
    await screenshot(page, 'form-rows-reading');
    await page.setViewport({ width: 390, height: 844 });
    await screenshot(page, 'form-rows-reading-narrow');
    assert.deepEqual(await accessibilityViolations(page), []);
  });

  it('WEB-02 WEB-04 the tasks of a case show the rows of an answer as a table, with totals, to whom may read them', async () => {
    const id = await make({
      Bids: [
        { Bidder: 'Lee <b>', Amount: '1000.5' },
        { Bidder: 'Kay', Amount: '20' },
      ],
    });
    const other = await make();
    const tab = `/case/foreclosure/${foreclosure['ForeclosureID'] as number}?tab=tasks`;
    const list = (await clerk.get(tab)).text;
    assert.match(list, new RegExp(`&amp;task=${id}#task-answers|&task=${id}#task-answers`));
    assert.doesNotMatch(list, new RegExp(`task=${other}#task-answers`), 'a task without rows has no link');
    const { status, text } = await clerk.get(`${tab}&task=${id}`);
    assert.equal(status, 200, text);
    const table = /<table\s+class="answer-rows reading"[\s\S]*?<\/table>/.exec(text)?.[0] ?? '';
    for (const part of ['Bidder', 'Lee &lt;b&gt;', '1,000.50', '1,020.50']) assert.ok(table.includes(part), part);
    assert.match(text, /Which bids were made\?/);
    assert.doesNotMatch((await clerk.get(`${tab}&task=${other}`)).text, /id="task-answers"/);
  });
});
