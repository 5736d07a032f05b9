import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, describe, it } from 'node:test';
import { FILE_OBJECT } from '../../../src/contracts/file-object.ts';
import { client, type Row } from '../../support/client.ts';
import { testPlatform } from '../../support/platform.ts';

const p = await testPlatform({ after });
const admin = client(p);

const save = (content: string, fields: object = {}): Promise<Row> =>
  admin.save('attachment', {
    FileName: 'deed.txt',
    Content: Buffer.from(content).toString('base64'),
    ...fields,
  });
const document = async (content: string, fields: object = {}): Promise<unknown> =>
  (await save(content, fields))['AttachmentID'];
const duplicates = async (id: unknown, among?: readonly unknown[]): Promise<unknown[]> =>
  (await admin.expectRows('attachment/getduplicates', { ID: id, ...(among && { CompareID: among }) })).map(
    ({ AttachmentID }) => AttachmentID,
  );

describe('duplicates of a document', () => {
  it('DOC-10 are the documents with the same content, all or among those named', async () => {
    const [one, other] = [await document('the deed'), await document('another deed')];
    const [two, three] = [await document('the deed', { FileName: 'copy.txt' }), await document('the deed')];
    assert.deepEqual(await duplicates(one), [three, two]);
    assert.deepEqual(await duplicates(one, [one, other, two]), [two]);
    assert.deepEqual(await duplicates(other), []);
    await admin.expectRefused('attachment/getduplicates', { ID: one, CompareID: [999_999] }, 'NOT_FOUND', 'CompareID');
    // A new content is compared by what it is now.
    await save('another deed', { ID: two });
    assert.deepEqual([await duplicates(one), await duplicates(other)], [[three], [two]]);
  });

  it("DOC-10 KRN-18 do not include other firms' documents", async () => {
    await admin.save('role', { Role: 'Comparer', Permissions: 'AttachmentGetDuplicates' });
    const [alder, birch] = [await p.firm('Alder Law', 'Comparer'), await p.firm('Birch Law')];
    const caseOf = async (name: string, organizationId: number): Promise<unknown> =>
      (await admin.save('foreclosure', { Foreclosure: name, OrganizationID: organizationId }))['ForeclosureID'];
    const parents = [await caseOf('A-1', alder.organizationId), await caseOf('B-1', birch.organizationId)];
    const { AttachmentTemplateID } = await admin.save('attachmenttemplate', { AttachmentTemplate: 'Letter' });
    const [mine, theirs] = await Promise.all(
      parents.map((ObjectID) => document('a shared letter', { Object: 'Foreclosure', ObjectID, AttachmentTemplateID })),
    );
    assert.deepEqual(await duplicates(mine), [theirs]);
    const firm = client(p, alder.caller);
    assert.deepEqual(await firm.expectRows('attachment/getduplicates', { ID: mine }), []);
    await firm.expectRefused('attachment/getduplicates', { ID: mine, CompareID: theirs }, 'NOT_FOUND', 'CompareID');
  });
});

describe('hashes of a document', () => {
  it('DOC-10 are calculated and stored: SHA-256, or SHA-1 and MD5 beside it, until the content is replaced', async () => {
    const id = await document('the deed');
    const expected = (name: string): string => createHash(name).update('the deed').digest('hex');
    for (const [sent, name, column] of [
      [undefined, 'sha256', 'FileHash'],
      ['SHA1', 'sha1', 'FileSha1'],
      ['md5', 'md5', 'FileMd5'],
      ['SHA-256', 'sha256', 'FileHash'],
    ] as const) {
      const { FileHash } = await admin.expectOk('attachment/savefilehash', {
        ID: id,
        ...(sent && { Algorithm: sent }),
      });
      assert.equal(FileHash, expected(name));
      assert.equal((await admin.select('attachment', id))[column], expected(name));
    }
    await admin.expectRefused('attachment/savefilehash', { ID: id, Algorithm: 'CRC' }, 'BAD_PARAMETER', 'Algorithm');
    const [found] = await admin.expectRows('attachment/search', { FileSha1: expected('sha1') });
    assert.equal(found?.['AttachmentID'], id);
    await save('a new deed', { ID: id });
    const { FileSha1, FileMd5, FileHash } = await admin.select('attachment', id);
    assert.deepEqual([FileSha1 ?? null, FileMd5 ?? null, FileHash === expected('sha256')], [null, null, false]);
  });

  it('DOC-10 are refused for a damaged file, whose SHA-256 stays as it was', async () => {
    const id = await document('to be damaged');
    const before = (await admin.select('attachment', id))['FileHash'];
    await admin.save('fileobject', { FileObject: 'Cellar', FileObjectType: 'database' });
    await admin.expectRows('attachment/movefile', { ID: id, FileObject: 'Cellar', PathURL: '/damaged.txt' });
    await p.platform.settings.fresh();
    const files = p.platform.providers.get(FILE_OBJECT, 'Cellar');
    await files.delete('/damaged.txt');
    await files.write(
      '/damaged.txt',
      (async function* () {
        yield Buffer.from('to be demaged');
      })(),
    );
    for (const Algorithm of ['SHA256', 'MD5'])
      await admin.expectRefused('attachment/savefilehash', { ID: id, Algorithm }, 'UNAVAILABLE');
    const after = await admin.select('attachment', id);
    assert.deepEqual([after['FileHash'], after['FileMd5'] ?? null], [before, null]);
  });

  it('DOC-10 KRN-21 of a document that becomes sealed are removed, also from its history', async () => {
    const id = await document('123-45-6789');
    await admin.expectOk('attachment/savefilehash', { ID: id, Algorithm: 'MD5' });
    await admin.expectRows('attachment/movefile', { ID: id, FileObject: 'Local', Sealed: true });
    const md5 = createHash('md5').update('123-45-6789').digest('hex');
    const [row] = await p.platform.store.query<{ hash: string | null; history: string }>(
      `select filemd5 as hash, (select string_agg(old::text, ' ') from history
         where tablename = 'attachment' and recordid = attachmentid) as history
       from attachment where attachmentid = $1::bigint`,
      [Number(id)],
    );
    assert.deepEqual([row?.hash, row?.history.includes(md5)], [null, false]);
    await admin.expectRefused('attachment/savefilehash', { ID: id }, 'STATE_REFUSES', 'ID');
    await admin.expectRefused('attachment/getduplicates', { ID: id }, 'STATE_REFUSES', 'ID');
  });
});
