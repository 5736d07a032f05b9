import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { resealFiles } from '../../../src/app/rotation/reseal-files.ts';
import { CONVERTER } from '../../../src/contracts/converter.ts';
import { FILE_OBJECT } from '../../../src/contracts/file-object.ts';
import { TEXT_READER } from '../../../src/contracts/text-reader.ts';
import { removeNotedFiles } from '../../../src/modules/documents/attachment/lib/transfer/remove-file.ts';
import { queueUnsealedVersions } from '../../../src/modules/documents/attachment/lib/transfer/seal-versions.ts';
import { keyIdOf } from '../../../src/kernel/security/cipher.ts';
import { client } from '../../support/client.ts';
import { testPlatform } from '../../support/platform.ts';

const p = await testPlatform({ after });
const admin = client(p);
const files = p.platform.providers.get(FILE_OBJECT, 'Local');
const seal = (ID: number): object => ({ ID, FileObject: 'Local', Sealed: true });

/** Lets a test do something while a provider works. */
function barrier(): { readonly reached: Promise<undefined>; pass(): Promise<void>; release(): void } {
  const [reached, released] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
  return {
    reached: reached.promise,
    release: () => released.resolve(undefined),
    async pass() {
      reached.resolve(undefined);
      await released.promise;
    },
  };
}

/** The beginning of an icon: a type that only the providers of these tests know. */
const ICON = Buffer.from([0, 0, 1, 0, 1, 0, 16, 16]);
let working = barrier();
p.platform.providers.register(CONVERTER, 'held back', {
  doc: 'Waits for the test.',
  formats: { 'image/x-icon': ['application/pdf'] },
  state: () => ({ ready: true }),
  async convert() {
    await working.pass();
    return { mime: 'application/pdf', extension: 'pdf', bytes: Buffer.from('%PDF-1.7 123-45-6789') };
  },
});
p.platform.providers.register(TEXT_READER, 'held back', {
  mediaTypes: ['image/x-icon'],
  open: async () => ({
    pageCount: 1,
    isPaged: true,
    pages: async () => [{ text: '', isPicture: false }],
    picture: async () => undefined,
    async image() {
      await working.pass();
      return { width: 1, height: 1, bytes: Buffer.from('an image of 123-45-6789') };
    },
    close: async () => undefined,
  }),
});

async function stored(FileName: string, content: string | Buffer, more: object = {}): Promise<number> {
  const Content = Buffer.from(content).toString('base64');
  return Number((await admin.save('attachment', { FileName, Content, ...more }))['AttachmentID']);
}

async function download(id: number, version?: number): Promise<string> {
  const query = version === undefined ? '' : `&Version=${version}`;
  return (await p.admin.get(`/api/attachment/download?ID=${id}${query}`)).text;
}

/** Returns the paths of stored files that contain a text as it is. */
async function filesWith(text: string): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const path of files.list('/', { depth: 16 })) {
    const pieces: Uint8Array[] = [];
    for await (const piece of files.read(path)) pieces.push(piece);
    if (Buffer.concat(pieces).includes(text)) found.push(path);
  }
  return found;
}

const count = async (sql: string): Promise<number> => (await p.platform.store.query(sql)).length;

describe('sealing while a document is converted or drawn', () => {
  for (const route of ['convert', 'convertsave', 'convertsave&Replace=true'] as const)
    it(`DOC-08 KRN-21 ${route}: what ends after the sealing is refused and not stored`, async () => {
      working = barrier();
      const id = await stored('scan.ico', Buffer.concat([ICON, Buffer.from(route)]));
      const [name, query = ''] = route.split('&');
      const converting = p.admin.get(`/api/attachment/${name}?ID=${id}&${query}`);
      await working.reached;
      await admin.expectRows('attachment/movefile', seal(id));
      working.release();
      const answer = await converting;
      assert.equal(answer.status, 422, answer.text);
      assert.match(answer.text, /stored encrypted/);
      assert.equal(await count('select 1 from documentrendition'), 0);
      assert.deepEqual(await filesWith('%PDF-1.7'), []);
      assert.equal(await count(`select 1 from attachment where mimetype = 'application/pdf'`), 0);
    });

  it('DOC-04 KRN-21 an image of a page that ends after the sealing is not stored', async () => {
    working = barrier();
    const id = await stored('scan.ico', ICON);
    const drawing = p.admin.get(`/api/attachment/pageimage?ID=${id}`);
    await working.reached;
    await admin.expectRows('attachment/movefile', seal(id));
    working.release();
    await drawing;
    assert.equal(await count('select 1 from documentimage'), 0);
    await admin.expectRefused('attachment/pageimage', { ID: id }, 'STATE_REFUSES', 'ID');
  });
});

describe('sealing a document with earlier versions', () => {
  it('DOC-04 KRN-21 encrypts their files and forgets their hashes; an interrupted call is continued by repeating it', async () => {
    const id = await stored('one.txt', 'first 111-22-3333');
    await stored('two.txt', 'second 111-22-3333', { ID: id });
    await stored('three.txt', 'third 111-22-3333', { ID: id });
    assert.equal((await filesWith('111-22-3333')).length, 3);
    // It ends before the document itself is marked, as where its process is killed.
    await p.platform.store.query(
      `create function interrupt() returns trigger language plpgsql as $$ begin raise exception 'interrupted'; end $$`,
    );
    await p.platform.store.query(
      `create trigger interrupt before update on attachment for each row
       when (new.sealed) execute function interrupt()`,
    );
    assert.equal((await p.admin.post('/api/attachment/movefile', seal(id))).status, 500);
    await p.platform.store.query('drop trigger interrupt on attachment');
    assert.deepEqual(
      [await download(id), await download(id, 1), await download(id, 2)],
      ['third 111-22-3333', 'first 111-22-3333', 'second 111-22-3333'],
    );
    await admin.expectRefused('attachment/restoreversion', { ID: id, Version: 1 }, 'STATE_REFUSES', 'ID');
    await admin.expectRows('attachment/movefile', seal(id));
    assert.deepEqual(await filesWith('111-22-3333'), []);
    assert.deepEqual(
      [await download(id), await download(id, 1), await download(id, 2)],
      ['third 111-22-3333', 'first 111-22-3333', 'second 111-22-3333'],
    );
    const versions = await p.platform.store.query(
      'select sealed, sealdue, filehash as hash from documentversion where attachmentid = $1::bigint',
      [id],
    );
    assert.deepEqual([...versions], Array(2).fill({ sealed: true, sealdue: false, hash: null }));
    // A rotation finds them by their first bytes, as any sealed file.
    const { sealed, left } = await resealFiles(
      p.platform.providers,
      p.platform.cipher,
      [keyIdOf(p.platform.cipher.seal('any', 'value'))?.toString('hex') ?? ''],
      () => undefined,
    );
    assert.ok(sealed >= 3);
    assert.deepEqual(left, []);
    assert.equal(await download(id, 1), 'first 111-22-3333');
  });

  it('DOC-04 KRN-21 those of a document whose file is replaced by a sealed one are sealed by housekeeping', async () => {
    const id = await stored('plain.txt', 'before 222-33-4444');
    await stored('plain.txt', 'present 222-33-4444', { ID: id });
    const { token } = await p.platform.documents.stage(
      (async function* () {
        yield Buffer.from('sealed');
      })(),
      { fileName: 'sealed.txt', sealed: true },
    );
    await admin.save('attachment', { ID: id, FileName: 'sealed.txt', Staged: token });
    assert.equal(await queueUnsealedVersions.run(p.platform), 1);
    assert.equal(await queueUnsealedVersions.run(p.platform), 0, 'it is queued once');
    const [queued] = await p.platform.store.query<{ data: { parameters?: object } }>(
      `select data from pgboss.job where data::text like '%attachment/movefile%'`,
    );
    assert.ok(queued);
    await admin.expectRows('attachment/movefile', seal(id));
    // The file that the sealed one replaced is removed as the original of a moved document is.
    await p.platform.store.query("update fileremoval set createddate = createddate - interval '11 minutes'");
    await removeNotedFiles.run(p.platform);
    assert.deepEqual(await filesWith('222-33-4444'), []);
    assert.deepEqual([await download(id), await download(id, 1)], ['sealed', 'before 222-33-4444']);
    assert.equal(await queueUnsealedVersions.run(p.platform), 0);
  });
});
