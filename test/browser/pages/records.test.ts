import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { readFileSync } from 'node:fs';
import type { Page } from 'puppeteer-core';
import { screenshot, testBrowser, watchedPage, browserMissing } from '../../support/browser/browser.ts';
import { chooseFile } from '../../support/browser/choose-file.ts';
import { accessibilityViolations } from '../../support/browser/accessibility.ts';
import { press, signInAt as signIn, signInByForm } from '../../support/browser/page-steps.ts';
import { testPlatform, type TestPlatform } from '../../support/platform.ts';

/** An input element: the tests are compiled without the browser's types. */
interface Valued {
  value: string;
}

async function fill(page: Page, selector: string, text: string): Promise<void> {
  await page.$eval(selector, (element) => {
    (element as unknown as Valued).value = '';
  });
  await page.type(selector, text);
}

async function aCase(p: TestPlatform): Promise<{ loanId: number; caseId: number }> {
  const loan = await p.admin.post('/api/loan/save?Output=Json', {
    Loan: '900100200',
    UPBAmount: '1234567.89',
    Borrowers: [{ FirstName: 'Mary', LastName: 'Quillfeather', Sequence: 1 }],
  });
  const loanId = Number(loan.json()['LoanID']);
  const made = await p.admin.post('/api/foreclosure/save?Output=Json', {
    Foreclosure: 'QF-26-1',
    Status: 'Open',
    LoanID: loanId,
    Messages: [{ Message: 'First notice', BodyText: 'A <b>notice</b>' }],
  });
  return { loanId, caseId: Number(made.json()['ForeclosureID']) };
}

describe('the pages in a browser', { skip: browserMissing }, async () => {
  const p = await testPlatform({ after });
  await p.user('clerk', 'Staff');
  await p.user('chief', 'Administrator');
  const { loanId, caseId } = await aCase(p);
  const browser = await testBrowser({ after });

  it('WEB-01 a clerk signs in, finds a case by the start of its number or by its borrower, and sees what belongs to it on one page', async () => {
    const problems: string[] = [];
    const on = { Object: 'Foreclosure', ObjectID: caseId };
    const templated = {
      DecisionTemplate: 'Title review',
      AppliesTo: 'Foreclosure',
      Steps: [{ DecisionStepTemplate: 'Order' }],
    };
    for (const [module, body] of [
      ['decisiontemplate', templated],
      ['decision', { ...on, Template: 'Title review' }],
      ['importform', { ...on, ImportForm: 'Check the deed' }],
      ['ledger', { ...on, Ledger: 'Fees advanced' }],
    ] as const) {
      const saved = await p.admin.post(`/api/${module}/save?Output=Json`, body);
      assert.equal(saved.status, 200, saved.text);
    }
    const page = await watchedPage(browser, problems);
    await signInByForm(page, p.url, 'clerk');
    await screenshot(page, 'start');
    assert.deepEqual(await accessibilityViolations(page), []);
    await page.keyboard.press('/');
    assert.equal(await page.evaluate('document.activeElement.id'), 'find');
    await page.keyboard.type('QF-26');
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
    // The key comes before the results do: it opens the first of them.
    assert.equal(page.url(), `${p.url}/case/foreclosure/${caseId}`);
    const found = await page.$eval('main', (main) => main.innerText);
    for (const part of ['QF-26-1', '900100200']) assert.ok(found.includes(part), part);
    await page.goto(`${p.url}/records/foreclosure/${caseId}`);
    const text = await page.$eval('main', (main) => main.innerText);
    for (const part of ['QF-26-1', 'Open', '900100200', 'Quillfeather, Mary', 'History', 'Add a file'])
      assert.ok(text.includes(part), part);
    const parts = {
      Messages: 'First notice',
      Tasks: 'Check the deed',
      Ledgers: 'Fees advanced',
      Workflows: 'Title review',
    };
    for (const [heading, entry] of Object.entries(parts))
      assert.match(text, new RegExp(`^${heading}\\s*\\d[^]*?${entry}`, 'm'), `${heading}: ${entry}`);
    await page.goto(`${p.url}/search?Text=mary+quill`);
    assert.equal(page.url(), `${p.url}/case/foreclosure/${caseId}`, 'the borrower leads to the case');
    await page.goto(`${p.url}/records/foreclosure/${caseId}`);
    await screenshot(page, 'case');
    assert.deepEqual(await accessibilityViolations(page), []);
    assert.deepEqual(problems, []);
  });

  it("WEB-01 RUL-01 a list shows a long-text column only if its values are short, as a decision table's cells are", async () => {
    const page = await watchedPage(browser, []);
    await signIn(page, p.url, 'chief');
    for (const [name, cell, isShown] of [
      ['Short', 'gold', true],
      ['Long', `gold ${'x'.repeat(80)}`, false],
    ] as const) {
      const made = await p.admin.post('/api/matrix/save?Output=Json', {
        Matrix: name,
        Dimensions: [{ MatrixDimension: 'Metal', Weight: 1 }],
        Facts: [{ RowNumber: 1, MatrixFact: 'Metal', Cell: cell }],
      });
      await page.goto(`${p.url}/records/matrix/${String(made.json()['MatrixID'])}`);
      const listed = await page.$eval('#facts', (section) => section.textContent ?? '');
      assert.equal(listed.includes('gold'), isShown, listed);
    }
  });

  it('WEB-01 KRN-20 a form saves only the changed field, and the history shows the change and undoes it', async () => {
    const problems: string[] = [];
    const page = await watchedPage(browser, problems);
    await signIn(page, p.url, 'clerk');
    await page.goto(`${p.url}/records/loan/${loanId}/edit`);
    assert.deepEqual(await accessibilityViolations(page), []);
    await screenshot(page, 'edit');
    await fill(page, '#f-ServicerLoanID', 'S-77');
    await press(page, 'form.entry', 'Save');
    assert.equal(page.url(), `${p.url}/records/loan/${loanId}?done=saved`);
    assert.match(await page.$eval('.toast', (note) => note.textContent ?? ''), /Saved/);
    assert.match(await page.$eval('#history', (part) => part.textContent ?? ''), /Loan number.*empty.*S-77/s);
    await screenshot(page, 'history');
    await press(page, '#history', 'Undo');
    const row = (await p.admin.get(`/api/loan/${loanId}?Output=Json`)).json();
    assert.equal(row['ServicerLoanID'], undefined);
    assert.equal(row['UPBAmount'], 1234567.89);
    assert.deepEqual(problems, []);
  });

  it('WEB-01 when two people change one record, the second sees both values and loses nothing; changes of different fields do not conflict', async () => {
    const problems: string[] = [];
    const page = await watchedPage(browser, problems);
    await signIn(page, p.url, 'clerk');
    await page.goto(`${p.url}/records/loan/${loanId}/edit`);
    await p.admin.post('/api/loan/save', { ID: loanId, Agency: 'Theirs' });
    await fill(page, '#f-Agency', 'Mine');
    await fill(page, '#f-LoanType', 'VA');
    await press(page, 'form.entry', 'Save');
    assert.match(await page.$eval('[role=alert]', (note) => note.textContent ?? ''), /Theirs[\s\S]*Mine/);
    assert.equal((await p.admin.get(`/api/loan/${loanId}?Output=Json`)).json()['Agency'], 'Theirs');
    await screenshot(page, 'conflict');
    assert.deepEqual(await accessibilityViolations(page), []);
    await press(page, 'form.entry', 'Save');
    const row = (await p.admin.get(`/api/loan/${loanId}?Output=Json`)).json();
    assert.deepEqual([row['Agency'], row['LoanType']], ['Mine', 'VA']);
    // The conflict is a 409 response, which the browser logs to its console.
    assert.deepEqual(
      problems.filter((problem) => !problem.includes('409')),
      [],
    );
  });

  it('WEB-01 submitting an unchanged form changes nothing, whatever the values: line breaks, spaces, instants with and without seconds', async () => {
    const page = await watchedPage(browser, []);
    await signIn(page, p.url, 'clerk');
    const made: [string, number][] = [];
    const save = async (path: string, id: string, values: object): Promise<void> => {
      const answer = await p.admin.post(`/api/${path}/save?Output=Json`, values);
      assert.equal(answer.status, 200, answer.text);
      made.push([path, Number(answer.json()[id])]);
    };
    await save('message', 'MessageID', {
      Message: 'two\nlines',
      BodyText: '\n\n begins with empty lines\r\nand ends with one\n',
      Object: 'Foreclosure',
      ObjectID: caseId,
    });
    await save('importform', 'ImportFormID', {
      ImportForm: ' blanks  around ',
      ProjectedCompletion: '2026-03-01T15:00:00Z',
      ActualStart: '2026-03-01T15:00:30.123Z',
      Object: 'Foreclosure',
      ObjectID: caseId,
    });
    await save('contact', 'ContactID', {
      LastName: '"quoted" <b>&amp;',
      Address: 'first\rsecond',
      BirthDate: '0101-02-03',
      Latitude: '1.50',
      USSSN: '900-55-1234',
    });
    for (const [module, id] of made) {
      const before = (await p.admin.get(`/api/${module}/${id}?Output=Json`)).text;
      await page.goto(`${p.url}/records/${module}/${id}/edit`);
      await press(page, 'form.entry', 'Save');
      assert.match(page.url(), /done=unchanged/, module);
      assert.equal((await p.admin.get(`/api/${module}/${id}?Output=Json`)).text, before);
    }
  });

  it('WEB-01 KRN-21 a clerk finds a contact by a number that becomes part of no address; the page says why an address with one is refused', async () => {
    const problems: string[] = [];
    const page = await watchedPage(browser, problems);
    await signIn(page, p.url, 'clerk');
    await p.admin.post('/api/contact/save', { LastName: 'Numbered', FirstName: 'Nora', USSSN: '900-55-7788' });
    await page.goto(`${p.url}/records/contact`);
    assert.deepEqual(await accessibilityViolations(page), []);
    await fill(page, '#number', '900557788');
    await press(page, 'form[action$="/number"]', 'Find by SSN');
    assert.equal(page.url(), `${p.url}/records/contact/number`);
    const found = await page.$eval('main', (main) => main.innerText);
    assert.match(found, /Numbered, Nora/);
    assert.doesNotMatch(await page.content(), /900-?55-?7788/);
    assert.deepEqual(await accessibilityViolations(page), []);
    await fill(page, '#number', '900557789');
    await press(page, 'form[action$="/number"]', 'Find by SSN');
    assert.match(await page.$eval('[role=status]', (note) => note.textContent ?? ''), /No contacts have this number/);
    await fill(page, '#number', '90055');
    await press(page, 'form[action$="/number"]', 'Find by SSN');
    assert.match(await page.$eval('[role=alert]', (note) => note.textContent ?? ''), /one whole number/);
    for (const query of ['USSSN=900557788', 'Field=USSSN&Value=900557788']) {
      await page.goto(`${p.url}/records/contact?${query}`);
      assert.match(await page.$eval('[role=alert]', (note) => note.textContent ?? ''), /use “Find by SSN”/);
      assert.doesNotMatch(await page.content(), /900557788/);
    }
  });

  it('WEB-01 a refused value keeps everything entered, marks the field and says what was expected', async () => {
    const page = await watchedPage(browser, []);
    await signIn(page, p.url, 'clerk');
    await page.goto(`${p.url}/records/loan/new`);
    await fill(page, '#f-Loan', '123456789');
    await fill(page, '#f-UPBAmount', 'a lot');
    await press(page, 'form.entry', 'Save');
    assert.match(await page.$eval('[role=alert]', (note) => note.textContent ?? ''), /Not saved. Unpaid balance: /);
    assert.equal(
      await page.$eval(
        '#f-UPBAmount',
        (input) => `${(input as unknown as Valued).value} ${input.getAttribute('aria-invalid') ?? ''}`,
      ),
      'a lot true',
    );
    assert.equal(await page.$eval('#f-Loan', (input) => (input as unknown as Valued).value), '123456789');
    await fill(page, '#f-UPBAmount', '5000');
    await press(page, 'form.entry', 'Save');
    assert.match(page.url(), /\/records\/loan\/\d+\?done=made$/);
  });

  it('WEB-01 KRN-20 an administrator restores a deleted record', async () => {
    const page = await watchedPage(browser, []);
    const made = await p.admin.post('/api/property/save?Output=Json', { Address: '1 Lost Lane', City: 'Nowhere' });
    const id = Number(made.json()['PropertyID']);
    await signIn(page, p.url, 'chief');
    await page.goto(`${p.url}/records/property/${id}`);
    await page.click('.actions .menu summary');
    await press(page, '.actions', 'Delete…');
    assert.deepEqual(await accessibilityViolations(page), []);
    await press(page, 'main form', 'Delete');
    assert.equal((await p.admin.get(`/api/property/${id}`)).status, 404);
    // The record's own page still offers it later.
    await page.goto(`${p.url}/records/property/${id}`);
    assert.deepEqual(await accessibilityViolations(page), []);
    await press(page, 'main form', 'Restore');
    assert.equal(page.url(), `${p.url}/records/property/${id}?done=restored`);
    assert.match(await page.$eval('h1', (heading) => heading.textContent ?? ''), /1 Lost Lane/);
  });

  it('WEB-01 DOC-03 a file is uploaded from the page in chunks, and opened again', async () => {
    const problems: string[] = [];
    const page = await watchedPage(browser, problems);
    await signIn(page, p.url, 'clerk');
    await page.goto(`${p.url}/records/foreclosure/${caseId}`);
    const file = new URL('../../../package-lock.json', import.meta.url).pathname;
    await chooseFile(page, 'form.upload input[type=file]', file);
    await page.waitForSelector('#attachments ::-p-text(package-lock.json)');
    const found = (await p.admin.get(`/api/attachment/search?ObjectID=${caseId}&Output=Json`)).json() as unknown as {
      AttachmentCollection: { AttachmentItem: { AttachmentID: number }[] };
    };
    const stored = await p.admin.get(
      `/api/attachment/download/${found.AttachmentCollection.AttachmentItem[0]?.AttachmentID ?? 0}`,
    );
    assert.equal(stored.text, readFileSync(file, 'utf8'));
    assert.deepEqual(problems, []);
  });

  it('KRN-22 every operation that the user may call is listed with its parameters and can be tried; a failure is shown', async () => {
    const problems: string[] = [];
    const page = await watchedPage(browser, problems);
    await signIn(page, p.url, 'clerk');
    await page.goto(`${p.url}/operations?Text=contact+search`);
    await press(page, 'main', 'contact/search');
    assert.deepEqual(await accessibilityViolations(page), []);
    await fill(page, '#p-DisplaySize', '5');
    await page.type('#p-more', 'LastName=Quill*');
    await press(page, 'form.entry', 'Call');
    assert.match(await page.$eval('#answer', (section) => section.textContent ?? ''), /Quillfeather/);
    await screenshot(page, 'operation');
    await page.$eval('#p-more', (area) => {
      (area as unknown as Valued).value = 'NoSuchColumn=1';
    });
    await press(page, 'form.entry', 'Call');
    assert.match(await page.$eval('[role=alert]', (note) => note.textContent ?? ''), /NoSuchColumn/);
    await page.goto(`${p.url}/operations`);
    const shown = await page.$$eval('main th[scope=row] a', (links) => links.map((link) => link.textContent ?? ''));
    assert.ok(shown.includes('loan/save') && !shown.includes('apikey/create') && !shown.includes('person/delete'));
    assert.deepEqual(
      problems.filter((problem) => !problem.includes('400')),
      [],
    );
  });

  it('every page for administrators and clerks is accessible, in light and dark mode and on narrow screens, and the content policy blocks nothing that the page needs', async () => {
    const problems: string[] = [];
    const page = await watchedPage(browser, problems);
    await signIn(page, p.url, 'chief');
    const paths = [
      '/records',
      '/records/foreclosure',
      '/records/contact?LastName=Quill*',
      '/records/contact/new',
      `/records/foreclosure/${caseId}/history`,
      '/search?Text=nothing+here',
      '/account',
      // Of 1,700 operations; each is a row like these.
      '/operations?Text=contact',
      '/design',
      '/administration',
      '/administration/users',
      '/administration/users/new',
      '/administration/users/1',
      '/administration/users/1/holdings',
      '/administration/keys',
      '/administration/sessions',
      '/administration/settings',
      '/administration/queues',
      '/administration/files?From=Local',
      '/administration/indexes',
      '/administration/security',
      '/administration/health',
    ];
    for (const path of paths) {
      await page.goto(p.url + path);
      assert.deepEqual(await accessibilityViolations(page), [], path);
      await screenshot(page, path.replace(/\W+/g, '-'));
    }
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }]);
    await page.setViewport({ width: 390, height: 800 });
    for (const path of [
      `/records/foreclosure/${caseId}`,
      '/records/foreclosure',
      '/administration/queues',
      '/administration/indexes',
      '/signin',
    ]) {
      await page.goto(p.url + path);
      assert.deepEqual(await accessibilityViolations(page), [], `${path}, dark`);
      assert.ok(
        await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth'),
        `${path} is wider than the screen`,
      );
      await screenshot(page, `narrow${path.replace(/\W+/g, '-')}`);
    }
    assert.deepEqual(problems, []);
  });

  it('works without script', async () => {
    const page = await watchedPage(browser, []);
    await page.setJavaScriptEnabled(false);
    await signInByForm(page, p.url, 'clerk');
    await page.goto(`${p.url}/records/foreclosure/${caseId}/edit`);
    await fill(page, '#f-Status', 'Open and busy');
    await press(page, 'form.entry', 'Save');
    assert.match(page.url(), /done=saved/);
    assert.equal((await p.admin.get(`/api/foreclosure/${caseId}?Output=Json`)).json()['Status'], 'Open and busy');
  });
});
