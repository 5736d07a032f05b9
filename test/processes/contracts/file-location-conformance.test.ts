import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { fileObjectConformance } from '../../../src/contracts/conformance/file-object.ts';
import type { FileObject } from '../../../src/contracts/file-object.ts';
import type { SavedProvider } from '../../../src/contracts/provider-options.ts';
import type { Settings } from '../../../src/kernel/declare/setting.ts';
import { s3Buckets, type s3Options } from '../../../src/providers/file-object/s3/s3-type.ts';
import { sftpFolders, type SftpOptions } from '../../../src/providers/file-object/sftp/sftp-type.ts';
import { sharedFolders } from '../../../src/providers/file-object/shared-folder/shared-folder.ts';
import { atEnd } from '../../support/at-end.ts';
import { afterCollection } from '../../support/held-memory.ts';
import { opensshServer, withoutOpensshServer } from '../../support/peers/openssh-server.ts';
import { s3Server } from '../../support/peers/s3-server.ts';
import { assertPrivate } from '../../support/private-modes.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const end = { after };
/** Settings that let the platform connect to this machine, where the tests' servers run. */
const settings: Settings = {
  get: (definition) =>
    (({ OutboundHttpLoopback: true, OutboundAllowedNetworks: '127.0.0.1' } as Record<string, unknown>)[
      definition.name
    ] ?? definition.default) as never,
};
// The servers are started before the first suite runs.
const s3 = await s3Server(end);
const sshd = withoutOpensshServer === false ? await opensshServer(end) : undefined;

function conforms(files: () => FileObject): void {
  for (const { title, check } of fileObjectConformance) it(`DOC-11 ${title}`, () => check(files()));
}

function closedAtEnd(files: FileObject): FileObject {
  atEnd(end, () => files.close?.());
  return files;
}

const MEGABYTE = 1024 * 1024;
/** Megabytes: more than any of the locations may hold in memory at once. */
const LARGE_MEGABYTES = 160;

async function* bytes(...parts: readonly (string | Uint8Array)[]): AsyncIterable<Uint8Array> {
  for (const part of parts) yield typeof part === 'string' ? Buffer.from(part) : part;
}

/** Yields the given megabytes; `between` is called before each. */
async function* megabytes(
  count: number,
  between: (n: number) => void | Promise<void> = () => undefined,
): AsyncIterable<Uint8Array> {
  const piece = Buffer.alloc(MEGABYTE, 5);
  for (let n = 0; n < count; n++) {
    await between(n);
    yield piece;
  }
}

async function pathsOf(files: FileObject, folder = '/', depth = 9): Promise<string[]> {
  const found: string[] = [];
  for await (const path of files.list(folder, { depth })) found.push(path);
  return found;
}

/**
 * Returns the peak memory in megabytes that some work holds beyond the file itself. A value of at least `limit` counts
 * only if it remains after a collection: how much is not collected yet depends on how busy the machine is.
 */
async function peakMegabytes(limit: number, work: (look: () => Promise<void>) => Promise<void>): Promise<number> {
  const used = (): number => {
    const { arrayBuffers, heapUsed } = process.memoryUsage();
    return (arrayBuffers + heapUsed) / MEGABYTE;
  };
  const before = await afterCollection(used);
  let most = 0;
  let looks = 0;
  await work(async () => {
    // Looking takes as long as hashing a megabyte.
    if (looks++ % 4 !== 0) return;
    const now = used() - before;
    most = Math.max(most, now < limit ? now : (await afterCollection(used)) - before);
  });
  return most;
}

/** Mounts a file system of the given megabytes on a new folder; undefined if this process lacks the rights. */
function smallDisk(size: number): string | undefined {
  const folder = temporaryFolder(end);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}m`, 'tmpfs', folder], { stdio: 'ignore' });
    atEnd(end, () => void execFileSync('umount', ['-l', folder]));
    return folder;
  } catch {
    return undefined;
  }
}

const disk = smallDisk(4);
const withoutDisk = disk === undefined ? 'a small file system cannot be mounted: it takes root' : false;

/** What every location must do with files larger than memory should be, and what it must not leave behind. */
function itHandlesLargeFiles(files: () => FileObject, megabytesHeld: number): void {
  it('DOC-11 streams a large file in bounded memory', async () => {
    const path = `/large-${randomUUID()}`;
    const held = await peakMegabytes(megabytesHeld, async (look) => {
      assert.equal((await files().write(path, megabytes(LARGE_MEGABYTES, look))).size, LARGE_MEGABYTES * MEGABYTE);
      let size = 0;
      for await (const piece of files().read(path)) {
        size += piece.length;
        await look();
      }
      assert.equal(size, LARGE_MEGABYTES * MEGABYTE);
    });
    await files().delete(path);
    assert.ok(held < megabytesHeld, `${Math.round(held)} MB were held at once`);
  });
}

describe('a shared folder as file object', () => {
  const root = temporaryFolder(end);
  const files = sharedFolders(root).open({ id: 1, name: 'Inbox', options: { Folder: 'in/acme' } });
  conforms(() => files);
  itHandlesLargeFiles(() => files, 96);

  it('DOC-11 leaves nothing behind, and does not show files that are being written', () => {
    assert.deepEqual(
      readdirSync(join(root, 'in/acme'), { recursive: true })
        .map(String)
        .filter((name) => name.includes('.part')),
      [],
    );
  });

  it('DOC-11 keeps files from other users of the machine', async () => {
    await files.write('/private/deep/a', bytes('a'));
    await files.copy('/private/deep/a', '/private/b');
    assert.ok(assertPrivate(root) >= 6);
  });

  it('DOC-11 keeps folders that become empty: their senders would miss them', async () => {
    await files.write('/kept/a', bytes('a'));
    await files.delete('/kept/a');
    assert.ok(existsSync(join(root, 'in/acme/kept')));
  });

  it('DOC-11 removes parts left by a killed process, in any folder', async () => {
    mkdirSync(join(root, 'in/acme/deep/er'), { recursive: true });
    writeFileSync(join(root, 'in/acme/deep/er', `.casewright-${randomUUID()}.part`), 'cut off');
    writeFileSync(join(root, 'in/acme/deep/er', '.casewright-of-somebody-else.part'), 'kept');
    assert.equal(await files.removeUnfinished('2000-01-01T00:00:00.000Z'), 0);
    assert.equal(await files.removeUnfinished('2999-01-01T00:00:00.000Z'), 1);
    assert.deepEqual(readdirSync(join(root, 'in/acme/deep/er')), ['.casewright-of-somebody-else.part']);
  });

  it('DOC-11 does not block on an entry that is not a file', async () => {
    execFileSync('mkfifo', [join(root, 'in/acme/pipe')]);
    await assert.rejects(
      async () => {
        for await (const _piece of files.read('/pipe')) break;
      },
      { code: 'NOT_FOUND' },
    );
    assert.equal(await files.stat('/pipe'), undefined);
  });

  it('DOC-11 reports a full disk, and leaves nothing on it', { skip: withoutDisk }, async () => {
    const small = sharedFolders(disk ?? '').open({ id: 1, name: 'Small', options: { Folder: 'small' } });
    await assert.rejects(small.write('/big', megabytes(8)), { code: 'UNAVAILABLE', message: /is full/ });
    assert.deepEqual(readdirSync(join(disk ?? '', 'small')), []);
    assert.equal((await small.write('/fits', megabytes(1))).size, MEGABYTE);
    await small.delete('/fits');
  });
});

const bucket: SavedProvider<typeof s3Options> = {
  id: 2,
  name: 'Bucket',
  options: {
    Endpoint: s3.endpoint,
    Bucket: s3.bucket,
    AccessKeyID: s3.accessKeyId,
    SecretAccessKey: s3.secretAccessKey,
    Folder: 'some/prefix',
  },
};

describe('a bucket as file object', () => {
  const files = closedAtEnd(s3Buckets(settings).open(bucket));
  conforms(() => files);
  // The store runs in this process too.
  itHandlesLargeFiles(() => files, 96);

  it('DOC-11 lists page by page, however many keys there are', async () => {
    s3.pageKeys = 3;
    for (let n = 0; n < 10; n++) await files.write(`/paged/${n % 2 === 0 ? '' : 'below/'}key-${n}`, bytes('x'));
    assert.equal((await pathsOf(files, '/paged')).length, 10);
    assert.deepEqual(
      await pathsOf(files, '/paged', 0),
      [0, 2, 4, 6, 8].map((n) => `/paged/key-${n}`),
    );
    s3.pageKeys = 1_000;
  });

  it('DOC-11 aborts an interrupted upload, and keeps nothing of it', async () => {
    const before = s3.requests.length;
    await assert.rejects(
      files.write(
        '/cut-off',
        megabytes(24, (n) => {
          if (n === 20) throw new Error('cut off');
        }),
      ),
      /cut off/,
    );
    assert.equal(await files.stat('/cut-off'), undefined);
    const sent = s3.requests.slice(before);
    assert.ok(
      sent.some((request) => /^PUT .*partNumber=2/.test(request)) &&
        sent.some((request) => /^DELETE .*uploadId=/.test(request)),
      sent.join('\n'),
    );
  });

  it('DOC-11 reports a full store, and one that refuses, in its own words', async () => {
    s3.refuse = (method) => (method === 'PUT' ? { status: 507, code: 'XMinioStorageFull' } : undefined);
    await assert.rejects(files.write('/full', bytes('x')), { code: 'UNAVAILABLE', message: /is full/ });
    s3.refuse = () => ({ status: 403, code: 'AccessDenied' });
    await assert.rejects(files.write('/denied', bytes('x')), {
      code: 'UNAVAILABLE',
      message: /Bucket cannot be reached or refuses access: (AccessDenied|Forbidden|403)/,
    });
    s3.refuse = () => undefined;
    assert.equal((await files.write('/denied', bytes('x'))).size, 1);
  });

  it('DOC-11 connects nowhere once the settings no longer allow it', async () => {
    let isAllowed = true;
    const changing = closedAtEnd(
      s3Buckets({
        get: (definition) => (definition.name === 'OutboundHttpLoopback' ? isAllowed : definition.default) as never,
      }).open(bucket),
    );
    assert.equal(await changing.stat('/none'), undefined);
    isAllowed = false;
    await assert.rejects(changing.stat('/none'), {
      code: 'UNAVAILABLE',
      message: /not an address that the platform may connect to/,
    });
  });
});

describe('a folder of an sFTP server as file object', { skip: withoutOpensshServer }, () => {
  if (!sshd) return;
  const options: SftpOptions = {
    Host: '127.0.0.1',
    Port: sshd.port,
    UserName: sshd.user,
    PrivateKey: sshd.privateKey,
    HostKey: sshd.fingerprint,
    Folder: sshd.folder,
    ConnectionsMax: 3,
    TimeoutSeconds: 10,
  };
  const open = (more: Partial<SftpOptions> = {}): FileObject =>
    closedAtEnd(sftpFolders(settings).open({ id: 3, name: 'Partner', options: { ...options, ...more } }));
  const files = open();
  conforms(() => files);
  itHandlesLargeFiles(() => files, 96);

  it('DOC-11 leaves nothing behind, and does not show files that are being written', () => {
    assert.deepEqual(
      readdirSync(sshd.folder, { recursive: true })
        .map(String)
        .filter((name) => name.includes('.part')),
      [],
    );
  });

  it('DOC-11 keeps files from other users of the server', async () => {
    await files.write('/private/deep/a', bytes('a'));
    await files.copy('/private/deep/a', '/private/b');
    assert.equal(assertPrivate(join(sshd.folder, 'private')), 3);
  });

  it('DOC-11 follows no link planted on the server', async () => {
    mkdirSync(join(sshd.folder, 'planted'));
    symlinkSync('/etc', join(sshd.folder, 'planted/etc'));
    symlinkSync('/etc/passwd', join(sshd.folder, 'planted/passwd'));
    for (const path of ['/planted/passwd', '/planted/etc/passwd']) {
      assert.equal(await files.stat(path), undefined);
      await assert.rejects(
        async () => {
          for await (const _piece of files.read(path)) break;
        },
        { code: 'NOT_FOUND' },
      );
      await files.delete(path);
    }
    await assert.rejects(files.write('/planted/etc/casewright-test', bytes('x')), { code: 'UNAVAILABLE' });
    assert.deepEqual(
      [existsSync('/etc/casewright-test'), existsSync('/etc/passwd'), await pathsOf(files, '/planted')],
      [false, true, []],
    );
  });

  it('DOC-11 reconnects if connections broke while idle', async () => {
    await Promise.all([1, 2, 3].map((n) => files.write(`/again-${n}`, bytes(String(n)))));
    sshd.dropConnections();
    assert.deepEqual(await Promise.all([1, 2, 3].map(async (n) => (await files.stat(`/again-${n}`))?.size)), [1, 1, 1]);
  });

  it('DOC-11 keeps nothing of a write whose connection breaks, and reports it', async () => {
    await assert.rejects(
      files.write(
        '/broken',
        megabytes(16, (n) => {
          if (n === 8) sshd.dropConnections();
        }),
      ),
      { code: 'UNAVAILABLE', message: /Partner (lost the connection|cannot be reached)/ },
    );
    assert.equal(await files.stat('/broken'), undefined);
    assert.equal(
      await files.removeUnfinished('2999-01-01T00:00:00.000Z'),
      1,
      'what the server stored of it is removed',
    );
  });

  it('DOC-11 fails a reader whose connection breaks, instead of ending early', async () => {
    await files.write('/long', megabytes(24));
    await assert.rejects(
      async () => {
        let read = 0;
        for await (const piece of files.read('/long'))
          if ((read += piece.length) === 4 * MEGABYTE) sshd.dropConnections();
      },
      { code: 'UNAVAILABLE' },
    );
  });

  it('DOC-11 does not wait forever for a server that stops answering', async () => {
    const impatient = open({ TimeoutSeconds: 1 });
    await impatient.stat('/none');
    sshd.freeze(true);
    await assert.rejects(impatient.stat('/none'), {
      code: 'UNAVAILABLE',
      message: /stopped answering|does not respond|lost the connection/,
    });
    sshd.freeze(false);
    assert.equal(await impatient.stat('/none'), undefined);
  });

  it('DOC-11 reports a full server, and leaves nothing there', { skip: withoutDisk }, async () => {
    mkdirSync(join(disk ?? '', 'sftp'));
    const small = open({ Folder: join(disk ?? '', 'sftp') });
    await assert.rejects(small.write('/big', megabytes(8)), { code: 'UNAVAILABLE', message: /is full/ });
    assert.deepEqual(readdirSync(join(disk ?? '', 'sftp')), []);
  });

  it('DOC-11 waits for a connection instead of opening more than it may', async () => {
    const one = open({ ConnectionsMax: 1 });
    await one.write('/turns', bytes('turns'));
    assert.deepEqual(
      await Promise.all(Array.from({ length: 12 }, async () => (await one.stat('/turns'))?.size)),
      Array.from({ length: 12 }, () => 5),
    );
    const hasty = open({ ConnectionsMax: 1, TimeoutSeconds: 1 });
    await hasty.write('/long-turn', megabytes(2));
    for await (const _piece of hasty.read('/long-turn')) {
      await assert.rejects(hasty.stat('/turns'), { code: 'UNAVAILABLE', message: /all of its 1 connections in use/ });
      break;
    }
    assert.equal((await hasty.stat('/turns'))?.size, 5);
  });
});
