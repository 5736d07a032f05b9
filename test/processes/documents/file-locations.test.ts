import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { fileObjectConformance } from '../../../src/contracts/conformance/file-object.ts';
import { FILE_OBJECT, type FileObject } from '../../../src/contracts/file-object.ts';
import { eventually } from '../../support/eventually.ts';
import { opensshServer, withoutOpensshServer } from '../../support/peers/openssh-server.ts';
import { testPlatform } from '../../support/platform.ts';
import { s3Server } from '../../support/peers/s3-server.ts';
import { secondPlatform } from '../../support/second-platform.ts';

const end = { after };
const sshd = withoutOpensshServer === false ? await opensshServer(end) : undefined;
const s3 = await s3Server(end);
const on = await testPlatform(end);
const { admin, platform, storagesFolder } = on;
/** Returns a location as the next call would find it. */
async function location(name: string): Promise<FileObject> {
  await platform.settings.fresh();
  return platform.providers.get(FILE_OBJECT, name);
}

async function save(fields: Record<string, unknown>): Promise<{ status: number; text: string; id: number }> {
  const { status, text } = await admin.post('/api/fileobject/save?Output=Json', fields);
  return { status, text, id: status === 200 ? (JSON.parse(text) as { FileObjectID: number }).FileObjectID : 0 };
}

async function set(name: string, value: string): Promise<void> {
  const [known] = await platform.store.query<{ id: number }>(
    'select settingid as id from setting where setting = $1::text',
    [name],
  );
  const answer = await admin.post('/api/setting/save', {
    ...(known ? { ID: known.id } : {}),
    Setting: name,
    Value: value,
  });
  assert.equal(answer.status, 200, answer.text);
}

await set('OutboundHttpLoopback', 'true');
await set('OutboundAllowedNetworks', '127.0.0.1');

const s3Fields = {
  FileObjectType: 's3',
  Endpoint: s3.endpoint,
  Bucket: s3.bucket,
  AccessKeyID: s3.accessKeyId,
  SecretAccessKey: s3.secretAccessKey,
};
const sftpFields = {
  FileObjectType: 'sftp',
  Host: '127.0.0.1',
  Port: sshd?.port,
  UserName: sshd?.user,
  PrivateKey: sshd?.privateKey,
  HostKey: sshd?.fingerprint,
  Folder: sshd?.folder,
};

describe('files in the database as file object', () => {
  it('DOC-11 a location in the database is created by an administrator and available at once', async () => {
    assert.equal((await save({ FileObject: 'Kept', FileObjectType: 'Database' })).status, 200);
    await platform.settings.fresh();
    assert.deepEqual(platform.providers.names(FILE_OBJECT), ['Local', 'Kept']);
  });

  for (const { title, check } of fileObjectConformance)
    it(`DOC-11 ${title}`, async () => check(await location('kept')));

  it('DOC-11 leaves no content behind without a path, whatever failed', async () => {
    await (await location('Kept')).removeUnfinished('2999-01-01T00:00:00.000Z');
    const left = await platform.store.query(
      'select 1 from filecontent c where not exists (select from storedfile s where s.filecontentid = c.filecontentid)',
    );
    const pieces = await platform.store.query(
      `select 1
       from filepiece p
       where not exists (select from filecontent c where c.filecontentid = p.filecontentid and c.size is not null)`,
    );
    assert.deepEqual([left.length, pieces.length], [0, 0]);
  });
});

describe('saved storage locations', () => {
  it('DOC-11 KRN-29 are found by name as soon as they are saved, in every process, and follow their changes', async () => {
    const other = await secondPlatform(end, on);
    const { id } = await save({ FileObject: 'Inbox Acme', FileObjectType: 'local', Folder: 'inbox/acme' });
    await eventually('the other process knows the location', async () => {
      await other.platform.settings.fresh();
      return other.platform.providers.names(FILE_OBJECT).includes('Inbox Acme');
    });
    await (
      await location('inbox acme')
    ).write(
      '/a.txt',
      (async function* () {
        yield Buffer.from('a');
      })(),
    );
    assert.equal(readFileSync(join(storagesFolder, 'inbox/acme/a.txt'), 'utf8'), 'a');
    assert.equal((await save({ ID: id, Folder: 'inbox/other' })).status, 200);
    assert.equal(await (await location('Inbox Acme')).stat('/a.txt'), undefined);
    assert.equal((await save({ ID: id, Folder: 'inbox/acme' })).status, 200);
    assert.equal((await (await location('Inbox Acme')).stat('/a.txt'))?.size, 1);
    const listed = await admin.get('/api/fileobject/list?FileObject=INBOX%20ACME&Output=Json');
    assert.deepEqual(
      (JSON.parse(listed.text) as { FileCollection: { FileItem: { Path: string }[] } }).FileCollection.FileItem.map(
        ({ Path }) => Path,
      ),
      ['/a.txt'],
      listed.text,
    );
    assert.equal((await admin.get('/api/fileobject/list?FileObject=Nowhere')).status, 422);
  });

  it('DOC-11 have a unique, permanent name, a permanent type, and the values that their type needs', async () => {
    const refused = async (fields: Record<string, unknown>, status: number, message: RegExp): Promise<void> => {
      const answer = await save(fields);
      assert.deepEqual([answer.status, message.test(answer.text)], [status, true], answer.text);
    };
    await refused({ FileObject: 'local', FileObjectType: 'database' }, 409, /already/);
    await refused({ FileObject: 'KEPT', FileObjectType: 'database' }, 409, /already/);
    await refused({ FileObject: '../x', FileObjectType: 'database' }, 400, /a name of letters/);
    await refused({ FileObject: 'Tape', FileObjectType: 'tape' }, 400, /a kind of storage: local, database, s3, sftp/);
    await refused({ FileObject: 'Bare', FileObjectType: 's3', Bucket: 'bare' }, 400, /AccessKeyID is required/);
    await refused(
      { FileObject: 'Mixed', FileObjectType: 'database', Host: 'x.example' },
      400,
      /Host: expected no value/,
    );
    await refused(
      { FileObject: 'Both', ...sftpFields, Host: 'sftp.example', Password: 'x', PrivateKey: 'y' },
      400,
      /either Password or PrivateKey/,
    );
    await refused(
      { FileObject: 'Key', FileObjectType: 'sftp', Host: 'sftp.example', UserName: 'u', PrivateKey: 'no key' },
      400,
      /PrivateKey: expected a private key/,
    );
    await refused(
      {
        FileObject: 'Print',
        FileObjectType: 'sftp',
        Host: 'sftp.example',
        UserName: 'u',
        Password: 'p',
        HostKey: 'MD5:00',
      },
      400,
      /HostKey: expected fingerprints/,
    );
    const { id } = await save({ FileObject: 'Stays', FileObjectType: 'database' });
    await refused({ ID: id, FileObject: 'Goes' }, 422, /cannot be renamed/);
    await refused({ ID: id, FileObjectType: 'local', Folder: 'x' }, 422, /kind of a storage location cannot change/);
  });

  it("DOC-11 on this machine are below the installation's storage folder, whatever the path says, and follow no link out of it", async () => {
    for (const folder of ['/etc/..', '../up', 'a/../../b', '/', '', '.hidden', 'a/./b', 'a\\..\\b']) {
      const answer = await save({ FileObject: 'Out', FileObjectType: 'local', Folder: folder });
      assert.equal(answer.status, 400, `${folder} ${answer.text}`);
    }
    // An absolute path is relative to the storage folder too.
    assert.equal((await save({ FileObject: 'Absolute', FileObjectType: 'local', Folder: '/etc' })).status, 200);
    assert.equal(await (await location('Absolute')).stat('/passwd'), undefined);
    mkdirSync(join(storagesFolder, 'planted'), { recursive: true });
    symlinkSync('/etc', join(storagesFolder, 'planted/etc'));
    symlinkSync('/etc/passwd', join(storagesFolder, 'planted/passwd'));
    writeFileSync(join(storagesFolder, 'planted/good'), 'good');
    assert.equal((await save({ FileObject: 'Planted', FileObjectType: 'local', Folder: 'planted' })).status, 200);
    assert.equal((await save({ FileObject: 'Through', FileObjectType: 'local', Folder: 'planted/etc' })).status, 200);
    const read = async (name: string, path: string): Promise<string> => {
      try {
        const parts: Uint8Array[] = [];
        for await (const part of (await location(name)).read(path)) parts.push(part);
        return Buffer.concat(parts).toString();
      } catch (error) {
        return String((error as { code?: unknown }).code);
      }
    };
    assert.deepEqual(
      [
        await read('Planted', '/good'),
        await read('Planted', '/passwd'),
        await read('Planted', '/etc/passwd'),
        await read('Through', '/passwd'),
      ],
      ['good', 'NOT_FOUND', 'NOT_FOUND', 'NOT_FOUND'],
    );
    await assert.rejects(
      (await location('Planted')).write(
        '/etc/casewright-test',
        (async function* () {
          yield Buffer.from('x');
        })(),
      ),
      { code: 'UNAVAILABLE' },
    );
    await assert.rejects(
      (await location('Through')).write(
        '/casewright-test',
        (async function* () {
          yield Buffer.from('x');
        })(),
      ),
      { code: 'UNAVAILABLE' },
    );
    assert.equal(existsSync('/etc/casewright-test'), false);
    await (await location('Planted')).delete('/passwd');
    assert.ok(existsSync('/etc/passwd'));
    const paths: string[] = [];
    for await (const path of (await location('Planted')).list('/', { depth: 5 })) paths.push(path);
    assert.deepEqual(paths, ['/good']);
  });

  it('DOC-11 keep their secrets sealed, show them to nobody, and do not send them to another host', async () => {
    const { id } = await save({ FileObject: 'Guarded', ...s3Fields, SecretAccessKey: 'the-secret-of-the-key' });
    const [row] = await platform.store.query<{ secret: string }>(
      'select secretaccesskey as secret from fileobject where fileobjectid = $1::bigint',
      [id],
    );
    assert.ok(row && row.secret.length > 40 && !row.secret.includes('the-secret'));
    await save({ ID: id, Description: 'changed' });
    for (const path of ['select', 'search', 'summary', 'history', 'asof']) {
      const answer = await admin.get(`/api/fileobject/${path}?ID=${id}&FileObjectID=${id}&Output=Json`);
      assert.doesNotMatch(answer.text, /the-secret|secretaccesskey/i, path);
    }
    assert.doesNotMatch(
      JSON.stringify(await platform.store.query('select old from history where tablename = $1::text', ['fileobject'])),
      /secretaccesskey|the-secret/,
    );
    const moved = await save({ ID: id, Endpoint: 'https://elsewhere.example' });
    assert.deepEqual([moved.status, moved.text.includes('SecretAccessKey is required')], [400, true], moved.text);
    assert.equal(
      (await save({ ID: id, Endpoint: 'https://elsewhere.example', SecretAccessKey: 'another' })).status,
      200,
    );
  });

  it('DOC-11 connect to no internal host unless the settings name its network', async () => {
    for (const fields of [
      { ...s3Fields, Endpoint: 'https://169.254.169.254' },
      { ...s3Fields, Endpoint: 'http://10.0.0.1:9000' },
      { ...s3Fields, Endpoint: 'https://[::1]' },
      { ...s3Fields, Endpoint: 'ftp://x.example' },
      { FileObjectType: 'sftp', Host: '10.1.2.3', UserName: 'u', Password: 'p' },
      { FileObjectType: 'sftp', Host: '0x7f.0.0.2', UserName: 'u', Password: 'p' },
      { FileObjectType: 'sftp', Host: 'a b', UserName: 'u', Password: 'p' },
    ]) {
      const answer = await save({ FileObject: 'Inside', ...fields });
      assert.equal(answer.status, 400, answer.text);
    }
    const { id } = await save({
      FileObject: 'Named',
      FileObjectType: 'sftp',
      Host: 'localhost',
      Port: 1,
      UserName: 'u',
      Password: 'p',
      HostKey: `SHA256:${'A'.repeat(43)}`,
      TimeoutSeconds: 5,
    });
    await set('OutboundAllowedNetworks', '192.0.2.0/24');
    const named = JSON.parse((await admin.post(`/api/fileobject/test?ID=${id}&Output=Json`)).text) as {
      Status: string;
      Message: string;
    };
    assert.deepEqual([named.Status, named.Message.includes('may not connect to')], ['Failed', true], named.Message);
    await set('OutboundAllowedNetworks', '127.0.0.1');
  });

  it('DOC-11 are for administrators alone', async () => {
    for (const role of ['Staff', 'Read Only']) {
      const { caller } = await on.user(`a ${role}`, role);
      for (const path of [
        'search',
        'list?FileObject=Local',
        'save?FileObject=Mine&FileObjectType=database',
        'test?ID=1',
      ])
        assert.equal((await caller.post(`/api/fileobject/${path}`)).status, 403, `${role} ${path}`);
    }
    const firm = await on.firm('a firm');
    for (const path of ['search', 'list?FileObject=Local', 'test?ID=1'])
      assert.equal((await firm.caller.post(`/api/fileobject/${path}`)).status, 403);
  });

  it('DOC-11 are not deleted while they hold documents or files', async () => {
    const { id } = await save({ FileObject: 'Used', FileObjectType: 'local', Folder: 'used' });
    const { text } = await admin.post('/api/attachment/save?Output=Json', { FileName: 'a.txt', Content: 'YQ==' });
    const { AttachmentID: document } = JSON.parse(text) as { AttachmentID: number };
    await platform.store.query("update attachment set fileobject = 'Used' where attachmentid = $1::bigint", [document]);
    const refused = await admin.post(`/api/fileobject/delete?ID=${id}`);
    assert.deepEqual(
      [refused.status, new RegExp(`Attachment ${document}`).test(refused.text)],
      [409, true],
      refused.text,
    );
    await platform.store.query('delete from attachment where attachmentid = $1::bigint', [document]);
    assert.ok((await admin.post(`/api/fileobject/delete?ID=${id}`)).status < 300);
    await assert.rejects(location('Used'), { code: 'UNKNOWN_PROVIDER' });
    const stored = Number(
      (
        await platform.store.query<{ id: number }>(
          "select fileobjectid as id from fileobject where fileobject = 'Kept'",
        )
      )[0]?.id,
    );
    await (
      await location('Kept')
    ).write(
      '/held',
      (async function* () {
        yield Buffer.from('x');
      })(),
    );
    assert.equal((await admin.post(`/api/fileobject/delete?ID=${stored}`)).status, 409);
  });
});

describe('fileobject/test', () => {
  const tested = async (id: number, write = true): Promise<{ Status: string; Message?: string; FileCount?: number }> =>
    JSON.parse((await admin.post(`/api/fileobject/test?ID=${id}&Write=${String(write)}&Output=Json`)).text) as never;

  it('DOC-11 reports that a location works, and leaves nothing in it', async () => {
    for (const fields of [
      { FileObject: 'Works local', FileObjectType: 'local', Folder: 'works' },
      { FileObject: 'Works database', FileObjectType: 'database' },
      { FileObject: 'Works s3', ...s3Fields, Folder: 'works' },
    ]) {
      const { id, text } = await save(fields);
      const answer = await tested(id);
      assert.deepEqual([answer.Status, answer.FileCount], ['Works', 0], `${text} ${JSON.stringify(answer)}`);
      const left: string[] = [];
      for await (const path of (await location(fields.FileObject)).list('/')) left.push(path);
      assert.deepEqual(left, []);
    }
  });

  it('DOC-11 explains what is wrong with a store', async () => {
    const { id } = await save({ FileObject: 'Wrong s3', ...s3Fields, Bucket: 'no-such-bucket' });
    assert.match((await tested(id)).Message ?? '', /no bucket no-such-bucket/);
    const wrongKey = await save({ FileObject: 'Wrong key', ...s3Fields, AccessKeyID: 'NOBODY' });
    assert.match((await tested(wrongKey.id)).Message ?? '', /InvalidAccessKeyId/);
    const down = await save({ FileObject: 'Down', ...s3Fields, Endpoint: 'http://127.0.0.1:1' });
    assert.match((await tested(down.id)).Message ?? '', /cannot be reached or refuses access: ECONNREFUSED/);
  });

  it(
    'DOC-11 shows the host key of an sFTP server to compare, refuses another one, and works with the right one',
    { skip: withoutOpensshServer },
    async () => {
      assert.ok(sshd);
      const { id } = await save({ FileObject: 'Partner', ...sftpFields, HostKey: undefined });
      const first = await tested(id);
      assert.ok(first.Message?.includes(sshd.fingerprint), first.Message);
      assert.equal((await save({ ID: id, HostKey: `SHA256:${'B'.repeat(43)}` })).status, 200);
      assert.match((await tested(id)).Message ?? '', /shows a key other than HostKey/);
      const other = await save({ ID: id, HostKey: sshd.fingerprint });
      assert.equal(other.status, 400, 'secrets must be sent again with another host key');
      assert.equal((await save({ ID: id, HostKey: sshd.fingerprint, PrivateKey: sshd.privateKey })).status, 200);
      const works = await tested(id);
      assert.deepEqual([works.Status, works.Message], ['Works', undefined]);
      const wrong = await save({ FileObject: 'Wrong user', ...sftpFields, UserName: 'nobody-here' });
      assert.match((await tested(wrong.id)).Message ?? '', /refuses the user name, password or key/);
    },
  );
});
