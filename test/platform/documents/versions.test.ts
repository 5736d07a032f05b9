import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { FILE_OBJECT } from '../../../src/contracts/file-object.ts';
import { sweepStoredFiles } from '../../../src/modules/documents/attachment/lib/sweep-stored-files.ts';
import { client, type Client, type Row } from '../../support/client.ts';
import { testPlatform } from '../../support/platform.ts';

const p = await testPlatform({ after });
const admin = client(p);
const alder = await p.firm('Alder Law');
const birch = await p.firm('Birch Law');
const { AttachmentTemplateID } = await admin.save('attachmenttemplate', { AttachmentTemplate: 'Letter' });
const { ForeclosureID } = await admin.save('foreclosure', {
  Foreclosure: 'A-1',
  OrganizationID: alder.organizationId,
});

const contentOf = (text: string): string => Buffer.from(text).toString('base64');

/** Saves a document with the texts as its contents, one after the other; returns its row. */
async function documentWith(...texts: string[]): Promise<Row> {
  const [first = '', ...others] = texts;
  let row = await admin.save('attachment', {
    Object: 'Foreclosure',
    ObjectID: ForeclosureID,
    AttachmentTemplateID,
    FileName: 'letter.txt',
    Content: contentOf(first),
  });
  for (const text of others) row = await replace(row['AttachmentID'], text);
  return row;
}

const replace = (id: unknown, text: string): Promise<Row> =>
  admin.save('attachment', { ID: id, FileName: 'letter.txt', Content: contentOf(text) });

const numbers = async (id: unknown): Promise<unknown[]> =>
  (await admin.expectRows('attachment/versions', { ID: id })).map(({ Number: number }) => number);

async function download(of: Client, id: unknown, version?: number): Promise<string> {
  const query = version === undefined ? '' : `&Version=${version}`;
  const answer = await of.caller.get(`/api/attachment/download?ID=${String(id)}${query}`);
  return answer.status === 200 ? answer.text : String(answer.status);
}

describe('versions of a document', () => {
  it('DOC-10 keep every earlier content when the file is replaced, with its time and author', async () => {
    const { AttachmentID: id, FileVersion } = await documentWith('one', 'two', 'three');
    assert.equal(FileVersion, 3);
    const versions = await admin.expectRows('attachment/versions', { ID: id });
    assert.deepEqual(
      versions.map(({ Number: number, FileSize, Current }) => [number, FileSize, Current]),
      [
        [3, 5, true],
        [2, 3, false],
        [1, 3, false],
      ],
    );
    const times = versions.map(({ StoredDate }) => String(StoredDate));
    assert.deepEqual(times, [...times].sort().reverse());
    assert.ok(versions.every(({ StoredPersonID }) => typeof StoredPersonID === 'number'));
    assert.deepEqual(await Promise.all([1, 2, 3, undefined].map((each) => download(admin, id, each))), [
      'one',
      'two',
      'three',
      'three',
    ]);
  });

  it('DOC-10 are downloaded only by those who reach the document', async () => {
    const { AttachmentID: id } = await documentWith('one', 'two');
    assert.equal(await download(client(p, alder.caller), id, 1), 'one');
    assert.equal(await download(client(p, birch.caller), id, 1), '404');
    await client(p, birch.caller).expectRefused('attachment/versions', { ID: id }, 'NOT_FOUND', 'ID');
  });

  it('DOC-10 an earlier one becomes the present one, as a new version', async () => {
    const { AttachmentID: id } = await documentWith('one', 'two');
    const restored = await admin.expectOk('attachment/restoreversion', { ID: id, Version: 1 });
    assert.equal(restored['FileVersion'], 3);
    assert.equal(await download(admin, id), 'one');
    assert.deepEqual(await numbers(id), [3, 2, 1]);
    // The present one again changes nothing.
    assert.equal((await admin.expectOk('attachment/restoreversion', { ID: id, Version: 3 }))['FileVersion'], 3);
    await admin.expectRefused('attachment/restoreversion', { ID: id, Version: 9 }, 'NOT_FOUND', 'Version');
  });

  it('DOC-10 KRN-21 of a document that becomes sealed need UnmaskSSN, and do not replace the sealed file', async () => {
    const { AttachmentID: id } = await documentWith('one, with 123-45-6789', 'two');
    const staff = client(p, (await p.user('staff of versions', 'Staff')).caller);
    assert.equal(await download(staff, id, 1), 'one, with 123-45-6789');
    await admin.expectRows('attachment/movefile', { ID: id, FileObject: 'Local', Sealed: true });
    assert.equal(await download(staff, id, 1), '403');
    assert.equal(await download(admin, id, 1), 'one, with 123-45-6789');
    const logged = await admin.expectRows('securitylog/search', { SecurityLog: 'SealedDownloaded', ObjectID: id });
    assert.equal(logged.length, 1);
    await staff.expectRefused('attachment/pageimage', { ID: id, Version: 1 }, 'STATE_REFUSES', 'ID');
    const versions = await staff.expectRows('attachment/versions', { ID: id });
    assert.deepEqual(
      versions.map(({ Number: number, FileHash = null }) => [number, FileHash]),
      [
        [2, null],
        [1, null],
      ],
    );
    await admin.expectRefused('attachment/restoreversion', { ID: id, Version: 1 }, 'STATE_REFUSES', 'ID');
    assert.equal(await download(admin, id), 'two');
  });

  it('DOC-10 DOC-05 are not made by moving the file, or by storing the same content again', async () => {
    const { AttachmentID: id } = await documentWith('one', 'two');
    await admin.save('fileobject', { FileObject: 'Archive', FileObjectType: 'database' });
    await admin.expectRows('attachment/movefile', { ID: id, FileObject: 'Archive' });
    await replace(id, 'two');
    assert.deepEqual(await numbers(id), [2, 1]);
    assert.equal(await download(admin, id, 1), 'one');
  });

  it('DOC-10 two people who replace a document at the same moment lose neither content', async () => {
    const { AttachmentID: id } = await documentWith('one');
    await Promise.all([replace(id, 'from Ann'), replace(id, 'from Bo')]);
    assert.deepEqual(await numbers(id), [3, 2, 1]);
    const contents = await Promise.all([1, 2, 3].map((each) => download(admin, id, each)));
    assert.deepEqual([...contents].sort(), ['from Ann', 'from Bo', 'one']);
  });

  it('DOC-10 keep their files while the document exists or can be restored', async () => {
    const { AttachmentID: id } = await documentWith('one', 'two');
    const paths = await p.platform.store.query<{ path: string }>(
      'select filepath as path from documentversion where attachmentid = $1::bigint',
      [Number(id)],
    );
    await admin.expectOk('attachment/delete', { ID: id });
    await sweepStoredFiles.run(p.platform);
    const files = p.platform.providers.get(FILE_OBJECT, 'Local');
    for (const { path } of paths) assert.ok(await files.stat(path));
    await admin.expectOk('attachment/undelete', { ID: id });
    assert.equal(await download(admin, id, 1), 'one');
  });
});
