import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { client } from '../../support/client.ts';
import { testSession } from '../../support/pages/session.ts';
import { testPlatform } from '../../support/platform.ts';
import { readFileSync } from 'node:fs';
import { browserMissing } from '../../support/browser/browser.ts';
import { libreOfficeMissing } from '../../support/peers/libreoffice.ts';

const p = await testPlatform({ after });
const admin = client(p);
const { ForeclosureID } = await admin.save('foreclosure', { Foreclosure: 'A-1' });
const onCase = { Object: 'Foreclosure', ObjectID: ForeclosureID };
await admin.save('attachmenttemplate', { AttachmentTemplate: 'Report', AttachmentService: 'PdfGenerator' });
await admin.save('attachmenttemplate', { AttachmentTemplate: 'Package', AttachmentService: 'MergedPdfGenerator' });

async function printingHealth(): Promise<Readonly<Record<string, unknown>> | undefined> {
  return (await admin.expectRows('system/health')).find(({ Health }) => Health === 'Printing');
}

describe('printed documents', () => {
  it('DOC-02 the health report and the answer name the setting if Chromium is missing', async () => {
    await admin.save('setting', { Setting: 'ChromiumCommand', Value: 'chromium-that-is-not-there' });
    const { State, Advice } = (await printingHealth()) ?? {};
    assert.equal(State, 'warning');
    assert.match(String(Advice), /ChromiumCommand/);
    const refused = await admin.expectRefused(
      'attachment/generate',
      { Template: 'Report', ...onCase },
      'CONVERTER_UNAVAILABLE',
    );
    assert.match(refused.message, /chromium-that-is-not-there is not installed/);
    for (const Value of ['bash', '/bin/sh', 'chromium --version', '/tmp/../bin/chromium'])
      await admin.expectRefused('setting/save', { Setting: 'ChromiumCommand', Value }, 'BAD_PARAMETER', 'Value');
    await admin.save('setting', { Setting: 'ChromiumCommand', Value: '' });
  });

  it(
    'DOC-01 DOC-02 reports of a case are printed, and combined to one PDF file',
    { skip: browserMissing },
    async () => {
      assert.equal((await printingHealth())?.['State'], 'ok');
      const ids: unknown[] = [];
      for (const FileName of ['one.pdf', 'two.pdf'])
        ids.push(
          (await admin.expectOk('attachment/generate', { Template: 'Report', FileName, ...onCase }))['AttachmentID'],
        );
      const made = await admin.expectOk('attachment/generate', { Template: 'Package', AttachmentID: ids, ...onCase });
      assert.deepEqual([made['FileName'], made['MimeType']], ['Package.pdf', 'application/pdf']);
      const answer = await p.admin.get(`/api/attachment/download?ID=${String(made['AttachmentID'])}`);
      assert.match(answer.text, /^%PDF-/);
    },
  );

  it('DOC-14 WEB-01 a Word letter is previewed as an image of its page', { skip: libreOfficeMissing }, async () => {
    const { AttachmentTemplateID: ID } = await admin.save('attachmenttemplate', {
      AttachmentTemplate: 'Word letter',
      AppliesTo: 'Foreclosure',
      AttachmentService: 'MailMergeGenerator',
    });
    await admin.save('attachment', {
      Object: 'AttachmentTemplate',
      ObjectID: ID,
      FileName: 'letter.docx',
      Content: readFileSync('samples/letters/reinstatement-letter.docx').toString('base64'),
    });
    const path = `ID=${String(ID)}&Object=Foreclosure&ObjectID=${String(ForeclosureID)}`;
    const answer = await p.admin.get(`/api/attachmenttemplate/previewimage?${path}`);
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.headers.get('content-type'), 'image/webp');
    await admin.expectRefused('attachmenttemplate/previewimage', { ID, ...onCase, PageNumber: 9 }, 'NOT_FOUND');
  });

  it('DOC-14 WEB-01 an HTML letter is previewed as its first page, or as text with the reason', async () => {
    const { AttachmentTemplateID: ID } = await admin.save('attachmenttemplate', {
      AttachmentTemplate: 'HTML letter',
      AppliesTo: 'Foreclosure',
      AttachmentService: 'MailMergeGenerator',
    });
    const Content = Buffer.from('<p>Dear {Foreclosure}</p>').toString('base64');
    await admin.save('attachment', { Object: 'AttachmentTemplate', ObjectID: ID, FileName: 'letter.html', Content });
    await p.user('paralegal', 'Staff');
    const paralegal = await testSession(p, 'paralegal');
    const path = `/documents/generate?Object=Foreclosure&ObjectID=${String(ForeclosureID)}&TemplateID=${String(ID)}`;
    if (browserMissing === false)
      assert.match((await paralegal.get(path)).text, /<img class="preview-page"[^>]*src="data:image\/webp;base64,/);
    await admin.save('setting', { Setting: 'ChromiumCommand', Value: 'chromium-that-is-not-there' });
    const { text } = await paralegal.get(path);
    assert.match(text, /ChromiumCommand[^]*<pre class="text-sheet">[^<]*Dear/);
    await admin.save('setting', { Setting: 'ChromiumCommand', Value: '' });
  });
});
