import assert from 'node:assert/strict';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { testPlatform, type TestAnswer } from '../../support/platform.ts';
import { eventually } from '../../support/eventually.ts';
import { secondPlatform } from '../../support/second-platform.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { sendChunk, upload } from '../../support/imports/uploads.ts';

const end = { after };
const CHUNK = 500 * 1024;
const folder = temporaryFolder(end);
const on = await testPlatform(end, { filesFolder: folder });
await on.admin.post('/api/role/save', { Role: 'Everything', Permissions: '*', UniversalAccess: false });
const firm = await on.firm('Alder Law', 'Everything');
const other = await on.firm('Birch Law', 'Everything');
const caseOf = async (organizationId: number): Promise<number> =>
  Number(
    (
      await on.admin.post('/api/foreclosure/save?Output=Json', { Foreclosure: 'A-1', OrganizationID: organizationId })
    ).json()['ForeclosureID'],
  );
const id = await caseOf(firm.organizationId);
const below = `Object=Foreclosure&ObjectID=${id}`;

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const documents = async (): Promise<number> =>
  Number((await on.platform.store.query<{ n: number }>('select count(*)::integer as n from attachment'))[0]?.n);
const selected = async (answer: TestAnswer) =>
  (await on.admin.get(`/api/attachment/select?ID=${String(answer.json()['AttachmentID'])}&Output=Json`)).json();
const contentOf = async (attachmentId: unknown): Promise<Buffer> =>
  Buffer.from(
    await (
      await fetch(`${on.url}/api/attachment/download?ID=${String(attachmentId)}`, {
        headers: { 'X-ApiKey': await adminKey() },
      })
    ).arrayBuffer(),
  );
const adminKey = async (): Promise<string> => (await keyOfAdmin).key;
const keyOfAdmin = on.user('reader of files', 'Administrator');
const received = async (guid: string): Promise<unknown> =>
  (await on.admin.get(`/api/attachment/uploadstatus?Upload=${guid}&Output=Json`)).json()['Received'];
const parts = (): string[] => readdirSync(join(folder, '.uploads')).sort();
const field = (answer: TestAnswer): unknown => (answer.json()['Error'] as unknown as { Field?: unknown }).Field;

describe('a chunked upload', () => {
  it('DOC-03 DOC-15 becomes a document of its record with the last chunk; until then each answer says how to continue', async () => {
    const content = randomBytes(CHUNK * 2 + 777);
    const first = await sendChunk(
      on.admin,
      content.subarray(0, CHUNK),
      { name: 'deed.pdf', size: content.length },
      below,
    );
    assert.deepEqual(
      [first.status, first.json()['finish'], first.json()['AttachmentID']],
      [200, false, undefined],
      first.text,
    );
    const guid = String(first.json()['upload_name']);
    assert.match(guid, /^[0-9a-f-]{36}$/);
    const before = await documents();
    const second = await sendChunk(on.admin, content.subarray(CHUNK, 2 * CHUNK), {
      name: 'deed.pdf',
      size: content.length,
      guid,
    });
    assert.deepEqual([second.json()['finish'], second.json()['upload_name'], await documents()], [false, guid, before]);
    const last = await sendChunk(on.admin, content.subarray(2 * CHUNK), { guid });
    assert.deepEqual(
      [last.json()['finish'], last.json()['upload_name'], await documents()],
      [true, guid, before + 1],
      last.text,
    );
    const saved = await selected(last);
    assert.deepEqual(
      [
        saved['Object'],
        saved['ObjectID'],
        saved['FileName'],
        saved['Attachment'],
        saved['FileSize'],
        saved['FileHash'],
      ],
      ['Foreclosure', id, 'deed.pdf', 'deed.pdf', content.length, sha256(content)],
    );
    assert.match(String(saved['FilePath']), new RegExp(`^/Foreclosure/${id}/[0-9a-f-]{36}/deed\\.pdf$`));
    assert.ok(content.equals(await contentOf(saved['AttachmentID'])));
  });

  it('DOC-03 answers finish and upload_name in each Output', async () => {
    const send = (output: string) =>
      on.admin.post(`/api/attachment/uploadchunk?Output=${output}`, Buffer.from('x'), {
        'Content-Type': 'text/plain',
        'X-File-Name': 'a.txt',
        'X-File-Size': '2',
      });
    assert.match(
      (await send('Xml')).text,
      /<UploadItem><finish>false<\/finish><upload_name>[0-9a-f-]{36}<\/upload_name><\/UploadItem>/,
    );
    assert.match((await send('Json')).text, /^\{"finish":false,"upload_name":"[0-9a-f-]{36}"\}$/);
    assert.match((await send('JsonP')).text, /callback\(\{"finish":false,/);
  });

  it("DOC-15 takes the parent from the route too, and the document's fields from the first or the last chunk", async () => {
    const path = `/api/foreclosure/${id}/attachment/uploadchunk`;
    const first = await sendChunk(
      on.admin,
      Buffer.from('ab'),
      { name: 'a.txt', size: 4, path: path },
      'Description=first&Attachment=The+Label',
    );
    const last = await sendChunk(
      on.admin,
      Buffer.from('cd'),
      { guid: String(first.json()['upload_name']) },
      'Description=last',
    );
    const saved = await selected(last);
    assert.deepEqual(
      [saved['Object'], saved['ObjectID'], saved['Attachment'], saved['Description'], saved['MimeType']],
      ['Foreclosure', id, 'The Label', 'last', 'text/plain'],
    );
  });

  it('DOC-03 of no bytes is finished by its first chunk; one chunk is enough for a small file', async () => {
    const empty = await sendChunk(on.admin, new Uint8Array(), { name: 'empty.txt', size: 0 }, below);
    assert.deepEqual(
      [empty.json()['finish'], (await selected(empty))['FileSize'], (await selected(empty))['FileHash']],
      [true, 0, sha256(Buffer.alloc(0))],
      empty.text,
    );
    const whole = await sendChunk(on.admin, Buffer.from('whole'), { name: 'whole.txt', size: 5 });
    assert.equal(whole.json()['finish'], true);
    assert.equal((await contentOf(whole.json()['AttachmentID'])).toString(), 'whole');
  });

  it('DOC-03 refuses a chunk over 512,000 bytes, with or without a declared length, and is unchanged by it', async () => {
    const first = await sendChunk(on.admin, Buffer.alloc(CHUNK, 1), { name: 'a.bin', size: 3 * CHUNK });
    assert.equal(first.status, 200, first.text);
    const guid = String(first.json()['upload_name']);
    const tooLarge = await sendChunk(on.admin, Buffer.alloc(CHUNK + 1, 2), { guid });
    assert.equal(tooLarge.status, 413, tooLarge.text);
    const streamed = await fetch(`${on.url}/api/attachment/uploadchunk`, {
      method: 'POST',
      duplex: 'half',
      headers: { 'X-ApiKey': await adminKey(), 'X-File-GUID': guid, 'Content-Type': 'text/plain' },
      body: ReadableStream.from(
        (function* () {
          for (let n = 0; n < 40; n++) yield Buffer.alloc(CHUNK, 3);
        })(),
      ),
    } as never);
    assert.equal(streamed.status, 404, 'for another user it does not exist');
    assert.equal(await received(guid), CHUNK);
    const next = await sendChunk(on.admin, Buffer.alloc(CHUNK, 2), { guid });
    assert.equal(next.json()['finish'], false);
    assert.equal(await received(guid), 2 * CHUNK);
    const before = parts();
    assert.equal((await sendChunk(on.admin, Buffer.alloc(CHUNK + 1), { name: 'a.bin', size: 3 * CHUNK })).status, 413);
    assert.deepEqual(parts(), before);
  });

  it("DOC-03 refuses more bytes than declared, and a name or size that differs from the first chunk's", async () => {
    const over = await sendChunk(on.admin, Buffer.from('12345'), { name: 'a.txt', size: 4 });
    assert.deepEqual([over.status, field(over)], [400, 'FileSize']);
    const first = await sendChunk(on.admin, Buffer.from('12'), { name: 'a.txt', size: 4 });
    const guid = String(first.json()['upload_name']);
    for (const [bytes, headers, wrong] of [
      ['345', {}, 'FileSize'],
      ['34', { size: 5 }, 'FileSize'],
      ['34', { name: 'b.txt' }, 'FileName'],
    ] as const) {
      const answer = await sendChunk(on.admin, Buffer.from(bytes), { guid, ...headers });
      assert.deepEqual([answer.status, field(answer)], [400, wrong], answer.text);
      assert.equal(await received(guid), 2);
    }
    assert.equal(
      (await sendChunk(on.admin, Buffer.from('34'), { guid, name: 'a.txt', size: 4 })).json()['finish'],
      true,
    );
  });

  it('DOC-03 needs a name and a size with the first chunk, and valid numbers', async () => {
    for (const [headers, wrong] of [
      [{ name: 'a.txt' }, 'FileSize'],
      [{ size: 3 }, 'FileName'],
      [{ name: 'a.txt', size: -1 }, 'FileSize'],
      [{ name: 'a.txt', size: 1.5 }, 'FileSize'],
      [{ name: 'a.txt', size: 3, offset: 1 }, 'FileOffset'],
      [{ name: 'a.txt', size: 3, hash: 'abc' }, 'FileHash'],
    ] as const) {
      const answer = await sendChunk(on.admin, Buffer.from('abc'), headers);
      assert.deepEqual([answer.status, field(answer)], [400, wrong], answer.text);
    }
    for (const size of [2_147_483_647, 5 * 1024 ** 3]) {
      const large = await sendChunk(on.admin, Buffer.from('abc'), { name: 'a.bin', size });
      assert.deepEqual(
        [large.status, field(large), large.text.includes('UploadMegabytesMax')],
        [413, 'FileSize', true],
      );
    }
  });

  it('DOC-03 is isolated from all others: a hundred concurrent uploads of one user do not mix', async () => {
    const { caller } = await on.user('sender of many', 'Staff');
    const contents = Array.from({ length: 100 }, (_, n) => Buffer.alloc(15_000 + n, n + 1));
    const done = await Promise.all(
      contents.map((content, n) => upload(caller, content, { name: `beside-${n}.bin`, chunk: 7_001, fields: below })),
    );
    for (const [n, { answer, chunks }] of done.entries()) {
      assert.equal(chunks, 3);
      assert.equal((await selected(answer))['FileName'], `beside-${n}.bin`);
      assert.equal((await selected(answer))['FileHash'], sha256(contents[n] ?? Buffer.alloc(0)));
    }
  });
});

describe('names of uploaded files', () => {
  it('DOC-03 are read percent-encoded, as encoded words, or as plain UTF-8', async () => {
    const name = 'Überblick 100% – 契約.pdf';
    const raw = Buffer.from(name).toString('latin1');
    const words =
      `=?utf-8?B?${Buffer.from('Überblick 100% – ').toString('base64')}?= ` + '=?UTF-8?Q?=E5=A5=91=E7=B4=84.pdf?=';
    for (const sent of [encodeURIComponent(name), words, raw]) {
      const answer = await sendChunkRaw(sent);
      assert.equal((await selected(answer))['FileName'], name, sent);
    }
    for (const [sent, expected] of [
      ['100%.pdf', '100%.pdf'],
      ['=?iso-8859-1?Q?=DCber_uns.txt?=', 'Über uns.txt'],
      ['a%2520b.txt', 'a%20b.txt'],
    ] as const)
      assert.equal((await selected(await sendChunkRaw(sent)))['FileName'], expected);
  });

  it('DOC-03 are refused if they are paths, hidden or deceptive, however they are encoded, and nothing is stored', async () => {
    const before = parts();
    for (const sent of [
      '../x',
      '..%2Fx',
      '%2Fetc%2Fpasswd',
      'a%5Cb',
      '..',
      '%2E%2E',
      'a%00b',
      'a%0D%0AX-Evil:1',
      '=?utf-8?B?Li4vLi4vZXRjL3Bhc3N3ZA==?=',
      '=?utf-8?Q?a=2Fb?=',
      '=?nonsense?Q?a?=',
      '=?utf-8?Q?=FF?=',
      'invoice%E2%80%AEfdp.exe',
      'x'.repeat(256),
      '%20',
    ]) {
      const answer = await sendChunkRaw(sent);
      assert.equal(answer.status, 400, `${sent}: ${answer.text}`);
    }
    assert.deepEqual(parts(), before);
  });

  /** Sends a header byte by byte: fetch refuses some that servers must handle. */
  function sendChunkRaw(name: string): Promise<TestAnswer> {
    return new Promise((resolve, reject) => {
      void keyOfAdmin.then(({ key }) => {
        const sending = request(
          `${on.url}/api/attachment/uploadchunk?Output=Json`,
          {
            method: 'POST',
            headers: { 'X-ApiKey': key, 'Content-Type': 'text/plain', 'X-File-Name': name, 'X-File-Size': '1' },
          },
          (response) => {
            let text = '';
            response
              .on('data', (piece: Buffer) => (text += piece.toString()))
              .on('end', () =>
                resolve({
                  status: response.statusCode ?? 0,
                  headers: new Headers(),
                  text,
                  json: () => JSON.parse(text) as never,
                }),
              );
          },
        );
        // A buffer: as text it would be sent together with the headers, in its own encoding.
        sending.on('error', reject).end(Buffer.from('x'));
      });
    });
  }
});

describe('an interrupted upload', () => {
  it("DOC-03 lists a user's unfinished uploads, and removes one with its bytes; nobody else's", async () => {
    const before = parts();
    const first = await sendChunk(firm.caller, Buffer.from('ab'), { name: 'half.txt', size: 4 }, below);
    const guid = String(first.json()['upload_name']);
    const listed = (await firm.caller.get('/api/attachment/uploads?Output=Json')).json() as unknown as {
      UploadCollection: { UploadItem: Record<string, unknown>[] };
    };
    const mine = listed.UploadCollection.UploadItem.find((each) => each['upload_name'] === guid);
    const { UpdatedDate: updated, ...rest } = mine ?? {};
    assert.deepEqual(rest, {
      upload_name: guid,
      FileName: 'half.txt',
      FileSize: 4,
      Received: 2,
      Object: 'Foreclosure',
      ObjectID: String(id),
    });
    assert.match(String(updated), /^\d{4}-\d\d-\d\dT/);
    assert.doesNotMatch((await other.caller.get('/api/attachment/uploads?Output=Json')).text, new RegExp(guid));
    assert.equal((await other.caller.post('/api/attachment/discardupload', `Upload=${guid}`)).status, 404);
    const removed = await firm.caller.post('/api/attachment/discardupload?Output=Json', `Upload=${guid}`);
    assert.equal(removed.json()['discarded'], true, removed.text);
    assert.deepEqual(parts(), before);
    assert.equal((await firm.caller.post('/api/attachment/discardupload', `Upload=${guid}`)).status, 404);
  });

  it('DOC-03 continues where uploadstatus says', async () => {
    const first = await sendChunk(on.admin, Buffer.from('abc'), { name: 'a.txt', size: 6 });
    const guid = String(first.json()['upload_name']);
    const status = (await on.admin.get(`/api/attachment/uploadstatus?Upload=${guid}&Output=Json`)).json();
    assert.deepEqual(status, { finish: false, upload_name: guid, FileName: 'a.txt', FileSize: 6, Received: 3 });
    const last = await sendChunk(on.admin, Buffer.from('def'), { guid, offset: 3 });
    assert.equal(last.json()['finish'], true);
    const done = (await on.admin.get(`/api/attachment/uploadstatus?Upload=${guid}&Output=Json`)).json();
    assert.deepEqual([done['finish'], done['Received'], done['AttachmentID']], [true, 6, last.json()['AttachmentID']]);
  });

  it('DOC-03 recognizes a repeated chunk by its offset and appends it once', async () => {
    const content = randomBytes(3_000);
    const first = await sendChunk(on.admin, content.subarray(0, 1_000), { name: 'a.bin', size: 3_000 });
    const guid = String(first.json()['upload_name']);
    const chunk = (at: number) => sendChunk(on.admin, content.subarray(at, at + 1_000), { guid, offset: at });
    for (const at of [0, 1_000, 1_000, 0, 1_000]) {
      const answer = await chunk(at);
      assert.deepEqual([answer.status, answer.json()['finish']], [200, false], answer.text);
    }
    assert.equal(await received(guid), 2_000);
    const before = await documents();
    const [last, again] = [await chunk(2_000), await chunk(2_000)];
    assert.deepEqual(
      [last.json()['finish'], again.json()['finish'], again.json()['AttachmentID']],
      [true, true, last.json()['AttachmentID']],
    );
    assert.equal(await documents(), before + 1, 'the answer was lost, but the document is not created twice');
    assert.equal((await selected(last))['FileHash'], sha256(content));
  });

  it('DOC-03 accepts a repeat of the last chunk even without an offset, and refuses anything else past the end', async () => {
    const first = await sendChunk(on.admin, Buffer.from('abc'), { name: 'a.txt', size: 6 });
    const guid = String(first.json()['upload_name']);
    const last = await sendChunk(on.admin, Buffer.from('def'), { guid });
    const again = await sendChunk(on.admin, Buffer.from('def'), { guid });
    assert.deepEqual([again.status, again.json()['AttachmentID']], [200, last.json()['AttachmentID']]);
    for (const more of ['xyz', 'fed', 'abcdefg']) {
      const refused = await sendChunk(on.admin, Buffer.from(more), { guid });
      assert.ok([400, 409].includes(refused.status), `${more}: ${refused.status}`);
    }
  });

  it('DOC-03 refuses a chunk that leaves a gap, overlaps, or differs from the bytes already stored', async () => {
    const first = await sendChunk(on.admin, Buffer.from('abcd'), { name: 'a.txt', size: 8 });
    const guid = String(first.json()['upload_name']);
    for (const [bytes, offset] of [
      ['gh', 6],
      ['cdef', 2],
      ['xy', 1],
    ] as const) {
      const answer = await sendChunk(on.admin, Buffer.from(bytes), { guid, offset });
      assert.deepEqual(
        [answer.status, (answer.json()['Error'] as unknown as { Received: number }).Received],
        [409, 4],
        answer.text,
      );
    }
    assert.equal((await sendChunk(on.admin, Buffer.from('efgh'), { guid })).json()['finish'], true);
  });

  it('DOC-03 is unchanged when the client disconnects in the middle of a chunk', async () => {
    const first = await sendChunk(on.admin, Buffer.from('abc'), { name: 'a.txt', size: 200_003 });
    const guid = String(first.json()['upload_name']);
    const calls = () =>
      on.platform.store.query(
        "select 1 from pg_stat_activity where state = 'idle in transaction' and datname = current_database()",
      );
    await new Promise<void>((resolve) => {
      const sending = request(`${on.url}/api/attachment/uploadchunk`, {
        method: 'POST',
        headers: { 'X-ApiKey': 'the-administrators-key-of-tests', 'X-File-GUID': guid, 'Content-Length': '200000' },
      });
      sending.on('error', () => resolve());
      sending.write(Buffer.alloc(100_000), () => sending.destroy(new Error('gone')));
    });
    await eventually('no transaction waits for the sender', async () => (await calls()).length === 0);
    assert.equal(await received(guid), 3);
    assert.equal((await sendChunk(on.admin, Buffer.alloc(200_000), { guid })).json()['finish'], true);
  });

  it('DOC-03 is interrupted at every one of its chunks, first and last included, and each time continues where it stopped', async () => {
    const content = randomBytes(300_000);
    const size = 50_000;
    const cut = (at: number, guid: string | undefined): Promise<void> =>
      new Promise((resolve) => {
        const place =
          guid === undefined
            ? { 'X-File-Name': 'cut.bin', 'X-File-Size': String(content.length) }
            : { 'X-File-GUID': guid, 'X-File-Offset': String(at) };
        const sending = request(`${on.url}/api/attachment/uploadchunk`, {
          method: 'POST',
          headers: { 'X-ApiKey': 'the-administrators-key-of-tests', 'Content-Length': String(size), ...place },
        });
        sending.on('error', () => resolve());
        sending.write(content.subarray(at, at + size / 2), () => sending.destroy(new Error('cut')));
      });
    const before = await documents();
    let guid: string | undefined;
    let answer: Awaited<ReturnType<typeof sendChunk>> | undefined;
    for (let at = 0; at < content.length; at += size) {
      await cut(at, guid);
      if (guid !== undefined) {
        const { Received } = (await on.admin.get(`/api/attachment/uploadstatus?Upload=${guid}&Output=Json`)).json();
        assert.equal(Received, at);
      }
      answer = await sendChunk(
        on.admin,
        content.subarray(at, at + size),
        guid === undefined ? { name: 'cut.bin', size: content.length } : { guid, offset: at },
      );
      assert.equal(answer.status, 200, answer.text);
      guid = String(answer.json()['upload_name']);
    }
    assert.equal(answer?.json()['finish'], true);
    if (answer) assert.equal((await selected(answer))['FileHash'], sha256(content));
    assert.equal(await documents(), before + 1);
  });

  it('DOC-03 continues on another node that shares the folder', async (t) => {
    const node = await secondPlatform(t, on, undefined, folder);
    const elsewhere = {
      post: async (path: string, body: unknown, headers: Record<string, string> = {}) => {
        const response = await fetch(node.url + path, {
          method: 'POST',
          body: body as never,
          headers: { ...headers, 'X-ApiKey': 'the-administrators-key-of-tests' },
        });
        const text = await response.text();
        return { status: response.status, headers: response.headers, text, json: () => JSON.parse(text) as never };
      },
    };
    const content = randomBytes(4_000);
    const first = await sendChunk(on.admin, content.subarray(0, 1_000), { name: 'a.bin', size: 4_000 });
    const guid = String(first.json()['upload_name']);
    await sendChunk(elsewhere, content.subarray(1_000, 2_000), { guid });
    await sendChunk(on.admin, content.subarray(2_000, 3_000), { guid });
    const last = await sendChunk(elsewhere, content.subarray(3_000), { guid });
    assert.equal((await selected(last))['FileHash'], sha256(content), last.text);
  });
});

describe('an upload with a given hash', () => {
  it('DOC-03 is saved if the bytes match it, given with the first chunk or the last', async () => {
    const content = randomBytes(2_000);
    assert.equal(
      (
        await upload(on.admin, content, { name: 'a.bin', chunk: 900, hash: sha256(content).toUpperCase() })
      ).answer.json()['finish'],
      true,
    );
  });

  it('DOC-03 fails if the bytes do not match it, and nothing is saved', async () => {
    const before = [await documents(), parts().length];
    const { answer, guid } = await upload(on.admin, randomBytes(2_000), {
      name: 'a.bin',
      chunk: 900,
      hash: sha256(Buffer.from('other')),
    });
    assert.deepEqual([answer.status, field(answer)], [400, 'FileHash'], answer.text);
    assert.deepEqual([await documents(), parts().length], before);
    assert.equal((await on.admin.get(`/api/attachment/uploadstatus?Upload=${guid}`)).status, 404);
  });
});

describe('several callers sending to one upload', () => {
  it('DOC-03 at the same moment: each chunk is accepted once, the others get 409, and the file is correct', async () => {
    const content = randomBytes(20_000);
    const first = await sendChunk(on.admin, content.subarray(0, 1_000), { name: 'raced.bin', size: 20_000 });
    const guid = String(first.json()['upload_name']);
    let conflicts = 0;
    let id: unknown;
    for (let at = 1_000; at < 20_000; at += 1_000) {
      // Without an offset and with different bytes: the first chunk decides the content.
      const mine = Array.from({ length: 4 }, (_, n) =>
        n === 0 ? content.subarray(at, at + 1_000) : Buffer.alloc(1_000, n),
      );
      const answers = await Promise.all(mine.map((bytes) => sendChunk(on.admin, bytes, { guid })));
      const taken = answers.filter((answer) => answer.status === 200);
      assert.ok(
        answers.every((answer) => [200, 400, 409].includes(answer.status)),
        answers.map((a) => a.text).join('\n'),
      );
      // A call that arrived only after another was answered is not a rival but the next chunk, at a later offset.
      if (taken.length !== 1) return assertWhole(guid, await received(guid));
      conflicts += answers.length - 1;
      content.set(mine[answers.indexOf(taken[0] as TestAnswer)] ?? [], at);
      id = taken[0]?.json()['AttachmentID'] ?? id;
    }
    assert.ok(conflicts > 0);
    assert.ok(content.equals(await contentOf(id)));
  });

  async function assertWhole(guid: string, at: unknown): Promise<void> {
    assert.equal(Number(at) % 1_000, 0, 'no chunk is accepted in part');
    assert.ok(statSync(join(folder, '.uploads', guid)).size >= Number(at));
  }

  it('DOC-03 one chunk sent many times at once with its offset is stored once', async () => {
    const content = randomBytes(3_000);
    const first = await sendChunk(on.admin, content.subarray(0, 1_000), { name: 'same.bin', size: 3_000 });
    const guid = String(first.json()['upload_name']);
    const before = await documents();
    for (const at of [1_000, 2_000]) {
      const answers = await Promise.all(
        Array.from({ length: 5 }, () => sendChunk(on.admin, content.subarray(at, at + 1_000), { guid, offset: at })),
      );
      assert.deepEqual(
        answers.map((a) => a.status),
        [200, 200, 200, 200, 200],
        answers.map((a) => a.text).join('\n'),
      );
      if (at === 2_000) assert.equal(new Set(answers.map((a) => a.json()['AttachmentID'])).size, 1);
    }
    assert.equal(await documents(), before + 1);
    assert.equal(
      (await on.admin.get(`/api/attachment/search?FileHash=${sha256(content)}&Output=Json`)).json()['RecordCount'] ?? 1,
      1,
    );
  });
});

describe('who may upload', () => {
  it('DOC-03 an upload belongs to its user: for everybody else it does not exist', async () => {
    const first = await sendChunk(firm.caller, Buffer.from('ab'), { name: 'a.txt', size: 4 }, below);
    assert.equal(first.status, 200, first.text);
    const guid = String(first.json()['upload_name']);
    for (const caller of [other.caller, on.admin]) {
      const answers = [
        await sendChunk(caller, Buffer.from('xx'), { guid }),
        await sendChunk(caller, Buffer.from('xx'), { guid, offset: 2 }),
        await sendChunk(caller, new Uint8Array(), { guid }),
        await caller.get(`/api/attachment/uploadstatus?Upload=${guid}`),
      ];
      assert.deepEqual(
        answers.map((a) => a.status),
        [404, 404, 404, 404],
      );
    }
    for (const wrong of [randomUUID(), 'x', '../../etc/passwd', "' or 1=1 --"])
      assert.equal(
        (await sendChunk(firm.caller, Buffer.from('xx'), { guid: wrong })).status,
        wrong.length > 36 ? 400 : 404,
        wrong,
      );
    const last = await sendChunk(firm.caller, Buffer.from('cd'), { guid });
    assert.equal(last.json()['finish'], true, last.text);
    assert.equal(
      (await firm.caller.get(`/api/attachment/download?ID=${String(last.json()['AttachmentID'])}`)).text,
      'abcd',
    );
    assert.equal(
      (await other.caller.get(`/api/attachment/download?ID=${String(last.json()['AttachmentID'])}`)).status,
      404,
    );
  });

  it('DOC-03 KRN-18 an invisible parent or an unknown template or field is refused with the first chunk, before anything is stored', async () => {
    const before = parts();
    const foreign = await caseOf(other.organizationId);
    const refused: readonly (readonly [string, number])[] = [
      [`Object=Foreclosure&ObjectID=${foreign}`, 404],
      ['Object=Foreclosure&ObjectID=99999999', 404],
      ['Object=Foreclosure', 400],
      ['Object=Nothing&ObjectID=1', 400],
      ['Template=No+Such+Template', 400],
      ['Nonsense=1', 400],
      ['ID=99999999', 404],
      ['Content=eA==', 400],
      ['Staged=x', 400],
    ];
    for (const [fields, status] of refused)
      assert.equal(
        (await sendChunk(firm.caller, Buffer.from('ab'), { name: 'a.txt', size: 4 }, fields)).status,
        status,
        fields,
      );
    assert.equal(
      (
        await sendChunk(
          firm.caller,
          Buffer.from('ab'),
          { name: 'a.txt', size: 4, path: `/api/foreclosure/${foreign}/attachment/uploadchunk` },
          '',
        )
      ).status,
      404,
    );
    assert.equal((await sendChunk(on.anonymous, Buffer.from('ab'), { name: 'a.txt', size: 4 })).status, 401);
    const reader = await on.user('a reader', 'Read Only');
    assert.equal((await sendChunk(reader.caller, Buffer.from('ab'), { name: 'a.txt', size: 4 })).status, 403);
    assert.deepEqual(parts(), before);
  });

  it('DOC-03 KRN-18 a parent given with the last chunk is checked too; the upload can be finished with a valid one', async () => {
    const foreign = await caseOf(other.organizationId);
    const first = await sendChunk(firm.caller, Buffer.from('ab'), { name: 'a.txt', size: 4 });
    const guid = String(first.json()['upload_name']);
    const before = await documents();
    assert.equal(
      (await sendChunk(firm.caller, Buffer.from('cd'), { guid }, `Object=Foreclosure&ObjectID=${foreign}`)).status,
      404,
    );
    assert.equal(await documents(), before);
    const finished = await sendChunk(firm.caller, new Uint8Array(), { guid }, below);
    assert.deepEqual(
      [finished.status, finished.json()['finish'], await documents()],
      [200, true, before + 1],
      finished.text,
    );
  });

  it('DOC-03 replaces the file of a given document, and keeps the old one for history', async () => {
    const first = await sendChunk(on.admin, Buffer.from('one'), { name: 'v.txt', size: 3 }, below);
    const attachmentId = String(first.json()['AttachmentID']);
    const second = await sendChunk(on.admin, Buffer.from('two'), { name: 'v.txt', size: 3 }, `ID=${attachmentId}`);
    assert.equal(String(second.json()['AttachmentID']), attachmentId);
    assert.equal((await contentOf(attachmentId)).toString(), 'two');
  });

  it("DOC-03 limits a user's open uploads to the setting, even when they start at the same moment", async () => {
    const user = await on.user('many uploads', 'Administrator');
    const setting = (await on.admin.post('/api/setting/save?Output=Json', 'Setting=UploadsOpenMax&Value=3')).json()[
      'SettingID'
    ];
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => sendChunk(user.caller, Buffer.from('x'), { name: 'a.txt', size: 2 })),
    );
    assert.deepEqual(answers.map((a) => String(a.status)).sort(), [
      '200',
      '200',
      '200',
      '429',
      '429',
      '429',
      '429',
      '429',
    ]);
    const open = answers.find((a) => a.status === 200)?.json()['upload_name'];
    assert.equal((await sendChunk(user.caller, Buffer.from('y'), { guid: String(open) })).json()['finish'], true);
    assert.equal(
      (await sendChunk(user.caller, Buffer.from('x'), { name: 'a.txt', size: 2 })).status,
      200,
      'a finished one frees a slot',
    );
    await on.admin.post('/api/setting/save', `ID=${String(setting)}&Value=100`);
  });

  it('DOC-03 KRN-22 is described with its headers', async () => {
    const document = (await on.admin.get('/api/openapi.json')).json() as unknown as {
      paths: Record<
        string,
        { post: { parameters: { name?: string; in?: string }[]; requestBody: { content: object } } }
      >;
    };
    const { post } = document.paths['/api/attachment/uploadchunk'] ?? assert.fail('the operation is not described');
    assert.deepEqual(
      post.parameters.filter((each) => each.in === 'header').map((each) => each.name),
      ['X-File-Name', 'X-File-Size', 'X-File-GUID', 'X-File-Offset', 'X-File-Hash'],
    );
    assert.deepEqual(Object.keys(post.requestBody.content), ['*/*']);
  });

  it('DOC-03 cannot be queued or answered as a list', async () => {
    assert.equal((await on.admin.post('/api/attachment/queue/uploadchunk?FileName=a.txt&FileSize=1', 'x')).status, 400);
    assert.equal(
      (await on.admin.post('/api/attachment/uploadchunk?FileName=a.txt&FileSize=1&Output=Csv', 'x')).status,
      400,
    );
  });

  it('DOC-03 is repeated under an Idempotency-Key even if the first answer was lost', async () => {
    const send = () =>
      on.admin.post('/api/attachment/uploadchunk?Output=Json', Buffer.from('once'), {
        'X-File-Name': 'once.txt',
        'X-File-Size': '4',
        'Idempotency-Key': 'upload-once',
        'Content-Type': 'text/plain',
      });
    const [first, again] = [await send(), await send()];
    assert.equal(again.text, first.text);
    assert.equal(again.headers.get('idempotency-replayed'), 'true');
  });

  it('DOC-03 the fields of an unfinished document are sealed in the store', async () => {
    await sendChunk(on.admin, Buffer.from('x'), { name: 'a.txt', size: 2 }, 'Description=a+secret+that+waits');
    const rows = await on.platform.store.query<{ fields: string }>(
      "select encode(fields, 'escape') as fields from upload",
    );
    assert.ok(rows.length > 0 && rows.every(({ fields }) => !fields.includes('secret')));
  });
});
