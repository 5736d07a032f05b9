/** The import pages in a browser: what they show, and to whom. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { Page } from 'puppeteer-core';
import { batchEnded, batchRows, insertContacts, makeBatch } from '../../support/imports/batches.ts';
import { screenshot, testBrowser, watchedPage, browserMissing } from '../../support/browser/browser.ts';
import { eventually } from '../../support/eventually.ts';
import { addressFile, expectOk, importPages, waitForText, text } from '../../support/pages/import-pages.ts';
import { accessibilityViolations } from '../../support/browser/accessibility.ts';
import { press, signInAt } from '../../support/browser/page-steps.ts';
import { browse, testSession } from '../../support/pages/session.ts';

/** A file name that closes attributes, elements and scripts, to break out of a careless page. */
const HOSTILE = `"'><x-hostile onclick=a()><img src=x onerror=hacked=1>`;

const { p, firm, other, template, send, statusOf, hold, open } = await importPages({ after });
const { admin } = p;

/** Counts how often a page reads itself again. Call it before opening the page. */
async function countReads(page: Page): Promise<() => Promise<number>> {
  await page.evaluateOnNewDocument(`
    window.liveReads = 0;
    const get = window.fetch;
    window.fetch = (address, ...more) => {
      if (String(address).includes('Part=live')) window.liveReads++;
      return get(address, ...more);
    };
  `);
  return () => page.evaluate('window.liveReads') as Promise<number>;
}

describe('the pages of imports', { skip: browserMissing }, async () => {
  const browser = await testBrowser({ after });

  describe('the list of imports', async () => {
    await template('Plain');
    await template('Gated', { ImportEngine: 'GatedEngine', Async: true, ParameterString: 'Total=300' });

    it('WEB-03 IMP-04 IMP-15 shows the progress of a running import without reloading; the import stops and resumes', async () => {
      const problems: string[] = [];
      const page = await watchedPage(browser, problems);
      const first = hold(140);
      const id = await send(admin, 'Gated', addressFile(300, 'Held Rd'), { PreTransform_FileName: 'held.csv' });
      await first.reached;
      await signInAt(page, p.url, 'clerk');
      await page.goto(`${p.url}/imports`);
      assert.match(await text(page, '#files'), /held\.csv[\s\S]*Importing[\s\S]*120 of 300 rows, 40 %[\s\S]*Gated/);
      assert.equal(await page.$eval('#files progress', (bar) => bar.getAttribute('value')), '40');
      assert.deepEqual(await accessibilityViolations(page), []);
      await screenshot(page, 'imports-running');
      // One step: between finding the link and focusing it, the page could replace it.
      await page.evaluate(`document.getElementById('file-${id}').focus()`);
      const second = hold(200);
      first.go();
      await second.reached;
      await waitForText(page, '#files', '180 of 300 rows');
      assert.equal(await page.evaluate('document.activeElement.id'), `file-${id}`, 'the focused link keeps the focus');
      await page.goto(`${p.url}/imports/${id}`);
      assert.match(await text(page, '#run'), /Rows180 of 300[\s\S]*Done60 %/);
      await screenshot(page, 'import-running');
      assert.deepEqual(await accessibilityViolations(page), []);
      await press(page, '#do', 'Stop');
      assert.match(await text(page, '.toast'), /Stopping after the current rows/);
      second.go();
      await waitForText(page, '#state', 'Stopped');
      assert.match(await text(page, '#announcement'), /held\.csv: Stopped/, 'the change is announced');
      assert.equal(await statusOf(id), 'Stopped');
      open();
      await press(page, '#do', 'Resume');
      await waitForText(page, '#state', 'Complete');
      assert.match(await text(page, '#run'), /Rows300 of 300[\s\S]*Saved300/);
      await screenshot(page, 'import-complete');
      assert.deepEqual(problems, []);
    });

    it('WEB-03 does not read itself again while the page is hidden, and does when it is visible again', async () => {
      const page = await watchedPage(browser, []);
      const reads = await countReads(page);
      const held = hold(140);
      const id = await send(admin, 'Gated', addressFile(300, 'Hidden Rd'), { PreTransform_FileName: 'hidden.csv' });
      await held.reached;
      await signInAt(page, p.url, 'clerk');
      await page.goto(`${p.url}/imports/${id}`);
      const hide = (isHidden: boolean): Promise<unknown> =>
        page.evaluate(
          `Object.defineProperty(document, 'hidden', { configurable: true, get: () => ${isHidden} }); ` +
            `document.dispatchEvent(new Event('visibilitychange'))`,
        );
      await hide(true);
      const before = await reads();
      held.go();
      await eventually('it is complete', async () => (await statusOf(id)) === 'Complete', 20_000);
      assert.match(await text(page, '#state'), /Importing/);
      assert.equal(await reads(), before);
      await hide(false);
      await waitForText(page, '#state', 'Complete');
    });

    it('WEB-06 a page whose session has ended says so and offers to sign in, without leaving what the user does', async () => {
      const page = await watchedPage(browser, []);
      const held = hold(140);
      const id = await send(admin, 'Gated', addressFile(300, 'Ended Rd'));
      await held.reached;
      await signInAt(page, p.url, 'clerk');
      await page.goto(`${p.url}/imports/${id}`);
      await page.browserContext().deleteCookie(...(await page.browserContext().cookies()));
      held.go();
      await page.waitForSelector('#connection-state');
      assert.match(await text(page, '#connection-state'), /Your session has ended\. Sign in again/);
      const back = await page.$eval('#connection-state a', (link) => link.getAttribute('href'));
      assert.equal(back, `/signin?returnTo=${encodeURIComponent(`/imports/${id}`)}`);
      assert.equal(page.url(), `${p.url}/imports/${id}`);
      await eventually('it is complete', async () => (await statusOf(id)) === 'Complete', 20_000);
    });

    it('WEB-07 EVT-10 finds imports by name, status, type, reference, ID and failure, newest first, and leaves out those without events', async () => {
      await template('Found');
      const ids: number[] = [];
      for (const n of [1, 2, 3])
        ids.push(
          await send(admin, 'Found', n === 2 ? 'Address,City\n1 Found Rd\n' : addressFile(1, `Found Rd ${n}`), {
            PreTransform_FileName: `find me ${n}.csv`,
            Reference: `JOB-${n}`,
          }),
        );
      const session = await testSession(p, 'reader');
      const shown = async (query: string): Promise<string[]> =>
        [...(await session.get(`/imports${query}`)).text.matchAll(/id="file-\d+" href="\/imports\/\d+">([^<]*)</g)].map(
          (match) => match[1] ?? '',
        );
      assert.deepEqual(await shown('?ImportFile=find+me'), ['find me 3.csv', 'find me 2.csv', 'find me 1.csv']);
      assert.deepEqual(await shown('?Reference=JOB-2'), ['find me 2.csv']);
      assert.deepEqual(await shown(`?ImportFileID=${ids[0] ?? 0}`), ['find me 1.csv']);
      assert.deepEqual(await shown('?Status=Complete&ImportFile=find'), [
        'find me 3.csv',
        'find me 2.csv',
        'find me 1.csv',
      ]);
      assert.deepEqual(await shown('?Status=Error&ImportFile=find'), []);
      assert.deepEqual(await shown('?Failed=true&ImportFile=find'), ['find me 2.csv']);
      const templates = await session.get('/imports');
      const found = /<option value="(\d+)">Found</.exec(templates.text)?.[1] ?? '';
      assert.equal((await shown(`?ImportFileTemplateID=${found}`)).length, 3);
      assert.match((await session.get('/imports?ImportFileID=many')).text, /role="alert"[\s\S]*ImportFileID/);
      await p.platform.store.query('update importfile set unlisted = true where importfileid = $1::bigint', [ids[2]]);
      assert.deepEqual(await shown('?ImportFile=find+me'), ['find me 2.csv', 'find me 1.csv']);
    });

    it('shows 25 imports per page', async () => {
      await p.platform.store.query(
        "insert into importfile (importfile, status) select 'paged ' || n, 'Complete' from generate_series(1, 60) n",
      );
      const session = await testSession(p, 'reader');
      const first = (await session.get('/imports?ImportFile=paged')).text;
      assert.match(first, /1 to 25 of 60/);
      assert.match(first, /paged 60[\s\S]*paged 36/);
      const next = /href="([^"]+)" rel="next"/.exec(first)?.[1]?.replaceAll('&amp;', '&') ?? '';
      const second = (await session.get(next)).text;
      assert.match(second, /26 to 50 of 60/);
      assert.match(second, /rel="prev"[\s\S]*rel="next"/);
    });
  });

  describe('the page of an import', async () => {
    await template('Mapped', {}, [
      { ImportFileMap: 'Street', Destination: 'Address', Required: true },
      { ImportFileMap: 'Lat', Destination: 'County', DataType: 'Decimal' },
    ]);
    const mixed =
      `Street,Lat\n` +
      `${Array.from({ length: 40 }, (_, n) => `${n} Mixed Rd,${n % 4 === 3 ? '1' : `north ${n}`}`).join('\n')}\n`;

    it('WEB-03 IMP-12 shows failed rows with line and reason page by page, saved rows with their records, and the first rows as received and as mapped', async () => {
      const problems: string[] = [];
      const page = await watchedPage(browser, problems);
      await send(admin, 'Mapped', mixed, {
        PreTransform_FileName: 'mixed.csv',
        Reference: 'R-1',
        ExternalReference: 'X-1',
      });
      await signInAt(page, p.url, 'chief');
      await page.goto(`${p.url}/imports?ImportFile=mixed`);
      await press(page, '#files', '30');
      assert.match(page.url(), /Show=failed#rows$/);
      const failed = await text(page, '#rows');
      assert.match(failed, /Failed 30[\s\S]*All 40/);
      assert.match(failed, /2[\s\S]*Error[\s\S]*Lat: "north 0" is not a number/);
      assert.match(failed, /1 to 25 of 30/);
      await screenshot(page, 'import-failed');
      assert.deepEqual(await accessibilityViolations(page), []);
      await press(page, '#rows', 'Next rows');
      assert.match(await text(page, '#rows'), /26 to 30 of 30/);
      await press(page, '#rows', 'All 40');
      assert.match(await text(page, '#rows'), /3 Mixed Rd/);
      assert.equal(await page.$$eval('#rows a[href^="/records/property/"]', (links) => links.length), 6);
      for (const part of ['Mapped', 'mixed.csv', 'R-1', 'X-1', '3 Mixed Rd'])
        assert.ok((await text(page, '#about')).includes(part), part);
      await press(page, 'main', 'Show first rows');
      const preview = await text(page, '#preview');
      assert.match(
        preview,
        /Street[\s\S]*0 Mixed Rd[\s\S]*Address[\s\S]*3 Mixed Rd[\s\S]*Line 2: Lat: "north 0" is not a number/,
      );
      await screenshot(page, 'import-preview');
      assert.deepEqual(await accessibilityViolations(page), []);
      assert.deepEqual(problems, []);
    });

    it('WEB-03 IMP-04 a file that failed as a whole shows its reason under Failed, and counts it', async () => {
      const id = await send(admin, 'Plain', 'Address\n?\n');
      assert.equal(await statusOf(id), 'Error');
      const { text: body } = await (await testSession(p, 'chief')).get(`/imports/${id}`);
      assert.match(body, /aria-current="page"><span id="show-failed">Failed 1</);
      assert.match(body, /<td class="reason">[^<]*cannot be read/);
      assert.doesNotMatch(body, /No failed rows|id="corrections"/);
    });

    it('WEB-03 offers the corrections file only to users who may see the source', async () => {
      const page = await watchedPage(browser, []);
      const id = await send(admin, 'Mapped', 'Street,Lat\n1 Elm Rd,x\n');
      await signInAt(page, p.url, 'chief');
      await page.goto(`${p.url}/imports/${id}`);
      const file = await page.$eval('#corrections', async (link) =>
        (await fetch((link as unknown as { href: string }).href)).text(),
      );
      assert.equal(file, 'Street,Lat,ImportReason\n1 Elm Rd,x,Lat: "x" is not a number.\n');
      assert.equal((await page.$$('a[href^="/api/attachment/download/"]')).length, 1);
      assert.doesNotMatch(
        (await (await testSession(p, 'clerk')).get(`/imports/${id}`)).text,
        /api\/importfile\/corrections|api\/attachment\/download/,
        'staff without UnmaskSSN',
      );
      await press(page, '#rows', 'upload it again');
      assert.equal(
        await page.$eval(
          '#template',
          (input) =>
            (input as unknown as { selectedOptions: { textContent: string }[] }).selectedOptions[0]?.textContent,
        ),
        'Mapped',
      );
    });

    it('KRN-18 WEB-03 a firm sees its own imports and what it may do; for another firm they do not exist', async () => {
      const made = await firm.caller.send(
        'POST',
        '/api/import/plain?PreTransform_FileName=theirs.csv',
        'Address\n1 Firm Rd\n',
        { 'Content-Type': 'text/plain' },
      );
      const id = Number(/ ID="(\d+)"/.exec(made.text)?.[1]);
      assert.ok(id > 0, made.text);
      const own = await testSession(p, 'user of First Firm');
      assert.match((await own.get('/imports')).text, /theirs\.csv/);
      const page = (await own.get(`/imports/${id}`)).text;
      assert.match(page, /PropertySave is not granted|PropertyInsert is not granted/);
      assert.doesNotMatch(page, /importfile\/corrections/, 'no row was tried');
      expectOk(
        await admin.post('/api/role/save', {
          Role: 'Property Sender',
          Permissions: 'Import* PropertySave PropertyInsert',
        }),
      );
      const colleague = await p.user('colleague of First Firm', 'Partner,Property Sender');
      const joined = { ID: colleague.personId, OrganizationID: firm.organizationId };
      expectOk(await admin.post('/api/person/save', joined));
      const failing = await colleague.caller.send(
        'POST',
        '/api/import/plain?PreTransform_FileName=failing.csv',
        `Address\n${'x'.repeat(300)}\n`,
        { 'Content-Type': 'text/plain' },
      );
      const failedId = Number(/ ID="(\d+)"/.exec(failing.text)?.[1]);
      assert.match(failing.text, /ErrorCount="1"/);
      const corrections = new RegExp(`/api/importfile/corrections\\?ID=${failedId}`);
      assert.match((await own.get(`/imports/${failedId}`)).text, corrections, 'the firm knows what it has sent');
      assert.doesNotMatch(page, /value="(stop|resume|validate|requeue)"|Firm<\/th>|Show first rows/);
      const foreign = await testSession(p, 'user of Other Firm');
      assert.ok(other.organizationId > 0);
      assert.doesNotMatch((await foreign.get('/imports')).text, /theirs\.csv|held\.csv/);
      for (const path of [
        `/imports/${id}`,
        `/imports/${id}?Show=failed&Part=live`,
        `/imports/${id}?Preview=true`,
        `/imports/${id}/again`,
      ]) {
        const answer = await foreign.get(path);
        assert.equal(answer.status, 404, path);
        assert.doesNotMatch(answer.text, /theirs|Firm Rd/, path);
      }
      assert.equal((await foreign.post(`/imports/${id}`, { Action: 'requeue' })).status, 404);
      assert.equal((await own.post(`/imports/${id}`, { Action: 'stop' })).status, 422, 'its own, which has ended');
      assert.equal((await own.post(`/imports/${id}`, { Action: 'requeue' })).status, 403);
      assert.equal(
        (await own.post(`/imports/${id}`, { Action: 'stop' }, { Origin: 'https://elsewhere.test' })).status,
        403,
      );
      const reader = await testSession(p, 'reader');
      assert.doesNotMatch((await reader.get('/imports')).text, /Upload file/);
      assert.equal((await reader.get('/imports/new')).status, 403);
    });

    it("nothing is shown without a session, and no action works without the page's token", async () => {
      const held = hold(140);
      const id = await send(admin, 'Gated', addressFile(300, 'Token Rd'));
      await held.reached;
      for (const path of [
        '/imports',
        '/imports/new',
        `/imports/${id}`,
        `/imports/${id}/again`,
        `/imports/${id}?Part=live`,
      ]) {
        const answer = await browse(p.url, path);
        assert.deepEqual([answer.status, answer.location], [303, `/signin?returnTo=${encodeURIComponent(path)}`]);
      }
      const clerk = await testSession(p, 'clerk');
      assert.equal((await clerk.post(`/imports/${id}`, { Action: 'stop', _csrf: 'guessed' })).status, 403);
      assert.equal((await clerk.post(`/imports/${id}`, { Action: 'destroy' })).status, 400);
      assert.equal(
        (await clerk.post(`/imports/${id}`, { Action: 'resume' })).status,
        422,
        'the page reports what its status does not allow',
      );
      held.go();
      await eventually('it is complete', async () => (await statusOf(id)) === 'Complete', 20_000);
      assert.match(
        (await clerk.post(`/imports/${id}`, { Action: 'stop' })).text,
        /role="alert"[\s\S]*there is nothing to stop/,
      );
    });

    it('WEB-03 KRN-19 a hostile name, value, reason or address never becomes markup', async () => {
      const problems: string[] = [];
      const page = await watchedPage(browser, problems);
      const sent = `Street,Lat,"${HOSTILE}"`.replaceAll(',"', ',x').replaceAll('"', '');
      const id = await send(admin, 'Mapped', `${sent}\n${HOSTILE},${HOSTILE},1\n${HOSTILE},1,1\n${HOSTILE}\n`, {
        PreTransform_FileName: `${HOSTILE}.csv`,
        Reference: HOSTILE.slice(0, 50),
        ExternalReference: HOSTILE,
      });
      const queued = await p.platform.store.query<{ id: number }>(
        `insert into importfilequeue (importfilequeue, importfileid, classname, operation, message, failuredate,
         executecount, status)
         values ($1::text, $2::bigint, $3::text, $3::text, $1::text, now(), 1, 'Error')
         returning importfilequeueid as id`,
        [HOSTILE, id, HOSTILE.slice(0, 60)],
      );
      assert.equal(queued.length, 1);
      await p.platform.store.query('update importfile set message = $1::text where importfileid = $2::bigint', [
        HOSTILE,
        id,
      ]);
      await signInAt(page, p.url, 'chief');
      const requested = encodeURIComponent(HOSTILE);
      for (const path of [
        '/imports',
        `/imports/${id}`,
        `/imports/${id}?Show=all`,
        `/imports/${id}?Show=failed&Part=live`,
        `/imports/${id}?Preview=true`,
        `/imports/${id}/again`,
        `/imports?ImportFile=${requested}&Status=${requested}&Reference=${requested}`,
        `/imports?ImportFileID=${requested}`,
        `/imports/${id}?Show=${requested}&done=${requested}&RecordStart=${requested}`,
        `/imports/new?Template=${requested}`,
      ]) {
        await page.goto(p.url + path);
        assert.equal(
          await page.evaluate('typeof hacked + document.querySelectorAll("x-hostile, img").length'),
          'undefined0',
          path,
        );
      }
      await page.goto(`${p.url}/imports/${id}`);
      assert.ok((await text(page, 'h1')).includes(HOSTILE));
      assert.ok((await text(page, '#rows')).includes(HOSTILE));
      assert.ok((await text(page, '#batch')).includes(HOSTILE));
      assert.deepEqual(
        problems.filter((problem) => !problem.includes('400')),
        [],
      );
    });

    it('WEB-03 IMP-09 failed calls of a batch run again from the page, one or all of them', async () => {
      const page = await watchedPage(browser, []);
      await insertContacts(p, 'Requeued', 4);
      await p.platform.store.query(
        "update contact set middlename = (990000 + substr(firstname, 2)::integer)::text where lastname = 'Requeued'",
      );
      const made = await makeBatch(admin, {
        ClassName: 'Contact',
        Operation: 'Search',
        LastName: 'Requeued',
        Signature: 'Property/Save?ID={MiddleName}&City=Again',
      });
      await batchEnded(p, made.ImportFileID);
      await signInAt(page, p.url, 'clerk');
      await page.goto(`${p.url}/imports/${made.ImportFileID}`);
      assert.match(await text(page, '#batch'), /Failed calls 4[\s\S]*Property\/Save[\s\S]*\n1\n/);
      await screenshot(page, 'import-batch');
      assert.deepEqual(await accessibilityViolations(page), []);
      await p.platform.store.query(
        `insert into property (propertyid, property, address, reachorganizationid) overriding system value
           select 990000 + n, 'p' || n, 'p' || n, '{}' from generate_series(1, 3) n`,
      );
      await press(page, '#batch button', 'Run again');
      await eventually(
        'one call has run',
        async () => (await batchRows(p, made.ImportFileID)).filter((row) => row.succeeded).length === 1,
        20_000,
      );
      await batchEnded(p, made.ImportFileID);
      await page.goto(`${p.url}/imports/${made.ImportFileID}`);
      await press(page, '#batch', 'Run all again…');
      assert.match(await text(page, 'main'), /3 calls failed/);
      assert.deepEqual(await accessibilityViolations(page), []);
      await screenshot(page, 'import-again');
      await press(page, 'main form', 'Run again');
      assert.match(await text(page, '.toast'), /queued again/);
      await eventually(
        'three calls have run',
        async () => {
          const rows = await batchRows(p, made.ImportFileID);
          return rows.filter((row) => row.succeeded).length === 3 && rows.filter((row) => row.failed).length === 1;
        },
        20_000,
      );
      assert.deepEqual(
        (await batchRows(p, made.ImportFileID)).map((row) => row.executecount),
        [2, 2, 2, 2],
      );
    });
  });
});
