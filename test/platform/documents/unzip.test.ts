import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { FILE_OBJECT } from '../../../src/contracts/file-object.ts';
import { client } from '../../support/client.ts';
import { testPlatform } from '../../support/platform.ts';
import { zipOf, type ZipFileSpec } from '../../support/zip.ts';

const p = await testPlatform({ after });
const admin = client(p);
const alder = await p.firm('Alder Law');
const birch = await p.firm('Birch Law');
const { ForeclosureID } = await admin.save('foreclosure', {
  Foreclosure: 'Z-1',
  OrganizationID: alder.organizationId,
});

async function archive(bytes: Uint8Array): Promise<unknown> {
  const saved = await admin.save('attachment', {
    Object: 'Foreclosure',
    ObjectID: ForeclosureID,
    FileName: 'files.zip',
    Content: Buffer.from(bytes).toString('base64'),
  });
  return saved['AttachmentID'];
}

const download = async (id: unknown): Promise<string> =>
  (await p.admin.get(`/api/attachment/download?ID=${String(id)}`)).text;
const count = async (): Promise<number> => {
  const [row] = await p.platform.store.query<{ n: number }>('select count(*)::integer as n from attachment');
  return row?.n ?? 0;
};
const staged = async (): Promise<string[]> => {
  const paths: string[] = [];
  for await (const path of p.platform.providers.get(FILE_OBJECT, 'Local').list('/Staged')) paths.push(path);
  return paths;
};

/** Unzips an archive that must be refused; returns the message. Nothing may have been added. */
async function refusal(bytes: Uint8Array): Promise<string> {
  const id = await archive(bytes);
  const before = await count();
  const { message } = await admin.expectRefused('attachment/unzip', { ID: id }, 'STATE_REFUSES', 'ID');
  assert.deepEqual([await count(), await staged()], [before, []]);
  return message;
}

describe('unzipping a document', () => {
  it('DOC-09 adds a document for each file to the record of the archive, named by its path', async () => {
    const inner = zipOf([{ name: 'deep.txt', content: 'deep' }]);
    const id = await archive(
      zipOf([
        { name: 'letters/', content: '' },
        { name: 'letters/2026/deed.txt', content: 'the deed' },
        { name: 'deed.txt', content: 'another deed' },
        { name: 'empty.txt', content: '' },
        { name: 'größe 数.txt', content: 'any script' },
        { name: '__MACOSX/._deed.txt', content: 'resource' },
        { name: 'inner.zip', content: inner },
      ]),
    );
    const rows = await admin.expectRows('attachment/unzip', { ID: id });
    assert.deepEqual(
      rows.map(({ Attachment, FileName, Added }) => [Attachment, FileName, Added]),
      [
        ['letters/2026/deed.txt', 'deed.txt', true],
        ['deed.txt', 'deed.txt', true],
        ['empty.txt', 'empty.txt', true],
        ['größe 数.txt', 'größe 数.txt', true],
        ['inner.zip', 'inner.zip', true],
      ],
    );
    const [letter, , , , nested] = rows;
    assert.equal(await download(letter?.['AttachmentID']), 'the deed');
    const saved = await admin.select('attachment', letter?.['AttachmentID']);
    assert.deepEqual(
      [saved['Object'], saved['ObjectID'], saved['MimeType']],
      ['Foreclosure', ForeclosureID, 'text/plain'],
    );
    // An archive within it is a document like the others.
    const [deep] = await admin.expectRows('attachment/unzip', { ID: nested?.['AttachmentID'] });
    assert.equal(await download(deep?.['AttachmentID']), 'deep');
    assert.deepEqual(await staged(), []);
  });

  it('DOC-09 finds the documents of an earlier or concurrent call again', async () => {
    const id = await archive(
      zipOf([
        { name: 'one.txt', content: 'one, once' },
        { name: 'two.txt', content: 'one, once' },
      ]),
    );
    const both = await Promise.all([1, 2].map(() => admin.expectRows('attachment/unzip', { ID: id })));
    const again = await admin.expectRows('attachment/unzip', { ID: id });
    const ids = again.map(({ AttachmentID }) => AttachmentID);
    for (const rows of both)
      assert.deepEqual(
        rows.map(({ AttachmentID }) => AttachmentID),
        ids,
      );
    assert.deepEqual([new Set(ids).size, again.every(({ Added }) => Added === false)], [2, true]);
  });

  it('DOC-09 names what is wrong with each file, and adds none of them', async () => {
    const good: ZipFileSpec = { name: 'good.txt', content: 'good' };
    const message = await refusal(
      zipOf([
        good,
        { name: '../../evil.txt', content: 'x' },
        { name: '/etc/passwd', content: 'x' },
        { name: 'C:/windows/evil.txt', content: 'x' },
        { name: 'a/../../b.txt', content: 'x' },
        { name: 'link', content: '/etc/passwd', mode: 0o120777 },
        { name: 'locked.txt', content: 'x', isEncrypted: true },
        good,
        { name: 'line\nbreak.txt', content: 'x' },
        { name: `${'x'.repeat(300)}.txt`, content: 'x' },
      ]),
    );
    for (const part of [
      '"../../evil.txt" leads out of its folder',
      '"/etc/passwd" has an absolute path',
      '"C:/windows/evil.txt" has an absolute path',
      '"a/../../b.txt" leads out of its folder',
      '"link" is a link',
      '"locked.txt" is encrypted',
      '"good.txt" is in the archive twice',
      'break.txt" has a name that files cannot have',
    ])
      assert.ok(message.includes(part), `${part}\n${message}`);
    assert.match(await refusal(zipOf([{ name: 'a\\..\\b.txt', content: 'x' }])), /backslash/);
  });

  it('DOC-09 refuses bombs, by count, size and ratio, and archives that lie about them', async () => {
    const zeros = Buffer.alloc(6 * 1024 * 1024);
    assert.match(await refusal(zipOf([{ name: 'zeros', content: zeros }])), /"zeros" unpacks to more than 250 times/);
    assert.match(
      await refusal(zipOf([{ name: 'zeros', content: zeros, claimedSize: 1_000 }])),
      /"zeros" does not match the directory|damaged/,
    );
    const large = { name: 'a', content: 'x', claimedSize: 4_000_000_000, claimedPackedSize: 100_000_000 };
    assert.match(await refusal(zipOf([large])), /at most 2146435072 are unpacked/);
    assert.match(
      await refusal(zipOf([{ name: 'a', content: 'x', claimedPackedSize: 5_000_000 }])),
      /overlapping files/,
    );
    const many = Array.from({ length: 1_001 }, (_, n) => ({ name: `${n}.txt`, content: 'x' }));
    assert.match(await refusal(zipOf(many)), /has 1001 files; at most 1000 are unpacked/);
  });

  it('DOC-09 refuses what is no zip archive, is cut off or damaged, or has no files', async () => {
    assert.match(await refusal(Buffer.from('no archive')), /is not a whole zip archive/);
    const whole = zipOf([{ name: 'one.txt', content: 'one, two, three' }]);
    assert.match(await refusal(whole.subarray(0, -10)), /is not a whole zip archive/);
    const damaged = Buffer.from(whole);
    damaged[40] = (damaged[40] ?? 0) ^ 0xff;
    assert.match(await refusal(damaged), /damaged/);
    assert.match(await refusal(zipOf([{ name: 'only/', content: '' }])), /no files/);
  });

  it('DOC-09 KRN-18 is refused to those who do not reach the archive', async () => {
    const id = await archive(zipOf([{ name: 'firm.txt', content: 'for the firm' }]));
    const other = client(p, birch.caller);
    assert.ok([403, 404].includes((await other.send('attachment/unzip', { ID: id })).status));
  });
});
