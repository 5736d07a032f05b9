import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, describe, it } from 'node:test';
import { FILE_OBJECT } from '../../../src/contracts/file-object.ts';
import { testPlatform } from '../../support/platform.ts';

const on = await testPlatform({ after });
const firm = await on.firm('Alder Law');
const other = await on.firm('Birch Law');
const files = on.platform.providers.get(FILE_OBJECT, 'Local');
const stored = async (): Promise<string[]> => {
  const paths: string[] = [];
  for await (const path of files.list('/', { depth: 5 })) paths.push(path);
  return paths;
};
const caseOf = async (organizationId: number): Promise<number> =>
  Number(
    (
      await on.admin.post('/api/foreclosure/save?Output=Json', { Foreclosure: 'A-1', OrganizationID: organizationId })
    ).json()['ForeclosureID'],
  );
const template = Number(
  (
    await on.admin.post('/api/attachmenttemplate/save?Output=Json', { AttachmentTemplate: 'Any', Repeatable: 'Many' })
  ).json()['AttachmentTemplateID'],
);
const base64 = (content: string | Uint8Array): string => Buffer.from(content as string).toString('base64');
const save = (values: object) => on.admin.post('/api/attachment/save?Output=Json', { TemplateID: template, ...values });

describe('documents', () => {
  it('are stored with their name, size, hash and type, under the path of their record', async () => {
    const id = await caseOf(firm.organizationId);
    const pdf = Buffer.from('%PDF-1.7\n1 0 obj <<>> endobj\ntrailer <<>>\n%%EOF\n');
    const made = (
      await save({ Object: 'Foreclosure', ObjectID: id, FileName: 'Überblick 1.pdf', Content: base64(pdf) })
    ).json();
    assert.deepEqual(
      [made['FileName'], made['Attachment'], made['FileSize'], made['MimeType'], made['FileHash']],
      [
        'Überblick 1.pdf',
        'Überblick 1.pdf',
        pdf.length,
        'application/pdf',
        createHash('sha256').update(pdf).digest('hex'),
      ],
    );
    assert.match(String(made['FilePath']), new RegExp(`^/Foreclosure/${id}/[0-9a-f-]{36}/Überblick 1\\.pdf$`));
    const download = await on.admin.get(`/api/attachment/download?ID=${String(made['AttachmentID'])}`);
    assert.deepEqual(
      [download.status, download.text, download.headers.get('content-type'), download.headers.get('content-length')],
      [200, pdf.toString(), 'application/pdf', String(pdf.length)],
    );
    assert.match(
      download.headers.get('content-disposition') ?? '',
      /^attachment; filename="_berblick 1\.pdf"; filename\*=UTF-8''%C3%9Cberblick%201\.pdf$/,
    );
  });

  it('are recognized by their content, not by their name; a name decides only among types of text', async () => {
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    );
    for (const [name, content, mime] of [
      ['picture.pdf', png, 'image/png'],
      ['page.html', '<script>1</script>', 'text/html'],
      ['notes.txt', 'plain', 'text/plain'],
      ['thing.bin', 'plain', 'application/octet-stream'],
    ] as const) {
      assert.equal((await save({ FileName: name, Content: base64(content) })).json()['MimeType'], mime, name);
    }
  });

  it('are always saved by a browser, never shown inline', async () => {
    const made = (await save({ FileName: 'page.html', Content: base64('<script>alert(1)</script>') })).json();
    const download = await on.admin.get(`/api/attachment/download?ID=${String(made['AttachmentID'])}`);
    assert.match(download.headers.get('content-disposition') ?? '', /^attachment/);
    assert.equal(download.headers.get('x-content-type-options'), 'nosniff');
    assert.match(download.headers.get('content-security-policy') ?? '', /default-src 'none'/);
  });

  it('refuse names that are paths, hidden or break a header, and store nothing', async () => {
    const before = await stored();
    for (const name of [
      '../../etc/passwd',
      '/etc/passwd',
      'a/b.txt',
      'a\\b.txt',
      '..',
      '.',
      ' ',
      'a\r\nX-Evil: 1',
      'a\u0000b',
      'x'.repeat(256),
    ]) {
      const answer = await save({ FileName: name, Content: base64('x') });
      assert.equal(answer.status, 400, JSON.stringify(name));
    }
    assert.deepEqual(await stored(), before);
  });

  it('refuse content that is not base64, content without a name, and an unknown token', async () => {
    const before = await stored();
    for (const [body, field] of [
      [{ FileName: 'a.txt', Content: '***' }, 'Content'],
      [{ Content: base64('x') }, 'FileName'],
      [{ FileName: 'a.txt', Staged: 'bm90IGEgdG9rZW4' }, 'Staged'],
      [{ FileName: 'a.txt', Staged: '/etc/passwd' }, 'Staged'],
    ] as const) {
      const answer = await save(body);
      assert.equal(answer.status, 400, answer.text);
      assert.match(answer.text, new RegExp(field));
    }
    assert.deepEqual(await stored(), before);
  });

  it('KRN-23 leave no file behind when the record is refused', async () => {
    const before = await stored();
    for (const body of [
      { Object: 'Foreclosure', ObjectID: 999_999 },
      { Nonsense: 1 },
      { Object: 'Nothing', ObjectID: 1 },
    ])
      assert.notEqual((await save({ FileName: 'a.txt', Content: base64('x'), ...body })).status, 200);
    assert.deepEqual(await stored(), before);
  });

  it('KRN-20 keep the file that new content replaces, for history', async () => {
    const made = (await save({ FileName: 'v.txt', Content: base64('one') })).json();
    const id = made['AttachmentID'];
    const again = (await save({ ID: id, FileName: 'v.txt', Content: base64('two') })).json();
    assert.notEqual(again['FilePath'], made['FilePath']);
    assert.equal((await on.admin.get(`/api/attachment/download?ID=${String(id)}`)).text, 'two');
    assert.ok((await stored()).includes(String(made['FilePath'])));
    const history = await on.admin.get(`/api/attachment/history?ID=${String(id)}&Output=Json`);
    assert.match(history.text, new RegExp(createHash('sha256').update('one').digest('hex')));
  });

  it('cannot be pointed at another file: computed fields are ignored', async () => {
    const victim = (await save({ FileName: 'v.txt', Content: base64('victim') })).json();
    const made = (await save({ FileName: 'a.txt', Content: base64('mine') })).json();
    const changed = await save({
      ID: made['AttachmentID'],
      FilePath: victim['FilePath'],
      FileObject: 'Other',
      Sealed: true,
      FileSize: 1,
      MimeType: 'text/html',
    });
    assert.match(changed.text, /COMPUTED_FIELD/);
    assert.equal((await on.admin.get(`/api/attachment/download?ID=${String(made['AttachmentID'])}`)).text, 'mine');
  });

  it('KRN-18 can be downloaded only by firms that can see their record', async () => {
    const id = await caseOf(firm.organizationId);
    const made = (
      await save({ Object: 'Foreclosure', ObjectID: id, FileName: 'a.txt', Content: base64('of the firm') })
    ).json();
    const path = `/api/attachment/download?ID=${String(made['AttachmentID'])}`;
    assert.equal((await firm.caller.get(path)).text, 'of the firm');
    assert.equal((await other.caller.get(path)).status, 404);
    assert.equal((await on.anonymous.get(path)).status, 401);
  });

  it('report a file missing from its storage as 503, and a document without a file as 404', async () => {
    const made = (await save({ FileName: 'a.txt', Content: base64('x') })).json();
    await files.delete(String(made['FilePath']));
    assert.equal((await on.admin.get(`/api/attachment/download?ID=${String(made['AttachmentID'])}`)).status, 503);
    const bare = (await save({ FileName: 'no-content.txt' })).json();
    assert.equal((await on.admin.get(`/api/attachment/download?ID=${String(bare['AttachmentID'])}`)).status, 404);
  });
});
