/** Documents in a browser: uploads that survive the network and a reload, the viewer, and document types. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import type { Page } from 'puppeteer-core';
import { visibleFaults } from '../../support/browser/accessibility.ts';
import { browserMissing, screenshot } from '../../support/browser/browser.ts';
import { chooseFile } from '../../support/browser/choose-file.ts';
import { visitor } from '../../support/browser/visitor.ts';
import { pdfOf } from '../../support/documents.ts';
import { testSession } from '../../support/pages/session.ts';
import { client } from '../../support/client.ts';
import { testPlatform } from '../../support/platform.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const p = await testPlatform({ after });
await p.user('clerk', 'Staff');
await p.user('analyst', 'Analyst');
const admin = client(p);
const folder = temporaryFolder({ after });
const caseId = Number((await admin.save('foreclosure', { Foreclosure: 'DOC-26-1' }))['ForeclosureID']);
const letterType = Number(
  (await admin.save('attachmenttemplate', { AttachmentTemplate: 'Letter' }))['AttachmentTemplateID'],
);
const tab = `/case/foreclosure/${caseId}?tab=documents`;

/** Chooses a file as a user does in the dialog of the browser. */
async function choose(page: Page, name: string, content: Uint8Array): Promise<void> {
  const path = join(folder, name);
  writeFileSync(path, content);
  await chooseFile(page, 'form[data-upload] input[type=file]', path);
}

/** Drops files on the page as the desktop does. */
async function drop(page: Page, contents: Readonly<Record<string, Uint8Array>>): Promise<void> {
  const files = Object.entries(contents).map(([name, content]) => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  });
  const protocol = await page.createCDPSession();
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await protocol.send('Input.dispatchDragEvent', {
      type,
      x: 700,
      y: 500,
      data: { items: [], files, dragOperationsMask: 1 },
    });
  await protocol.detach();
}

/** Does something when the page is about to send its n-th chunk, which waits for it. */
async function atChunk(page: Page, n: number, act: () => Promise<unknown>): Promise<void> {
  let count = 0;
  await page.setRequestInterception(true);
  page.on('request', (request) => {
    const isReached = request.url().includes('/uploadchunk') && ++count === n;
    void (isReached ? act() : Promise.resolve()).then(() => request.continue());
  });
}

const documents = async (): Promise<readonly Readonly<Record<string, unknown>>[]> =>
  p.platform.store.query(
    `select filename, filehash, attachmenttemplateid as type, description from attachment
     where object = 'Foreclosure' and objectid = $1::bigint order by attachmentid desc`,
    [caseId],
  );
const hashOf = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex');

describe('uploading documents', { skip: browserMissing }, () => {
  it('DOC-03 WEB-03 an upload continues after the network drops, and appears in the list without a reload', async (t) => {
    const clerk = await visitor(t, p, 'clerk');
    const { page } = clerk;
    clerk.expectProblem('ERR_INTERNET_DISCONNECTED');
    await clerk.open(tab);
    await page.select('[name=AttachmentTemplateID]', String(letterType));
    await page.type('[name=Description]', 'From <b>Mary</b>');
    await atChunk(page, 4, () => page.setOfflineMode(true));
    const content = randomBytes(3_000_000);
    await choose(page, 'deed & <note>.bin', content);
    await clerk.waitFor('No connection', '.upload-tray');
    assert.match(await clerk.waitFor('the upload resumes automatically', '.upload-tray'), /1\.4 MB of 2\.9 MB arrived/);
    await page.setOfflineMode(false);
    await clerk.waitFor('1 of 1 uploaded', '.upload-tray');
    await clerk.waitFor('deed & <note>.bin', '#case-documents');
    const [saved] = await documents();
    assert.deepEqual(saved, {
      filename: 'deed & <note>.bin',
      filehash: hashOf(content),
      type: letterType,
      description: 'From <b>Mary</b>',
    });
    await screenshot(page, 'upload-done');
    assert.deepEqual(await visibleFaults(page), []);
  });

  it('DOC-03 WEB-01 two files dropped on the case are uploaded over a connection that drops', async (t) => {
    const clerk = await visitor(t, p, 'clerk');
    const { page } = clerk;
    clerk.expectProblem('ERR_INTERNET_DISCONNECTED');
    await clerk.open(tab);
    await atChunk(page, 3, () => page.setOfflineMode(true));
    const content = randomBytes(2_000_000);
    const before = (await documents()).length;
    await drop(page, { 'scan.bin': content, 'note.txt': Buffer.from('dropped') });
    await clerk.waitFor('No connection', '.upload-tray');
    assert.deepEqual(await visibleFaults(page), []);
    await page.setOfflineMode(false);
    await clerk.waitFor('2 of 2 uploaded', '.upload-tray');
    await clerk.waitFor('note.txt', '#case-documents');
    const saved = await documents();
    assert.equal(saved.length, before + 2);
    assert.equal(saved.find(({ filename }) => filename === 'scan.bin')?.['filehash'], hashOf(content));
  });

  it('DOC-03 WEB-03 after a reload the upload is listed, and continues with the same file only', async (t) => {
    const clerk = await visitor(t, p, 'clerk');
    const { page } = clerk;
    page.on('dialog', (dialog) => void dialog.accept());
    await clerk.open(tab);
    await atChunk(page, 4, () => clerk.click('button', 'Pause: long.bin'));
    const content = randomBytes(4_000_000);
    const before = (await documents()).length;
    await choose(page, 'long.bin', content);
    await clerk.waitFor('Paused', '.upload-tray');
    await page.reload();
    await clerk.waitFor('Interrupted', '.upload-tray');
    assert.equal((await documents()).length, before);
    await choose(page, 'long.bin', content);
    await clerk.waitFor('1 of 1 uploaded', '.upload-tray');
    assert.equal((await documents())[0]?.['filehash'], hashOf(content));
    assert.equal((await p.platform.store.query('select 1 from upload where finisheddate is null')).length, 0);
  });
});

/** Stores a file of the case, and reads its text. */
async function stored(name: string, content: Uint8Array | string, more: Record<string, unknown> = {}): Promise<number> {
  const fields = { FileName: name, Content: Buffer.from(content).toString('base64'), ...more };
  const row = await admin.save('attachment', { Object: 'Foreclosure', ObjectID: caseId, ...fields });
  assert.equal((await p.admin.post('/api/attachment/readtext', {})).status, 200);
  return Number(row['AttachmentID']);
}

describe('reading documents', { skip: browserMissing }, () => {
  it('DOC-04 DOC-13 WEB-01 by keyboard: the list, the viewer, words found and marked, pages, zoom, rotation', async (t) => {
    const pages = ['Notice of default', 'The trustee sells', 'Nothing', 'A trustee <b>again</b>'];
    const id = await stored('notice.pdf', await pdfOf(...pages));
    const clerk = await visitor(t, p, 'clerk');
    const { page } = clerk;
    await clerk.open(tab);
    await clerk.waitFor('notice.pdf');
    await screenshot(page, 'documents');
    assert.deepEqual(await visibleFaults(page), []);
    await clerk.keys('j');
    assert.equal(await clerk.focused(), 'notice.pdf');
    await clerk.keys('Enter');
    await page.waitForSelector(`document-drawer document-viewer[data-id="${id}"]`);
    await clerk.follow(() => clerk.keys('o'));
    assert.equal(new URL(page.url()).pathname, `/documents/${id}`);
    await page.waitForSelector('#page-1[data-words="3"]');
    await clerk.keys('/');
    assert.equal(await clerk.focused(), 'Find in this document');
    await page.keyboard.type('trustee');
    await clerk.keys('Enter');
    await clerk.waitFor('2 hits', '#viewer-hits');
    await page.waitForSelector('#page-2 rect.current');
    await clerk.keys('Enter');
    await page.waitForSelector('#page-4 rect.current');
    assert.match(await clerk.waitFor('again', '#viewer-hits'), /A trustee <b>again<\/b>/);
    await page.waitForFunction('location.hash === "#page=4"');
    await screenshot(page, 'viewer');
    await clerk.click('button', 'Zoom in');
    await clerk.waitFor('125 %', '.viewer-tools');
    await clerk.click('button', 'Rotate');
    await page.waitForSelector('#page-4[data-turns="1"]');
    assert.deepEqual(await visibleFaults(page), []);
    await clerk.open(`/documents/${id}#page=3`);
    await page.waitForFunction('document.querySelector("[data-page-number]").value === "3"');
  });

  it('DOC-04 shows texts and mails as words only, and says why there is no preview', async () => {
    const clerk = await testSession(p, 'clerk');
    const mail = await stored(
      'letter.eml',
      'From: a@b.example\r\nSubject: Payoff\r\nContent-Type: text/html\r\n\r\n' +
        '<p>Pay <b>now</b><img src="https://tracker.example/x.png"><script>alert(1)</script>',
    );
    const shown = (await clerk.get(`/documents/${mail}?find=pay`)).text;
    assert.match(shown, /<mark>Pay<\/mark> now/);
    assert.doesNotMatch(shown, /tracker\.example|alert\(1\)/);
    const broken = await stored('broken.pdf', '%PDF-1.4 nothing');
    assert.match((await clerk.get(`/documents/${broken}`)).text, /not a whole PDF file/);
    assert.match((await clerk.get(`/documents/${broken}?find=%22`)).text, /Find in this document/);
    assert.equal((await clerk.get('/documents/999999')).status, 404);
  });

  it('DOC-04 WEB-01 the text of a new document appears once it has been read', async (t) => {
    const { AttachmentID } = await admin.save('attachment', {
      Object: 'Foreclosure',
      ObjectID: caseId,
      FileName: 'new.txt',
      Content: Buffer.from('Words of a new document').toString('base64'),
    });
    const clerk = await visitor(t, p, 'clerk');
    await clerk.open(`/documents/${String(AttachmentID)}`);
    await clerk.waitFor('The text of this document is being read.');
    assert.equal((await p.admin.post('/api/attachment/readtext', {})).status, 200);
    await clerk.waitFor('Words of a new document');
  });

  it('DOC-04 WEB-01 an earlier version is shown, and restored', async () => {
    const clerk = await testSession(p, 'clerk');
    const id = await stored('v.pdf', await pdfOf('first'));
    await admin.save('attachment', { ID: id, FileName: 'v.pdf', Content: (await pdfOf('second')).toString('base64') });
    assert.match((await clerk.get(`/documents/${id}`)).text, /Version 2/);
    const earlier = (await clerk.get(`/documents/${id}?version=1`)).text;
    assert.match(earlier, /This is version 1 of 2/);
    assert.match(earlier, /PageNumber=1&amp;Width=900&amp;Version=1/);
    const restored = await clerk.post(`/documents/${id}`, { Version: '1' });
    assert.equal(restored.location, `/documents/${id}?done=restored`);
    assert.match((await clerk.get(`/documents/${id}`)).text, /Version 3/);
  });

  it('DOC-16 WEB-04 by keyboard: a legal hold is placed in a dialog, and undone', async (t) => {
    const id = await stored('held.txt', 'kept');
    await p.user('counsel', 'Administrator');
    const counsel = await visitor(t, p, 'counsel');
    const { page } = counsel;
    await counsel.open(`/documents/${id}`);
    const opener = '[data-dialog=place-hold]';
    await page.focus(opener);
    await counsel.keys('Enter');
    await page.waitForSelector('dialog[open] #hold-reason');
    assert.deepEqual(await visibleFaults(page), []);
    await counsel.keys('Escape');
    await page.waitForFunction(`document.activeElement?.matches('${opener}')`);
    await counsel.keys('Enter');
    await page.focus('#hold-reason');
    await page.keyboard.type('Smith v. Alder');
    await counsel.keys('Tab', 'Tab', 'Tab');
    assert.equal(await counsel.focused(), 'Place hold');
    await counsel.follow(() => counsel.keys('Enter'));
    await counsel.waitFor('Legal hold placed', '.toast');
    await counsel.waitFor('placed by counsel: Smith v. Alder', '.viewer-notes');
    await screenshot(page, 'legal-hold');
    assert.deepEqual(await visibleFaults(page), []);
    await counsel.follow(() => counsel.keys('z'));
    await counsel.waitFor('Legal hold released', '.toast');
  });
});

describe('converting documents', () => {
  it(
    'DOC-08 WEB-01 by keyboard: a text becomes a PDF beside it, then its next version; progress is shown',
    { skip: browserMissing },
    async (t) => {
      const id = await stored('letter.html', '<p>The payoff amount</p>');
      const clerk = await visitor(t, p, 'clerk');
      const { page } = clerk;
      await clerk.open(`/documents/${id}`);
      await page.focus('[data-convert] summary');
      await clerk.keys('Enter', 'ArrowDown');
      assert.match(await clerk.focused(), /Add as a new document/);
      await screenshot(page, 'convert-menu');
      assert.deepEqual(await visibleFaults(page), []);
      // The conversion is held back until its progress is seen.
      await p.platform.store.transaction({ personId: null, firm: null, callId: 'holds back' }, async (held) => {
        await held.query('lock table documentrendition in share mode');
        await clerk.keys('Enter');
        await clerk.waitFor('Converting to PDF', '[data-convert-progress]');
        await screenshot(page, 'convert-progress');
        assert.deepEqual(await visibleFaults(page), []);
      });
      await clerk.waitFor('Added as a PDF', '.toast');
      assert.notEqual(new URL(page.url()).pathname, `/documents/${id}`);
      assert.match(await clerk.waitFor('letter.pdf', 'h1'), /letter\.pdf/);
      assert.equal(await page.$('[data-convert]'), null, 'a PDF file is not converted');
      await clerk.open(`/documents/${id}`);
      await page.focus('[data-convert] summary');
      await clerk.keys('Enter', 'ArrowUp');
      assert.match(await clerk.focused(), /Save as version 2/);
      await clerk.follow(() => clerk.keys('Enter'));
      assert.equal(new URL(page.url()).pathname, `/documents/${id}`);
      await clerk.waitFor('Version 2', '.viewer-head');
    },
  );

  it('DOC-08 a failed conversion says why, and which setting an administrator changes', async () => {
    const id = await stored('a.rtf', '{\\rtf1 hello}');
    await admin.save('setting', { Setting: 'LibreOfficeCommand', Value: 'soffice-that-is-not-there' });
    try {
      await p.user('operator', 'Administrator');
      for (const [name, words] of [
        ['clerk', /An administrator can change the setting LibreOfficeCommand/],
        ['operator', /href="\/administration\/settings\?Text=LibreOfficeCommand"/],
      ] as const) {
        const user = await testSession(p, name);
        const refused = await user.post(`/documents/${id}`, { Action: 'convert', Result: 'document' });
        assert.equal(refused.status, 503);
        assert.match(refused.text, /soffice-that-is-not-there is not installed/);
        assert.match(refused.text, words);
      }
    } finally {
      await admin.save('setting', { Setting: 'LibreOfficeCommand', Value: '' });
    }
    const viewer = await testSession(p, 'analyst');
    assert.doesNotMatch((await viewer.get(`/documents/${await stored('a.bin', 'x\0y')}`)).text, /data-convert>/);
  });
});

describe('several documents', () => {
  it('DOC-04 WEB-01 without script: one is added, two are moved to a type, downloaded, deleted and brought back', async () => {
    const clerk = await testSession(p, 'clerk');
    const path = `/case/foreclosure/${caseId}`;
    const form = new FormData();
    for (const [name, value] of Object.entries({
      Object: 'Foreclosure',
      ObjectID: String(caseId),
      _csrf: await clerk.csrf(),
    }))
      form.append(name, value);
    form.append('Content', new Blob(['plain']), 'plain.txt');
    const sent = await fetch(`${p.url}/documents/upload`, {
      method: 'POST',
      body: form,
      redirect: 'manual',
      headers: { Cookie: clerk.cookie },
    });
    assert.equal(sent.headers.get('location'), `${path}?tab=documents&done=uploaded`, await sent.text());
    const ids = [await stored('one.txt', 'one'), await stored('two.pdf', await pdfOf('two'))].map(String);
    const moved = await clerk.post('/documents/bulk', {
      ID: ids,
      Action: 'move',
      TypeID: String(letterType),
      Path: path,
    });
    assert.match(moved.location ?? '', /did=move/);
    assert.match((await clerk.get(moved.location ?? '')).text, /2 documents moved/);
    const zip = await clerk.post('/documents/bulk', { ID: ids, Action: 'zip', Path: path });
    const file = await fetch(p.url + String(zip.location), { headers: { Cookie: clerk.cookie } });
    assert.equal(file.headers.get('content-type'), 'application/zip');
    assert.match(Buffer.from(await file.arrayBuffer()).toString('latin1'), /^PK[^]*one\.txt[^]*two\.pdf/);
    const deleted = await clerk.post('/documents/bulk', { ID: ids, Action: 'delete', Path: path });
    const left = (await clerk.get(deleted.location ?? '')).text;
    assert.match(left, /2 documents deleted/);
    assert.doesNotMatch(left, />one\.txt</);
    await clerk.post('/documents/bulk', { ID: ids, Action: 'restore', Path: path });
    assert.match((await clerk.get(`${path}?tab=documents`)).text, />one\.txt</);
    assert.equal((await clerk.post('/documents/bulk', { Action: 'delete', Path: path })).status, 400);
  });

  it('DOC-13 the list of a case finds words in its documents, filters by type and sorts', async () => {
    const clerk = await testSession(p, 'clerk');
    await stored('walrus.pdf', await pdfOf('the walrus'), { AttachmentTemplateID: letterType });
    const at = `/case/foreclosure/${caseId}?tab=documents`;
    const found = (await clerk.get(`${at}&find=walrus`)).text;
    assert.match(found, /<mark>walrus<\/mark>/);
    assert.match(found, /href="\/documents\/\d+\?find=walrus#page=1"/);
    assert.match((await clerk.get(`${at}&find=zeppelin`)).text, /No documents match/);
    const sorted = (await clerk.get(`${at}&type=${letterType}&order=-FileSize`)).text;
    assert.match(sorted, /aria-sort="descending"[^]*walrus\.pdf/);
  });
});

describe('documents beside a task', () => {
  it('DOC-04 WEB-02 the form of a task has the pages of the newest document of its case beside it', async () => {
    const clerk = await testSession(p, 'clerk');
    await admin.save('importformtemplate', { ImportFormTemplate: 'Read it', AppliesTo: 'Foreclosure' });
    const task = await admin.save('importform', { Template: 'Read it', Object: 'Foreclosure', ObjectID: caseId });
    const id = await stored('to read.pdf', await pdfOf('one', 'two'));
    const { text } = await clerk.get(`/form/${task['ImportFormID']}`);
    assert.match(text, new RegExp(`data-beside aria-current="true">[^]*to read\\.pdf[^]*data-pages="2"`));
    assert.match(text, new RegExp(`pageimage\\?ID=${id}&amp;PageNumber=2`));
    assert.doesNotMatch((await clerk.get('/form/new?Template=Read+it')).text, /documents-beside/);
  });
});

describe('document types', () => {
  /** Creates a type, and opens its page as the analyst. */
  async function typeOf(fields: Record<string, string>): Promise<number> {
    const row = await admin.save('attachmenttemplate', { AppliesTo: 'Foreclosure', ...fields });
    return Number(row['AttachmentTemplateID']);
  }

  it('DOC-14 WEB-04 the generator and its options are saved from the page; what is wrong stays entered', async () => {
    const analyst = await testSession(p, 'analyst');
    const at = `/configure/documents/${await typeOf({ AttachmentTemplate: 'Table' })}`;
    const version = /name="Version" value="(\d+)"/.exec((await analyst.get(at)).text)?.[1] ?? '';
    const form = {
      Action: 'type',
      Version: version,
      AttachmentService: 'DelimitedGenerator',
      AppliesTo: 'Foreclosure',
    };
    const saved = await analyst.post(at, { ...form, 'option-Delimiter': ';' });
    assert.equal(saved.location, `${at}?done=saved`, saved.text);
    const shown = (await analyst.get(`${at}?record=${caseId}`)).text;
    assert.match(shown, /name="option-Delimiter"[^>]*value=";"|value=";"[^>]*name="option-Delimiter"/);
    assert.match(shown, /<pre class="text-sheet">[^<]*DOC-26-1/);
    const conflict = await analyst.post(at, { ...form, 'option-Delimiter': '|' });
    assert.equal(conflict.status, 409);
    assert.match(conflict.text, /value="\|"/);
    assert.equal((await (await testSession(p, 'clerk')).get(at)).status, 200);
  });

  it(
    'DOC-14 WEB-04 a template is uploaded with its problems beside it, previewed on a case, and used',
    { skip: browserMissing },
    async (t) => {
      const id = await typeOf({ AttachmentTemplate: 'Payoff', AttachmentService: 'PdfGenerator' });
      const analyst = await visitor(t, p, 'analyst');
      const { page } = analyst;
      analyst.expectProblem('422');
      const upload = async (text: string): Promise<void> => {
        const path = join(folder, 'payoff.html');
        writeFileSync(path, text);
        await chooseFile(page, '#template input[type=file]', path);
        await analyst.follow(() => page.click('#template button[name=Action]'));
      };
      await analyst.open(`/configure/documents/${id}`);
      await upload('<h1>Payoff</h1><p>{Foreclosre}</p>');
      await analyst.waitFor('{Foreclosre} names no field');
      await upload('<h1>Payoff</h1><p>Case {Foreclosure}</p>');
      await analyst.waitFor('The template has no problems.');
      await page.type('#preview [name=record]', String(caseId));
      await analyst.follow(() => analyst.keys('Enter'));
      await page.waitForFunction('document.querySelector(".preview-page")?.naturalWidth === 900');
      await screenshot(page, 'document-type');
      assert.deepEqual(await visibleFaults(page), []);
      const clerk = await testSession(p, 'clerk');
      const query = `Object=Foreclosure&ObjectID=${caseId}&TemplateID=${id}`;
      assert.match((await clerk.get(`/documents/generate?${query}`)).text, /previewimage\?ID=/);
      const made = await clerk.post('/documents/generate', {
        Object: 'Foreclosure',
        ObjectID: String(caseId),
        TemplateID: String(id),
      });
      assert.match(made.location ?? '', /^\/documents\/\d+$/, made.text);
      assert.match((await clerk.get(made.location ?? '')).text, /Payoff\.pdf|<bdi>Payoff/);
    },
  );
});

describe('documents in quarantine', { skip: browserMissing }, () => {
  it('DOC-03 DOC-04 WEB-04 are marked in the list, not shown in the viewer, and released by an administrator with a reason', async (t) => {
    await admin.expectOk('setting/save', { Setting: 'MalwareScanner', Value: '127.0.0.1:1' });
    const { ForeclosureID: ObjectID } = await admin.save('foreclosure', { Foreclosure: 'DOC-26-2' });
    const id = await stored('invoice.pdf', await pdfOf('an invoice'), { ObjectID });
    const late = await stored('late.pdf', await pdfOf('late'), { ObjectID });
    const state = { Infected: [id, 'Win.Test.Sample-1'], Waiting: [late, null] };
    for (const [name, [document, found]] of Object.entries(state))
      await p.platform.store.query(
        'update attachment set scanstate = $2::text, scanresult = $3::text where attachmentid = $1::bigint',
        [document, name, found],
      );
    await p.user('guard', 'Administrator');
    const guard = await visitor(t, p, 'guard');
    const { page } = guard;
    for (const [width, scheme] of [
      [1440, 'light'],
      [390, 'dark'],
    ] as const) {
      await page.setViewport({ width, height: 900 });
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
      await guard.open(`/case/foreclosure/${String(ObjectID)}?tab=documents`);
      await guard.waitFor('Malware: in quarantine', `#document-${id}`);
      await guard.waitFor('Waiting for malware scan', `#document-${late}`);
      await screenshot(page, `quarantine-list-${width}`);
      assert.deepEqual(await visibleFaults(page), []);
      await guard.open(`/documents/${late}?find=late`);
      await guard.waitFor('This file is waiting for its malware scan.');
      assert.doesNotMatch(await page.content(), /Download/);
      await screenshot(page, `quarantine-waiting-${width}`);
      await guard.open(`/documents/${id}`);
      await guard.waitFor('Malware was found in this file: Win.Test.Sample-1');
      await screenshot(page, `quarantine-viewer-${width}`);
      assert.deepEqual(await visibleFaults(page), []);
      await guard.open(`/documents/${id}/quarantine`);
      await screenshot(page, `quarantine-release-${width}`);
      assert.deepEqual(await visibleFaults(page), []);
    }
    await page.type('#release-reason', 'a false alarm');
    await guard.follow(() => guard.click('button', 'Release file'));
    assert.equal(new URL(page.url()).pathname, `/documents/${id}`);
    await guard.waitFor('Released from quarantine');
    await guard.waitFor('Download');
    const clerk = await testSession(p, 'clerk');
    const refused = await clerk.get(`/documents/${late}/quarantine`);
    assert.match(refused.text, /don(?:'|&#39;)t have permission to release/);
    await admin.expectOk('setting/save', { Setting: 'MalwareScanner', Value: '' });
    assert.match((await clerk.get(`/documents/${late}`)).text, /Download/);
  });
});
