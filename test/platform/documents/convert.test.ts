import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { sweepRenditions } from '../../../src/modules/documents/attachment/lib/convert/sweep-renditions.ts';
import { client } from '../../support/client.ts';
import { testPlatform } from '../../support/platform.ts';
import { tiffOf } from '../../support/tiff.ts';

const p = await testPlatform({ after });
const admin = client(p);
const { ForeclosureID } = await admin.save('foreclosure', { Foreclosure: 'A-1' });
const onCase = { Object: 'Foreclosure', ObjectID: ForeclosureID };

function scan(width: number): string {
  return tiffOf({ width, height: 8, bytes: Buffer.alloc(8 * Math.ceil(width / 8)) }).toString('base64');
}

async function upload(FileName: string, Content: string): Promise<number> {
  return Number((await admin.save('attachment', { FileName, Content, ...onCase }))['AttachmentID']);
}

async function conversions(): Promise<number> {
  const [row] = await p.platform.store.query<{ count: number }>(
    'select count(*)::integer as count from documentrendition where filepath is not null',
  );
  return row?.count ?? 0;
}

describe('converted documents', () => {
  it('DOC-08 convert answers the document as PDF, and converts the same content once', async () => {
    const [one, two] = [await upload('a.tif', scan(16)), await upload('b.tif', scan(16))];
    const answers = await Promise.all([one, two, one].map((id) => p.admin.get(`/api/attachment/convert?ID=${id}`)));
    for (const { status, text } of answers) {
      assert.equal(status, 200, text);
      assert.match(text, /^%PDF-/);
    }
    assert.deepEqual([new Set(answers.map(({ text }) => text)).size, await conversions()], [1, 1]);
  });

  it('DOC-08 convertsave saves it on the same record once, or as a new version', async () => {
    const id = await upload('scan.tif', scan(24));
    const saved = await admin.expectRows('attachment/convertsave', { ID: id });
    const again = await admin.expectRows('attachment/convertsave', { ID: id });
    assert.deepEqual(again, saved);
    const made = await admin.expectOk('attachment/select', { ID: saved[0]?.['AttachmentID'] });
    assert.deepEqual(
      [made['FileName'], made['MimeType'], made['ObjectID']],
      ['scan.pdf', 'application/pdf', ForeclosureID],
    );
    for (let round = 0; round < 2; round++) await admin.expectRows('attachment/convertsave', { ID: id, Replace: true });
    const replaced = await admin.expectOk('attachment/select', { ID: id });
    assert.deepEqual([replaced['FileName'], replaced['FileVersion']], ['scan.pdf', 2]);
  });

  it('DOC-08 of several documents those that cannot be converted are named, and the others are saved', async () => {
    const [good, bad] = [
      await upload('good.tif', scan(32)),
      await upload('bad.bin', Buffer.from([1, 0, 2]).toString('base64')),
    ];
    const answer = await p.admin.get(`/api/attachment/convertsave?Output=Json&ID=${good},${bad}`);
    assert.match(answer.text, /"SourceID":\d+,"FileName":"good\.pdf"/);
    assert.match(answer.text, /UNREADABLE_DOCUMENT/);
    await admin.expectRefused('attachment/convertsave', { ID: bad }, 'UNREADABLE_DOCUMENT');
  });

  it('DOC-08 without the program the answer names its setting, which takes no other program', async () => {
    await admin.save('setting', { Setting: 'LibreOfficeCommand', Value: 'soffice-that-is-not-there' });
    const id = await upload('a.rtf', Buffer.from('{\\rtf1 hello}').toString('base64'));
    const refused = await admin.expectRefused('attachment/convert', { ID: id }, 'CONVERTER_UNAVAILABLE');
    assert.match(refused.message, /soffice-that-is-not-there is not installed.*LibreOfficeCommand/);
    const health = (await admin.expectRows('system/health')).find(({ Health }) => Health === 'Conversion');
    assert.equal(health?.['State'], 'warning');
    assert.match(String(health?.['Advice']), /LibreOfficeCommand/);
    for (const Value of ['bash', '/bin/sh', 'soffice --accept', '/tmp/../bin/soffice'])
      await admin.expectRefused('setting/save', { Setting: 'LibreOfficeCommand', Value }, 'BAD_PARAMETER', 'Value');
    await admin.save('setting', { Setting: 'LibreOfficeCommand', Value: '' });
  });

  it('DOC-08 a result that nobody has used for long is removed', async () => {
    assert.ok((await conversions()) > 0);
    await p.platform.store.query("update documentrendition set useddate = now() - interval '31 days'");
    await sweepRenditions.run(p.platform);
    assert.equal(await conversions(), 0);
  });
});
