import assert from 'node:assert/strict';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { createPdfPicture, pdfOf, scanOf } from '../../support/documents.ts';
import { tesseractMissing } from '../../support/peers/tesseract.ts';
import { testPlatform } from '../../support/platform.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const p = await testPlatform({ after });
const folder = temporaryFolder({ after });

async function upload(name: string, content: string | Buffer): Promise<number> {
  const body = { FileName: name, Content: Buffer.from(content).toString('base64') };
  const answer = await p.admin.post('/api/attachment/save?Output=Json', body);
  assert.equal(answer.status, 200, answer.text);
  return Number(answer.json()['AttachmentID']);
}

async function status(id: number): Promise<Record<string, unknown>> {
  const answer = await p.admin.get(`/api/attachment/textstatus?Output=Json&ID=${id}`);
  const { AttachmentCollection: list } = answer.json() as Record<string, { AttachmentItem: Record<string, unknown>[] }>;
  return list?.AttachmentItem[0] ?? {};
}

async function description(id: number): Promise<unknown> {
  return (await p.admin.get(`/api/attachment/select?Output=Json&ID=${id}`)).json()['Description'];
}

async function setting(name: string, value: string): Promise<void> {
  const answer = await p.admin.post('/api/setting/save', { Setting: name, Value: value });
  assert.equal(answer.status, 200, answer.text);
}

/** Writes a program that recognizes as the script says, and sets it. */
async function useProgram(script: string): Promise<void> {
  const path = join(folder, `tesseract-${crypto.randomUUID().slice(0, 8)}`);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  await setting('OcrCommand', path);
}

describe('text of documents', () => {
  it('DOC-07 ocrtodescription puts the text of several documents into their descriptions', async () => {
    const ids = [
      await upload('a.pdf', await pdfOf('first page', 'second page')),
      await upload('b.html', '<p>a &amp; b'),
    ];
    const answer = await p.admin.get(`/api/attachment/ocrtodescription?Output=Json&ID=${ids.join(',')}`);
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(
      [await description(ids[0] ?? 0), await description(ids[1] ?? 0)],
      ['first page\n\nsecond page', 'a & b'],
    );
    assert.deepEqual((await status(ids[0] ?? 0))['State'], 'Ready');
  });

  it('DOC-07 a file that cannot be read says why, once, and is not tried again by itself', async () => {
    const id = await upload('broken.pdf', '%PDF-1.4 nothing');
    await p.admin.post('/api/attachment/readtext', {});
    const { State, Reason, UpdatedDate } = await status(id);
    assert.deepEqual([State, Reason], ['Failed', 'The file is damaged: it is not a whole PDF file.']);
    await p.admin.post('/api/attachment/readtext', {});
    assert.equal((await status(id))['UpdatedDate'], UpdatedDate);
    const refused = await p.admin.get(`/api/attachment/ocrtodescription?Output=Json&ID=${id}`);
    assert.equal(refused.status, 422);
    assert.match(refused.text, /not a whole PDF file/);
  });

  it('DOC-07 without the program, text pages are found and the error names the setting', async () => {
    await setting('OcrCommand', 'tesseract-that-is-not-there');
    const id = await upload('scan.pdf', await scanOf('', 'this page has enough letters to be read'));
    const refused = await p.admin.get(`/api/attachment/ocrtodescription?Output=Json&ID=${id}`);
    assert.equal(refused.status, 503);
    assert.match(refused.text, /OCR_UNAVAILABLE.*tesseract-that-is-not-there is not installed.*OcrCommand/);
    const { State, PagesRead, Pictures, Recognized } = await status(id);
    assert.deepEqual([State, PagesRead, Pictures, Recognized], ['Unrecognized', 2, 1, 0]);
    const found = await p.admin.get('/api/attachment/search?Output=Json&FullText="enough letters"');
    assert.match(found.text, /"PageNumber":2/);
  });

  it('DOC-07 a setting starts no other program than one named tesseract', async () => {
    for (const value of ['/bin/sh', 'tesseract; rm -rf /', '/tmp/../bin/tesseract', 'sh tesseract']) {
      const refused = await p.admin.post('/api/setting/save', { Setting: 'OcrCommand', Value: value });
      assert.equal(refused.status, 400, value);
    }
  });

  it('DOC-07 a page that cannot be recognized in time has no text, and the others do', async () => {
    await setting('OcrPageSeconds', '3');
    const page = String.raw`1\t1\t0\t0\t0\t0\t0\t0\t100\t100\t-1\t\n`;
    const word = String.raw`5\t1\t1\t1\t1\t1\t10\t20\t30\t5\t96\tzebra\n`;
    const calls = join(folder, 'calls');
    await useProgram(`cat > /dev/null
      echo x >> ${calls}
      [ "$(wc -l < ${calls})" = 1 ] && exec sleep 60
      printf '${page}${word}'`);
    const id = await upload('two.pdf', await scanOf('', ''));
    const answer = await p.admin.get(`/api/attachment/ocrtodescription?Output=Json&ID=${id}`);
    assert.equal(answer.status, 200, answer.text);
    assert.equal(await description(id), 'zebra');
    const hits = await p.admin.get(`/api/attachment/findtext?Output=Json&ID=${id}&FullText=zebra`);
    assert.match(hits.text, /"PageNumber":2,.*"Boxes":"100,200,400,250"/);
  });

  it('DOC-07 a document whose reading ends the process again and again is given up', async () => {
    const id = await upload('poison.txt', 'poison');
    // As after three kills: each attempt had begun and stored nothing.
    await p.platform.store.query(
      `update documenttext set state = 'Reading', failures = 3, attempt = 3, namedue = false
       where attachmentid = $1::bigint`,
      [id],
    );
    await p.admin.post('/api/attachment/readtext', {});
    const { State, Reason } = await status(id);
    assert.deepEqual([State, Reason], ['Failed', 'Reading the file failed 3 times.']);
    await p.admin.post('/api/attachment/readtext', { ID: id });
    assert.equal((await status(id))['State'], 'Ready');
  });

  it('DOC-07 with AttachmentTextOnSave off, texts are read on request', async () => {
    await setting('AttachmentTextOnSave', 'false');
    const id = await upload('later.txt', 'wombat');
    await p.admin.post('/api/attachment/readtext', {});
    assert.equal((await status(id))['State'], 'Waiting');
    await p.admin.post('/api/attachment/readtext', { ID: id });
    assert.equal((await status(id))['State'], 'Ready');
    await setting('AttachmentTextOnSave', 'true');
  });
});

describe('recognition by Tesseract', { skip: tesseractMissing }, () => {
  it('DOC-07 reads pictures and the pages of a PDF that are pictures, and finds their words', async () => {
    await setting('OcrCommand', 'tesseract');
    await setting('OcrPageSeconds', '60');
    const text = 'Notice of trustee sale in case 26-CV-7654321';
    const picture = await createPdfPicture(text);
    const ids = [await upload('photo.png', picture), await upload('scan.pdf', await scanOf({ picture }))];
    const answer = await p.admin.get(`/api/attachment/ocrtodescription?Output=Json&ID=${ids.join(',')}`);
    assert.equal(answer.status, 200, answer.text);
    for (const id of ids) assert.match(String(await description(id)), /Notice of trustee sale in case 26-CV-7654321/);
    const found = await p.admin.get('/api/attachment/search?Output=Json&FullText=26CV7654321');
    assert.equal(found.text.match(/"PageNumber":1/g)?.length, 2, found.text);
    const hits = await p.admin.get(`/api/attachment/findtext?Output=Json&ID=${ids[1]}&FullText=trustee`);
    const [left = 0, top = 0] = /"Boxes":"([\d,]+)"/.exec(hits.text)?.[1]?.split(',').map(Number) ?? [];
    assert.ok(left > 150 && left < 300 && top > 80 && top < 140, hits.text);
  });
});
