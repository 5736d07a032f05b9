import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, readlinkSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { FILE_OBJECT } from '../../../src/contracts/file-object.ts';
import { fixedClock } from '../../../src/kernel/time/clock.ts';
import { checkStoredFiles } from '../../../src/modules/documents/attachment/lib/check-stored-files.ts';
import { sweepUploads } from '../../../src/modules/documents/attachment/lib/sweep-uploads.ts';
import { eventually } from '../../support/eventually.ts';
import { testPlatform, type TestAnswer } from '../../support/platform.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { sendChunk, upload } from '../../support/imports/uploads.ts';

const end = { after };
const folder = temporaryFolder(end);
const clock = fixedClock('2030-06-01T10:00:00.000Z');
const on = await testPlatform(end, { filesFolder: folder, clock });
const firm = await on.firm('Alder Law');
const other = await on.firm('Birch Law');
const KEY = { 'X-ApiKey': 'the-administrators-key-of-tests' };

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const stored = async (content: Uint8Array, name: string, fields = ''): Promise<string> => {
  const { answer } = await upload(on.admin, content, { name, fields });
  assert.equal(answer.status, 200, answer.text);
  return String(answer.json()['AttachmentID']);
};
const pathOf = async (id: string): Promise<string> =>
  join(folder, String((await on.admin.get(`/api/attachment/select?ID=${id}&Output=Json`)).json()['FilePath']));
const download = (id: string, headers: Record<string, string> = {}): Promise<TestAnswer> =>
  on.admin.get(`/api/attachment/download?ID=${id}`, headers);
const view = (id: string): Promise<TestAnswer> => on.admin.get(`/api/attachment/view?ID=${id}`);

const digits = await stored(Buffer.from('0123456789'), 'digits.txt');
const tag = `"${sha256(Buffer.from('0123456789'))}"`;

describe('a download', () => {
  it('DOC-04 is saved by a browser under its name, in any script, with its content type', async () => {
    const id = await stored(Buffer.from('%PDF-1.7\n%%EOF\n'), `Überblick "2030" 契約${'n'.repeat(100)}\u{1f4c4}.pdf`);
    const answer = await download(id);
    assert.equal(answer.status, 200);
    const disposition = answer.headers.get('content-disposition') ?? '';
    assert.match(
      disposition,
      new RegExp(
        String.raw`^attachment; filename="_berblick _2030_ __n{100}_+\.pdf"; ` +
          String.raw`filename\*=UTF-8''%C3%9Cberblick%20%222030%22%20%E5%A5%91%E7%B4%84n{100}%F0%9F%93%84\.pdf$`,
      ),
    );
    assert.deepEqual(
      ['content-type', 'accept-ranges', 'etag', 'x-content-type-options', 'cache-control'].map((name) =>
        answer.headers.get(name),
      ),
      ['application/pdf', 'bytes', `"${sha256(Buffer.from('%PDF-1.7\n%%EOF\n'))}"`, 'nosniff', 'no-store'],
    );
  });

  it('DOC-04 returns the requested range', async () => {
    for (const [range, text, expectedRange] of [
      ['bytes=0-3', '0123', 'bytes 0-3/10'],
      ['bytes=4-', '456789', 'bytes 4-9/10'],
      ['bytes=-3', '789', 'bytes 7-9/10'],
      ['bytes=-99', '0123456789', 'bytes 0-9/10'],
      ['bytes=8-99', '89', 'bytes 8-9/10'],
      ['bytes=9-9', '9', 'bytes 9-9/10'],
    ] as const) {
      const answer = await download(digits, { Range: range });
      assert.deepEqual(
        [answer.status, answer.text, answer.headers.get('content-range'), answer.headers.get('content-length')],
        [206, text, expectedRange, String(text.length)],
        range,
      );
    }
  });

  it('DOC-04 reports the size for a range beyond the end, and returns the whole file for an invalid or multiple range', async () => {
    for (const range of ['bytes=10-', 'bytes=10-20', 'bytes=-0', 'bytes=99999999999999-']) {
      const answer = await download(digits, { Range: range });
      assert.deepEqual([answer.status, answer.headers.get('content-range')], [416, 'bytes */10'], range);
    }
    for (const range of [
      'bytes=5-2',
      'bytes=a-b',
      'bytes=0-1,3-4',
      'bytes=-',
      'items=0-1',
      `bytes=${'9'.repeat(400)}-`,
    ]) {
      const answer = await download(digits, { Range: range });
      assert.deepEqual([answer.status, answer.text], [200, '0123456789'], range);
    }
    const empty = await stored(new Uint8Array(), 'empty.txt');
    assert.deepEqual(
      [
        (await download(empty)).status,
        (await download(empty, { Range: 'bytes=0-' })).status,
        (await download(empty, { Range: 'bytes=-5' })).status,
      ],
      [200, 416, 416],
    );
  });

  it('DOC-04 resumes only with the same content: If-Range', async () => {
    const current = await download(digits);
    for (const [value, status] of [
      [tag, 206],
      [current.headers.get('last-modified') ?? '', 206],
      ['"other"', 200],
      [`W/${tag}`, 200],
      ['Thu, 01 Jan 1970 00:00:00 GMT', 200],
    ] as const)
      assert.equal((await download(digits, { Range: 'bytes=2-3', 'If-Range': value })).status, status, value);
  });

  it('DOC-04 is not sent again to a client that already has it', async () => {
    for (const value of [tag, `W/${tag}`, `"x", ${tag}`, '*']) {
      const answer = await download(digits, { 'If-None-Match': value });
      assert.deepEqual([answer.status, answer.text, answer.headers.get('etag')], [304, '', tag], value);
    }
    assert.equal((await download(digits, { 'If-None-Match': '"other"' })).status, 200);
    const modified = (await download(digits)).headers.get('last-modified') ?? '';
    assert.equal((await download(digits, { 'If-Modified-Since': modified })).status, 304);
    assert.equal(
      (await download(digits, { 'If-Modified-Since': modified, 'If-None-Match': '"other"' })).status,
      200,
      'the tag overrides the date',
    );
    assert.equal((await download(digits, { 'If-Modified-Since': 'Thu, 01 Jan 1970 00:00:00 GMT' })).status, 200);
    assert.equal((await download(digits, { 'If-Modified-Since': 'no date' })).status, 200);
  });

  it('DOC-04 answers HEAD with the headers alone, with and without a range', async () => {
    for (const headers of [{}, { Range: 'bytes=0-1' }]) {
      const answer = await on.admin.send('HEAD', `/api/attachment/download?ID=${digits}`, undefined, headers);
      assert.deepEqual(
        [answer.status, answer.text, answer.headers.get('content-length'), answer.headers.get('etag')],
        [200, '', '10', tag],
      );
    }
    assert.equal(
      (await on.admin.send('HEAD', `/api/attachment/download?ID=${digits}`, undefined, { 'If-None-Match': tag }))
        .status,
      304,
    );
    assert.equal((await on.admin.send('HEAD', '/api/attachment/download?ID=99999999')).status, 404);
  });

  it('DOC-04 KRN-18 reveals nothing about a document that is not visible, whatever headers are sent', async () => {
    const own = Number(
      (
        await on.admin.post('/api/foreclosure/save?Output=Json', {
          Foreclosure: 'A-1',
          OrganizationID: firm.organizationId,
        })
      ).json()['ForeclosureID'],
    );
    await on.admin.post('/api/attachmenttemplate/save', { AttachmentTemplate: 'Any', Repeatable: 'Many' });
    const content = Buffer.from('of one firm');
    const id = await stored(content, 'a.txt', `Object=Foreclosure&ObjectID=${own}&Template=Any`);
    for (const operation of ['download', 'view']) {
      assert.equal((await firm.caller.get(`/api/attachment/${operation}?ID=${id}`)).text, 'of one firm');
      for (const headers of [{}, { Range: 'bytes=0-1' }, { 'If-None-Match': `"${sha256(content)}"` }])
        assert.equal((await other.caller.get(`/api/attachment/${operation}?ID=${id}`, headers)).status, 404);
      assert.equal((await on.anonymous.get(`/api/attachment/${operation}?ID=${id}`)).status, 401);
    }
  });

  it('DOC-04 KRN-21 of a sealed file has no ranges, requires UnmaskSSN, and is recorded in the security log each time', async () => {
    const content = Buffer.from('a referral with 900-12-3456 in it. '.repeat(9_000));
    const staged = await on.platform.documents.stage(
      (async function* () {
        yield content;
      })(),
      { fileName: 'r.xml', sealed: true },
    );
    const id = String(
      (await on.admin.post('/api/attachment/save?Output=Json', { FileName: 'r.xml', Staged: staged.token })).json()[
        'AttachmentID'
      ],
    );
    const answer = await download(id, { Range: 'bytes=10-20' });
    // A hash would let others find the number by trying all.
    assert.deepEqual(
      [answer.status, answer.text.length, answer.headers.get('accept-ranges'), answer.headers.get('etag')],
      [200, content.length, 'none', null],
    );
    const staff = await on.user('staff of sealed files', 'Staff');
    for (const operation of ['download', 'view'])
      assert.equal((await staff.caller.get(`/api/attachment/${operation}?ID=${id}`)).status, 403);
    const log = await on.admin.get('/api/securitylog/search?SecurityLog=SealedDownloaded&Output=Json');
    assert.match(log.text, new RegExp(`"ObjectID":${id}\\b`));
  });

  it(
    'DOC-04 of a large file is streamed; a client that disconnects leaves no file open',
    { skip: existsSync('/proc/self/fd') ? false : 'open files are seen in /proc only' },
    async () => {
      const id = await stored(randomBytes(24 * 1024 * 1024), 'large.bin');
      const open = (): number =>
        readdirSync('/proc/self/fd').filter((fd) => {
          try {
            return readlinkSync(`/proc/self/fd/${fd}`).startsWith(folder);
          } catch {
            return false;
          }
        }).length;
      await new Promise<void>((resolve, reject) => {
        get(`${on.url}/api/attachment/download?ID=${id}`, { headers: KEY }, (response) => {
          response.once('data', () => {
            try {
              // It waits for a client that does not read: the rest is neither read nor held in memory.
              assert.equal(open(), 1);
              resolve();
            } catch (error) {
              reject(error instanceof Error ? error : new Error(String(error)));
            } finally {
              response.destroy();
            }
          });
        }).on('error', () => undefined);
      });
      await eventually('the file is closed', () => open() === 0);
      // The second response waits for the first one, which this client does not read.
      const { hostname, port } = new URL(on.url);
      const socket = connect(Number(port), hostname);
      const request = `GET /api/attachment/download?ID=${id} HTTP/1.1\r\nHost: ${hostname}\r\n`;
      socket.write(`${request}X-ApiKey: ${KEY['X-ApiKey']}\r\n\r\n`.repeat(2));
      await eventually('both are opened', () => open() === 2);
      socket.destroy();
      await eventually('both files are closed', () => open() === 0);
    },
  );

  it('DOC-04 of a damaged or missing file is refused with 503, and the check finds it', async () => {
    const [short, gone, changed] = [
      await stored(randomBytes(5_000), 'short.bin'),
      await stored(randomBytes(5_001), 'gone.bin'),
      await stored(randomBytes(5_002), 'changed.bin'),
    ];
    assert.equal(await checkStoredFiles.run(on.platform), 0, 'the store is consistent before');
    truncateSync(await pathOf(short), 4_000);
    writeFileSync(await pathOf(changed), Buffer.alloc(5_002, 7));
    await on.platform.providers
      .get(FILE_OBJECT, 'Local')
      .delete(String((await on.admin.get(`/api/attachment/select?ID=${gone}&Output=Json`)).json()['FilePath']));
    assert.deepEqual([(await download(short)).status, (await download(gone)).status], [503, 503]);
    assert.equal(await checkStoredFiles.run(on.platform), 3);
    const log = (await on.admin.get('/api/errorlog/search?Operation=attachment/checkfiles&Output=Json')).text;
    for (const [id, problem] of [
      [short, 'has 4000 bytes instead of 5000'],
      [gone, 'is missing'],
      [changed, 'does not have the content that was stored'],
    ] as const)
      assert.ok(log.includes(`The stored file of Attachment ${id} ${problem}`), log);
  });
});

describe('an inline view', () => {
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  );

  it('DOC-04 shows PDF, images and text with their type; active content is shown as text or saved', async () => {
    for (const [name, content, type, shown] of [
      ['a.pdf', '%PDF-1.7\n%%EOF\n', 'application/pdf', 'inline'],
      ['a.png', png, 'image/png', 'inline'],
      ['a.txt', 'plain', 'text/plain; charset=utf-8', 'inline'],
      ['a.csv', 'a,b', 'text/plain; charset=utf-8', 'inline'],
      ['a.html', '<script>alert(1)</script>', 'text/plain; charset=utf-8', 'inline'],
      [
        'a.svg',
        '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
        null,
        null,
      ],
      [
        'a.xml',
        '<?xml version="1.0"?><x xmlns="http://www.w3.org/1999/xhtml"><script>alert(1)</script></x>',
        'text/plain; charset=utf-8',
        'inline',
      ],
      ['a.bin', 'unknown', 'application/octet-stream', 'attachment'],
    ] as const) {
      const answer = await view(await stored(Buffer.from(content as string), name));
      const disposition = answer.headers.get('content-disposition') ?? '';
      const mime = answer.headers.get('content-type') ?? '';
      assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
      assert.match(
        answer.headers.get('content-security-policy') ?? '',
        name === 'a.pdf' ? /^default-src 'none'/ : /^sandbox; default-src 'none'/,
      );
      assert.doesNotMatch(answer.headers.get('content-security-policy') ?? '', /script-src|unsafe-eval|allow-/);
      if (type !== null) assert.deepEqual([mime, disposition.split(';')[0]], [type, shown], name);
      else
        assert.ok(
          disposition.startsWith('attachment') || mime.startsWith('text/plain'),
          `${name}: ${mime} ${disposition}`,
        );
    }
  });

  it('DOC-04 has ranges, tags and names like a download', async () => {
    const part = await on.admin.get(`/api/attachment/view?ID=${digits}`, { Range: 'bytes=2-4' });
    assert.deepEqual([part.status, part.text, part.headers.get('etag')], [206, '234', tag]);
    assert.match(part.headers.get('content-disposition') ?? '', /^inline; filename="digits\.txt"/);
    assert.equal((await on.admin.get(`/api/attachment/view?ID=${digits}`, { 'If-None-Match': tag })).status, 304);
    assert.equal((await on.admin.get(`/api/attachment/view/${digits}`)).text, '0123456789');
  });
});

describe('the file store', () => {
  const inodeOf = async (id: string): Promise<number> => statSync(await pathOf(id)).ino;

  it('DOC-11 stores equal content once, however it arrived, and gives each document its own path', async () => {
    const content = randomBytes(30_000);
    const one = await stored(content, 'one.bin');
    const two = await stored(content, 'two.bin');
    const three = String(
      (
        await on.admin.post('/api/attachment/save?Output=Json', {
          FileName: 'three.bin',
          Content: content.toString('base64'),
        })
      ).json()['AttachmentID'],
    );
    assert.notEqual(await pathOf(one), await pathOf(two));
    assert.equal(new Set([await inodeOf(one), await inodeOf(two), await inodeOf(three)]).size, 1);
  });

  it('DOC-11 never reuses damaged content for a new upload of the same bytes', async () => {
    const content = randomBytes(30_000);
    const damaged = await stored(content, 'damaged.bin');
    writeFileSync(await pathOf(damaged), Buffer.alloc(30_000));
    const fresh = await stored(content, 'fresh.bin');
    assert.ok(readFileSync(await pathOf(fresh)).equals(content));
    assert.equal(
      await inodeOf(await stored(content, 'later.bin')),
      await inodeOf(fresh),
      'from now on the intact file provides the content',
    );
  });

  it('DOC-03 forgets uploads hours after their last chunk; finished documents stay', async () => {
    const open = String(
      (await sendChunk(on.admin, Buffer.from('half'), { name: 'a.txt', size: 8 })).json()['upload_name'],
    );
    const done = await upload(on.admin, Buffer.from('a finished one'), { name: 'done.txt' });
    const parts = (): string[] => readdirSync(join(folder, '.uploads'));
    assert.ok(parts().includes(open) && parts().includes(done.guid));
    clock.advance(23 * 3_600_000);
    assert.equal(await sweepUploads.run(on.platform), 0);
    assert.equal(
      (await sendChunk(on.admin, Buffer.from('xy'), { guid: open })).status,
      200,
      'it continues, and expires later',
    );
    clock.advance(2 * 3_600_000);
    assert.ok((await sweepUploads.run(on.platform)) > 1);
    assert.deepEqual(parts(), [open]);
    assert.equal((await sendChunk(on.admin, Buffer.from('z'), { guid: done.guid })).status, 404);
    assert.equal((await download(String(done.answer.json()['AttachmentID']))).text, 'a finished one');
    clock.advance(24 * 3_600_000);
    // Bytes whose process died before it inserted their row.
    writeFileSync(join(folder, '.uploads', '0b6c3f6e-0000-4000-8000-000000000000'), 'orphan');
    assert.equal(await sweepUploads.run(on.platform), 2);
    assert.deepEqual(parts(), []);
    assert.equal((await sendChunk(on.admin, Buffer.from('z'), { guid: open })).status, 404);
  });
});
