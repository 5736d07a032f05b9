/** Uploading files in a browser: progress, refusals, cancellation, and what works without script. */
import assert from 'node:assert/strict';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import type { Page } from 'puppeteer-core';
import { screenshot, testBrowser, watchedPage, browserMissing } from '../../support/browser/browser.ts';
import { chooseFile } from '../../support/browser/choose-file.ts';
import { eventually } from '../../support/eventually.ts';
import { addressFile, importPages, expectOk, waitForText, text } from '../../support/pages/import-pages.ts';
import { accessibilityViolations } from '../../support/browser/accessibility.ts';
import { press, signInAt, signInByForm } from '../../support/browser/page-steps.ts';
import type { Caller, TestAnswer } from '../../support/platform.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const { p, files, firm, template, send, statusOf, hold, open } = await importPages({ after });
const { admin } = p;

describe('sending a file', { skip: browserMissing }, async () => {
  const browser = await testBrowser({ after });
  await template('Gated', { ImportEngine: 'GatedEngine', Async: true, ParameterString: 'Total=300' });
  await template('Mapped', {}, [
    { ImportFileMap: 'Street', Destination: 'Address', Required: true },
    { ImportFileMap: 'Lat', Destination: 'County', DataType: 'Decimal' },
  ]);
  const gatedNow = await template('Gated At Once', { ImportEngine: 'GatedEngine', ParameterString: 'Total=20' });
  const folder = temporaryFolder({ after });
  const plain = await template('Sent Plain', { Description: 'Addresses.' });
  await template('Sent Later', { Async: true });
  const fits = await template('Sent Mapped', {}, [{ ImportFileMap: 'Fits Only Here', Destination: 'Address' }]);
  await template('Sent Inactive', { Status: 'Inactive' });
  await template('Sent Internally', { ExtranetEnabled: 'No' });

  /** Chooses a file and waits until the page shows the matching import types, so that nothing moves under the mouse. */
  async function choose(page: Page, name: string, content: string): Promise<void> {
    const path = join(folder, name);
    writeFileSync(path, content);
    await chooseFile(page, '#file', path);
    if (await page.$('form[data-detect]')) await page.waitForSelector('#fits:not(:empty)', { timeout: 20_000 });
  }

  async function sendIt(page: Page): Promise<void> {
    await Promise.all([page.waitForNavigation(), page.click('form[data-send] button:not([type])')]);
  }

  it('WEB-03 IMP-01 IMP-06 the matching import type is suggested, the file is sent unchanged, and its page shows the result', async () => {
    const problems: string[] = [];
    const page = await watchedPage(browser, problems);
    await signInAt(page, p.url, 'clerk');
    await page.goto(`${p.url}/imports`);
    await press(page, '.page-head', 'Upload file');
    assert.deepEqual(await accessibilityViolations(page), []);
    assert.doesNotMatch(await text(page, '#template'), /Sent Inactive/);
    await choose(page, 'fits & more.csv', 'Fits Only Here,City\n1 Sent Rd ü,Älder\n');
    await waitForText(page, '#fits', 'Matches: Sent Mapped.');
    assert.equal(await page.$eval('#template', (input) => (input as unknown as { value: string }).value), String(fits));
    await page.type('#reference', 'JOB-77');
    await screenshot(page, 'import-send');
    await sendIt(page);
    assert.match(page.url(), /\/imports\/\d+\?done=sent$/);
    assert.match(await text(page, 'main'), /Complete[\s\S]*fits & more\.csv[\s\S]*1 row was imported[\s\S]*JOB-77/);
    const id = Number(/imports\/(\d+)/.exec(page.url())?.[1]);
    const source = expectOk(await admin.get(`/api/importfile/select?Output=Json&ID=${id}`)).json()['PreTransformID'];
    assert.equal(
      expectOk(await admin.get(`/api/attachment/download?ID=${String(source)}`)).text,
      readFileSync(join(folder, 'fits & more.csv'), 'utf8'),
    );
    assert.deepEqual(problems, []);
  });

  it('WEB-03 a queued file and a file rejected as a whole lead to their pages', async () => {
    const page = await watchedPage(browser, []);
    await signInAt(page, p.url, 'clerk');
    await page.goto(`${p.url}/imports/new`);
    await choose(page, 'later.csv', 'Address\n1 Later Rd\n');
    await page.select(
      '#template',
      await page.$eval(
        '#template',
        (input) =>
          [...(input as unknown as { options: Iterable<{ textContent: string; value: string }> }).options].find(
            (option) => option.textContent === 'Sent Later',
          )?.value ?? '',
      ),
    );
    await sendIt(page);
    await waitForText(page, '#state', 'Complete');
    await page.goto(`${p.url}/imports/new?Template=${plain}`);
    await choose(page, 'refused.csv', '!Address\n1 Refused Rd\n');
    await sendIt(page);
    assert.match(await text(page, '#state'), /Validation Error/);
    assert.match(await text(page, '#run'), /begins with an exclamation mark/);
    assert.match(await text(page, '#rows'), /begins with an exclamation mark/);
    await screenshot(page, 'import-refused');
    assert.deepEqual(await accessibilityViolations(page), []);
  });

  it('WEB-03 a refusal is shown on the upload page, and nothing entered is lost', async () => {
    const page = await watchedPage(browser, []);
    await signInAt(page, p.url, 'clerk');
    await page.goto(`${p.url}/imports/new?Template=${plain}`);
    await choose(page, 'gone.csv', 'Address\n1 Gone Rd\n');
    await page.type('#reference', 'JOB-78');
    await page.$eval('#template', (input) => {
      (input as unknown as { selectedOptions: { value: string }[] }).selectedOptions[0]!.value = '987654';
    });
    await page.click('form[data-send] button:not([type])');
    await waitForText(page, '#failed', 'TemplateID');
    assert.equal(await page.$eval('#reference', (input) => (input as unknown as { value: string }).value), 'JOB-78');
    assert.equal(
      await page.$eval('form[data-send] button:not([type])', (button) => button.hasAttribute('disabled')),
      false,
    );
    assert.deepEqual(await accessibilityViolations(page), []);
    const limit = expectOk(
      await admin.post('/api/setting/save?Output=Json', { Setting: 'ImportMegabytesMax', Value: '1' }),
    );
    await page.goto(`${p.url}/imports/new?Template=${plain}`);
    await choose(page, 'large.csv', addressFile(400_000, 'Large Rd'));
    await page.click('form[data-send] button:not([type])');
    await waitForText(page, '#failed', 'The file is larger than 1 megabytes.');
    expectOk(await admin.post('/api/setting/save', { ID: Number(limit.json()['SettingID']), Value: '4096' }));
  });

  it('WEB-03 shows the progress of an upload, and leaves nothing behind if it is canceled', async () => {
    const page = await watchedPage(browser, []);
    await signInAt(page, p.url, 'clerk');
    await page.goto(`${p.url}/imports/new?Template=${plain}`);
    await choose(page, 'slow.csv', addressFile(700_000, 'Slow Rd'));
    // Detection is done, so only the upload is slow: it would take a minute, far longer than what is checked meanwhile.
    await page.emulateNetworkConditions({ upload: 150_000, download: 1_000_000, latency: 0 });
    await page.click('form[data-send] button:not([type])');
    await page.waitForFunction(
      () =>
        (
          globalThis as unknown as { document: { querySelector(of: string): { value: number } } }
        ).document.querySelector('#sending progress').value >= 1,
      { timeout: 20_000 },
    );
    assert.match(await text(page, '#sending'), /\d\.\d of 9\.\d MB, \d+ %/);
    assert.match(await text(page, '#announcement'), /Uploading slow\.csv/);
    assert.deepEqual(await accessibilityViolations(page), []);
    await screenshot(page, 'import-sending');
    assert.equal(readdirSync(join(files, '.parts')).length, 1);
    await page.click('#cancel');
    await waitForText(page, '#failed', 'Upload canceled');
    assert.equal(await page.$eval('#sending', (part) => part.hasAttribute('hidden')), true);
    await page.emulateNetworkConditions(null);
    await eventually('what had arrived is removed', () => readdirSync(join(files, '.parts')).length === 0);
    assert.equal((await p.platform.store.query("select 1 from importfile where importfile = 'slow.csv'")).length, 0);
  });

  it('WEB-03 an upload cannot be canceled any more once the file has arrived and is being imported', async () => {
    const page = await watchedPage(browser, []);
    await signInAt(page, p.url, 'clerk');
    await page.goto(`${p.url}/imports/new?Template=${gatedNow}`);
    await choose(page, 'arrived.csv', addressFile(20, 'Arrived Rd'));
    const held = hold(10);
    await page.click('form[data-send] button:not([type])');
    await held.reached;
    await waitForText(page, '#announcement', 'File uploaded');
    assert.equal(await page.$eval('#cancel', (button) => button.hasAttribute('hidden')), true);
    const navigated = page.waitForNavigation();
    held.go();
    await navigated;
    assert.match(await text(page, 'main'), /Complete[\s\S]*arrived\.csv/);
  });

  it('IMP-06 importfile/detectbody recognizes a format from the beginning of a document, stores nothing, and recognizes nothing in other bytes', async () => {
    const clerk = await p.user('detecting clerk', 'Staff');
    const detect = (caller: Caller, body: string): Promise<TestAnswer> =>
      caller.send('POST', '/api/importfile/detectbody?Output=Json&FileName=x.csv', body, {
        'Content-Type': 'application/octet-stream',
      });
    const stored = async (): Promise<unknown> =>
      (
        await p.platform.store.query(
          'select (select count(*) from attachment) as a, (select count(*) from importfile) as f',
        )
      )[0];
    const before = await stored();
    const found = expectOk(
      await detect(clerk.caller, `Fits Only Here,City\n${'1 Elm,Alder\n'.repeat(1_000)}`),
    ).json() as unknown as {
      ImportFileTemplateCollection: { ImportFileTemplateItem: { ImportFileTemplate: string; Expected: number }[] };
    };
    assert.deepEqual(
      found.ImportFileTemplateCollection.ImportFileTemplateItem.filter(({ Expected: expected }) => expected > 0).map(
        ({ ImportFileTemplate: name, Expected: expected }) => [name, expected],
      ),
      [['Sent Mapped', 1]],
    );
    assert.doesNotMatch(expectOk(await detect(clerk.caller, 'No,Such,Columns\n1,2,3\n')).text, /Sent Mapped/);
    assert.doesNotMatch(expectOk(await detect(clerk.caller, '')).text, /Sent Mapped/);
    assert.equal((await detect(clerk.caller, 'x'.repeat(4 * 1024 * 1024 + 1))).status, 413);
    assert.equal((await clerk.caller.send('POST', '/api/importfile/detectbody?FileName=..%2Fx.csv', 'x')).status, 400);
    assert.equal((await detect(firm.caller, 'Fits Only Here\n')).status, 403);
    assert.deepEqual(await stored(), before);
  });

  it('KRN-18 WEB-03 a firm is offered the import types that it may use, and can open its import', async () => {
    const page = await watchedPage(browser, []);
    await signInAt(page, p.url, 'user of First Firm');
    await page.goto(`${p.url}/imports/new`);
    const offered = await text(page, '#template');
    assert.match(offered, /Sent Plain/);
    assert.doesNotMatch(offered, /Sent Internally|Sent Inactive/);
    await choose(page, 'of a firm.csv', 'Address\n1 Firm Sent Rd\n');
    await page.select('#template', 'Sent Plain');
    await sendIt(page);
    assert.match(await text(page, 'h1'), /of a firm\.csv/);
    assert.match(await text(page, '#rows'), /is not granted/);
  });

  it('WEB-03 works without script, except for uploading, where the page says that it needs script', async () => {
    const held = hold(140);
    const id = await send(admin, 'Gated', addressFile(300, 'Scriptless Rd'), {
      PreTransform_FileName: 'scriptless.csv',
    });
    await held.reached;
    const page = await watchedPage(browser, []);
    await page.setJavaScriptEnabled(false);
    await signInByForm(page, p.url, 'clerk');
    await press(page, '.sidebar', 'Imports');
    assert.match(await text(page, '#files'), /scriptless\.csv[\s\S]*120 of 300 rows/);
    await press(page, '#files', 'scriptless.csv');
    await press(page, '#do', 'Stop');
    held.go();
    await eventually('it has stopped', async () => (await statusOf(id)) === 'Stopped', 20_000);
    await press(page, '#do', 'Refresh');
    assert.match(await text(page, '#state'), /Stopped/);
    open();
    await press(page, '#do', 'Resume');
    await eventually('it is complete', async () => (await statusOf(id)) === 'Complete', 20_000);
    await page.goto(`${p.url}/imports/new`);
    assert.match(
      await page.$eval('noscript', (note) => (note as unknown as { innerText: string }).innerText),
      /needs JavaScript/,
    );
    assert.equal(await page.$eval('form[data-send] button', (button) => button.hasAttribute('disabled')), true);
  });

  it('WEB-03 all pages work by keyboard and with screen readers, in dark mode, on narrow screens and at double size', async () => {
    const page = await watchedPage(browser, []);
    const id = await send(
      admin,
      'Mapped',
      `Street,Lat\n${'A very long street name without an end '.repeat(4)},${'x'.repeat(150)}\n2 Narrow Rd,1\n`,
      { PreTransform_FileName: `${'a-long-name-without-a-break-'.repeat(5)}.csv` },
    );
    await signInAt(page, p.url, 'chief');
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }]);
    for (const [name, viewport] of [
      ['narrow', { width: 360, height: 740 }],
      ['zoomed', { width: 640, height: 450, deviceScaleFactor: 2 }],
    ] as const) {
      await page.setViewport(viewport);
      for (const path of ['/imports', `/imports/${id}`, `/imports/${id}?Preview=true`, '/imports/new']) {
        await page.goto(p.url + path);
        assert.deepEqual(await accessibilityViolations(page), [], `${path}, ${name}`);
        assert.ok(
          await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth'),
          `${path} is wider than the ${name} screen`,
        );
        await screenshot(page, `${name}-dark${path.replace(/\W+/g, '-')}`);
      }
    }
    await page.setViewport({ width: 1280, height: 900 });
    await page.goto(`${p.url}/imports`);
    await page.focus('#by-name');
    await page.keyboard.type('a-long-name');
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
    await page.focus(`#file-${id}`);
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
    assert.equal(page.url(), `${p.url}/imports/${id}`);
  });
});
