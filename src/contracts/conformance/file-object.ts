// size: the requirements of a contract are one list
import assert from 'node:assert/strict';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { FileEntry, FileObject, FileParts } from '../file-object.ts';

/** One requirement: a sentence, and a function that throws if the provider does not meet it. */
export interface Demand {
  readonly title: string;
  readonly check: (files: FileObject) => Promise<void>;
}

const MEGABYTE = 1024 * 1024;

async function* pieces(...parts: readonly (string | Uint8Array)[]): AsyncIterable<Uint8Array> {
  for (const part of parts) yield typeof part === 'string' ? Buffer.from(part) : part;
}

async function contentOf(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of bytes) parts.push(part);
  return Buffer.concat(parts);
}

async function pathsOf(files: FileObject, folder: string, depth?: number): Promise<string[]> {
  const found: string[] = [];
  for await (const path of files.list(folder, depth === undefined ? {} : { depth })) found.push(path);
  return found;
}

const coded =
  (code: string) =>
  (error: unknown): boolean =>
    error instanceof Error && (error as Error & { code?: unknown }).code === code;

/** A folder that no other requirement uses. */
const folder = (): string => `/Conformance/${randomUUID()}`;

/** Paths that leave the location, are hidden, or are not valid paths. */
const refusedPaths: readonly string[] = [
  '../x',
  '/../x',
  '/a/../../x',
  '/a/..',
  '/./x',
  'x',
  '',
  '/a\\..\\..\\x',
  '/a\u0000b',
  '/a\nb',
  `/${'n'.repeat(256)}`,
  '/%2e%2e/../x',
  '//../x',
];

/** Requirements of every provider of the contract. A provider's test runs all of them. */
export const fileObjectConformance: readonly Demand[] = [
  {
    title: 'returns what was written, with its size and hash',
    async check(files) {
      const path = `${folder()}/a note.txt`;
      const written = await files.write(path, pieces('one ', 'two ', '', 'three'));
      assert.deepEqual(written, { size: 13, hash: createHash('sha256').update('one two three').digest('hex') });
      assert.equal((await contentOf(files.read(path))).toString(), 'one two three');
      const stat = await files.stat(path);
      assert.equal(stat?.size, 13);
      assert.match(stat.modified, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/);
    },
  },
  {
    title: 'accepts an empty file, and names in any script',
    async check(files) {
      const path = `${folder()}/Überprüfung 契約 & co #1%.pdf`;
      assert.equal((await files.write(path, pieces())).size, 0);
      assert.equal((await contentOf(files.read(path))).length, 0);
      assert.equal((await files.stat(path))?.size, 0);
    },
  },
  {
    title: 'writes several files in one step if it supports that, equal ones too, and all or none',
    async check(files) {
      if (!files.writeMany) return;
      const below = folder();
      const bytes = Buffer.from('Equal content.');
      const contents = [bytes, bytes, randomBytes(70_000), Buffer.alloc(0)];
      const many = contents.map((content, n) => ({ path: `${below}/${n}/Überprüfung ${n}.pdf`, bytes: content }));
      const sealed = { path: `${below}/sealed`, bytes, uniqueContent: true };
      const written = await files.writeMany([...many, sealed]);
      assert.deepEqual(
        written,
        [...contents, bytes].map((content) => ({
          size: content.length,
          hash: createHash('sha256').update(content).digest('hex'),
        })),
      );
      for (const { path, bytes: content } of [...many, sealed])
        assert.deepEqual(await contentOf(files.read(path)), Buffer.from(content));
      await files.delete(many[0]?.path ?? '');
      assert.deepEqual(await contentOf(files.read(many[1]?.path ?? '')), bytes);
      await assert.rejects(
        files.writeMany([
          { path: `${below}/new`, bytes },
          { path: sealed.path, bytes: randomBytes(9) },
        ]),
        coded('DUPLICATE_KEY'),
      );
      assert.equal(await files.stat(`${below}/new`), undefined);
      assert.deepEqual(await contentOf(files.read(sealed.path)), bytes);
      assert.deepEqual(await files.writeMany([]), []);
      for (const path of refusedPaths)
        await assert.rejects(files.writeMany([{ path, bytes }]), coded('BAD_PARAMETER'), JSON.stringify(path));
    },
  },
  {
    title: 'streams a large file unchanged',
    async check(files) {
      const path = `${folder()}/large`;
      const hash = createHash('sha256');
      const written = await files.write(
        path,
        (async function* () {
          for (let n = 0; n < 24; n++) {
            const part = Buffer.alloc(MEGABYTE, n + 1);
            hash.update(part);
            yield part;
          }
        })(),
      );
      const read = createHash('sha256');
      for await (const part of files.read(path)) read.update(part);
      const digest = hash.digest('hex');
      assert.deepEqual([written.size, written.hash, read.digest('hex')], [24 * MEGABYTE, digest, digest]);
      await files.delete(path);
    },
  },
  {
    title:
      'replaces a whole file if it supports that: other paths keep their bytes, a failed replacement changes ' +
      'nothing, and an unknown path is refused',
    async check(files) {
      if (!files.replace) return;
      const [path, other] = [`${folder()}/a`, `${folder()}/b`];
      await files.write(path, pieces('old'));
      await files.copy(path, other);
      await assert.rejects(
        files.replace(
          path,
          (async function* () {
            yield Buffer.from('half');
            throw new Error('cut off');
          })(),
        ),
        /cut off/,
      );
      assert.equal((await contentOf(files.read(path))).toString(), 'old');
      const written = await files.replace(path, pieces('n', 'ew'));
      assert.deepEqual(written, { size: 3, hash: createHash('sha256').update('new').digest('hex') });
      assert.deepEqual(
        [(await contentOf(files.read(path))).toString(), (await contentOf(files.read(other))).toString()],
        ['new', 'old'],
      );
      await assert.rejects(files.replace(`${folder()}/none`, pieces('x')), coded('NOT_FOUND'));
    },
  },
  {
    title: 'reads a range, from start to before end',
    async check(files) {
      const path = `${folder()}/digits`;
      await files.write(path, pieces('0123456789'));
      const part = async (range: { start?: number; end?: number }): Promise<string> =>
        (await contentOf(files.read(path, range))).toString();
      assert.deepEqual(
        [
          await part({ start: 3 }),
          await part({ end: 4 }),
          await part({ start: 2, end: 5 }),
          await part({ start: 4, end: 4 }),
          await part({ start: 8, end: 99 }),
        ],
        ['3456789', '0123', '234', '', '89'],
      );
    },
  },
  {
    title: 'refuses to overwrite a file, and leaves it unchanged',
    async check(files) {
      const path = `${folder()}/once`;
      await files.write(path, pieces('first'));
      await assert.rejects(files.write(path, pieces('second')), coded('DUPLICATE_KEY'));
      const other = `${folder()}/other`;
      await files.write(other, pieces('third'));
      await assert.rejects(files.copy(other, path), coded('DUPLICATE_KEY'));
      assert.equal((await contentOf(files.read(path))).toString(), 'first');
    },
  },
  {
    title: 'lets exactly one of several concurrent writers of a path win, with a whole file',
    async check(files) {
      const path = `${folder()}/raced`;
      const contents = Array.from({ length: 8 }, (_, n) => String(n).repeat(50_000));
      const outcomes = await Promise.allSettled(
        contents.map((content) => files.write(path, pieces(content.slice(0, 20_000), content.slice(20_000)))),
      );
      assert.equal(outcomes.filter((o) => o.status === 'fulfilled').length, 1);
      assert.ok(contents.includes((await contentOf(files.read(path))).toString()));
    },
  },
  {
    title: 'leaves nothing under the path when writing fails',
    async check(files) {
      const at = folder();
      const broken = (async function* () {
        yield Buffer.alloc(100_000, 1);
        throw new Error('the sender went away');
      })();
      await assert.rejects(files.write(`${at}/half`, broken), /the sender went away/);
      assert.equal(await files.stat(`${at}/half`), undefined);
      assert.deepEqual(await pathsOf(files, at), []);
    },
  },
  {
    title: 'shows a file only once it is complete',
    async check(files) {
      const path = `${folder()}/slow`;
      let seen: unknown = 'not looked';
      await files.write(
        path,
        (async function* () {
          yield Buffer.from('half ');
          seen = await files.stat(path);
          yield Buffer.from('and half');
        })(),
      );
      assert.equal(seen, undefined);
      assert.equal((await files.stat(path))?.size, 13);
    },
  },
  {
    title: 'gives a file a second path that survives the deletion of the first',
    async check(files) {
      const at = folder();
      await files.write(`${at}/a`, pieces('kept'));
      await files.copy(`${at}/a`, `${at}/deep/er/b`);
      await files.delete(`${at}/a`);
      assert.equal(await files.stat(`${at}/a`), undefined);
      assert.equal((await contentOf(files.read(`${at}/deep/er/b`))).toString(), 'kept');
    },
  },
  {
    title: 'reports an unknown path as NOT_FOUND when it is read or copied, and as undefined from stat',
    async check(files) {
      const path = `${folder()}/none`;
      await assert.rejects(contentOf(files.read(path)), coded('NOT_FOUND'));
      await assert.rejects(files.copy(path, `${path}-2`), coded('NOT_FOUND'));
      assert.equal(await files.stat(path), undefined);
      assert.equal(await files.stat('/Conformance'), undefined, 'a folder is no file');
    },
  },
  {
    title: 'deletes a file, and accepts the deletion of one that does not exist',
    async check(files) {
      const at = folder();
      await files.write(`${at}/x/file`, pieces('gone'));
      await files.delete(`${at}/x/file`);
      await files.delete(`${at}/x/file`);
      await files.delete(`${at}/never/was`);
      assert.deepEqual(await pathsOf(files, at, 5), []);
      assert.ok((await files.write(`${at}/x/file`, pieces('again'))).size === 5, 'the path is free again');
    },
  },
  {
    title: 'lists files in order, down to the requested depth',
    async check(files) {
      const at = folder();
      for (const name of ['b', 'a', 'sub/c', 'sub/deeper/d']) await files.write(`${at}/${name}`, pieces(name));
      assert.deepEqual(await pathsOf(files, at), [`${at}/a`, `${at}/b`]);
      assert.deepEqual(await pathsOf(files, `${at}/`, 1), [`${at}/a`, `${at}/b`, `${at}/sub/c`]);
      assert.deepEqual(await pathsOf(files, at, 2), [`${at}/a`, `${at}/b`, `${at}/sub/c`, `${at}/sub/deeper/d`]);
      assert.deepEqual(await pathsOf(files, `${at}/nothing`), []);
      assert.ok((await pathsOf(files, '/', 4)).includes(`${at}/sub/c`));
    },
  },
  {
    title: 'lists files with the same size and time as stat',
    async check(files) {
      const at = folder();
      await files.write(`${at}/empty`, pieces());
      await files.write(`${at}/Überprüfung 契約 +&%20.txt`, pieces('four'));
      await files.write(`${at}/sub/three`, pieces('abc'));
      const found: FileEntry[] = [];
      for await (const entry of files.entries(at, { depth: 1 })) found.push(entry);
      assert.deepEqual(Object.fromEntries(found.map(({ path, size }) => [path.slice(at.length), size])), {
        '/empty': 0,
        '/sub/three': 3,
        '/Überprüfung 契約 +&%20.txt': 4,
      });
      for (const { path, size, modified } of found) assert.deepEqual({ size, modified }, await files.stat(path));
    },
  },
  {
    title: 'reads the same bytes where it may use the memory of a piece again',
    async check(files) {
      const path = `${folder()}/reused`;
      const content = randomBytes(2 * MEGABYTE + 7);
      await files.write(path, pieces(content));
      for (const [start, end] of [
        [0, content.length],
        [3, MEGABYTE + 5],
        [content.length - 1, content.length],
      ] as const) {
        const copies: Buffer[] = [];
        for await (const piece of files.read(path, { start, end, reuse: true })) copies.push(Buffer.from(piece));
        assert.ok(Buffer.concat(copies).equals(content.subarray(start, end)), `${start} to ${end}`);
      }
    },
  },
  {
    title: 'stops reading when its reader stops, however often',
    async check(files) {
      const path = `${folder()}/left`;
      await files.write(path, pieces(Buffer.alloc(2 * MEGABYTE, 7)));
      // More than a location has connections.
      for (let n = 0; n < 20; n++) {
        for await (const piece of files.read(path)) {
          assert.equal(piece[0], 7);
          break;
        }
      }
      assert.equal((await contentOf(files.read(path))).length, 2 * MEGABYTE);
    },
  },
  {
    title: 'writes, copies and deletes concurrently in one folder',
    async check(files) {
      const at = folder();
      await Promise.all(
        Array.from({ length: 20 }, async (_, n) => {
          await files.write(`${at}/${n % 4}/one-${n}`, pieces(String(n)));
          await files.copy(`${at}/${n % 4}/one-${n}`, `${at}/${n % 4}/two-${n}`);
          await files.delete(`${at}/${n % 4}/one-${n}`);
        }),
      );
      assert.equal((await pathsOf(files, at, 1)).length, 20);
    },
  },
  {
    title: 'refuses paths that are invalid, hidden, or lead out of the location',
    async check(files) {
      await files.write(`${folder()}/there`, pieces('x'));
      for (const path of refusedPaths) {
        await assert.rejects(files.write(path, pieces('x')), coded('BAD_PARAMETER'), JSON.stringify(path));
        await assert.rejects(contentOf(files.read(path)), coded('BAD_PARAMETER'), JSON.stringify(path));
        await assert.rejects(files.copy(path, `${folder()}/y`), coded('BAD_PARAMETER'), JSON.stringify(path));
        await assert.rejects(files.stat(path), coded('BAD_PARAMETER'), JSON.stringify(path));
        await assert.rejects(files.delete(path), coded('BAD_PARAMETER'), JSON.stringify(path));
      }
    },
  },
  {
    title: 'removes what interrupted writes have left, and nothing else',
    async check(files) {
      const path = `${folder()}/stays`;
      await files.write(path, pieces('stays'));
      let removed = -1;
      await files.write(
        `${folder()}/being-written`,
        (async function* () {
          yield Buffer.from('still ');
          removed = await files.removeUnfinished(new Date(0).toISOString());
          yield Buffer.from('coming');
        })(),
      );
      assert.equal(removed, 0, 'a write that is under way is left alone');
      assert.equal(typeof (await files.removeUnfinished('2999-01-01T00:00:00.000Z')), 'number');
      assert.equal((await files.stat(path))?.size, 5);
    },
  },
  {
    title: 'files written, copied and deleted concurrently in one folder do not affect one another',
    async check(files) {
      const [shared, own] = [folder(), folder()];
      // Where each call is a request to a server, fewer of them do the same.
      const rounds = files.shared ? 30 : 150;
      const one = async (caller: number): Promise<void> => {
        for (let round = 0; round < rounds; round++) {
          const [staged, permanent] = [`${shared}/${caller}-${round}`, `${own}/${caller}/${round}/kept`];
          await files.write(staged, pieces(`${caller} ${round}`));
          await files.copy(staged, permanent);
          await files.delete(staged);
          assert.equal((await contentOf(files.read(permanent))).toString(), `${caller} ${round}`);
        }
      };
      await Promise.all([1, 2, 3, 4].map(one));
    },
  },
];

/** A requirement of a location that accepts files in pieces. */
export interface PartsDemand {
  readonly title: string;
  readonly check: (parts: FileParts, files: FileObject) => Promise<void>;
}

async function partNames(parts: FileParts): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of parts.list()) names.push(name);
  return names;
}

/** Additional requirements of providers whose locations have `parts`. */
export const filePartsConformance: readonly PartsDemand[] = [
  {
    title: 'appends pieces, stores them as a file, and keeps the part',
    async check(parts, files) {
      const [name, path] = [randomUUID(), `${folder()}/whole`];
      await parts.write(name, 0, [Buffer.from('one ')]);
      await parts.write(name, 4, [Buffer.from('two ')]);
      await parts.write(name, 8, [Buffer.from('three')]);
      assert.equal((await contentOf(parts.read(name, { start: 4, end: 8 }))).toString(), 'two ');
      const completed = await parts.complete(name, 13, path);
      assert.deepEqual(completed, {
        size: 13,
        hash: createHash('sha256').update('one two three').digest('hex'),
        checksum: crc32('one two three'),
      });
      assert.equal((await contentOf(files.read(path))).toString(), 'one two three');
      const again = `${folder()}/again`;
      assert.deepEqual(await parts.complete(name, 13, again), completed, 'it can be completed again');
      assert.equal((await contentOf(files.read(again))).toString(), 'one two three');
      await parts.delete(name);
      await parts.delete(name);
      assert.equal((await contentOf(files.read(path))).toString(), 'one two three');
      assert.ok(!(await partNames(parts)).includes(name));
    },
  },
  {
    title: 'continues the checksum, and completes with the hash of what is stored, whatever was written before',
    async check(parts) {
      const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
      const hashed = async (name: string, checksum: number): Promise<string> => {
        // A location may hash a piece after it has been written.
        await new Promise((resolve) => setTimeout(resolve));
        const completed = await parts.complete(name, 6, `${folder()}/${name}`, checksum);
        assert.equal(completed.checksum, checksum);
        return completed.hash;
      };
      const written = async (name: string): Promise<number> => {
        const one = await parts.write(name, 0, [Buffer.from('o'), Buffer.from('ne')], 0);
        return parts.write(name, 3, [Buffer.from('two')], one);
      };
      const [plain, again, other, lost] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
      assert.equal(await written(plain), crc32('onetwo'));
      assert.equal(await hashed(plain, crc32('onetwo')), hashOf('onetwo'));
      await written(again);
      assert.equal(await parts.write(again, 3, [Buffer.from('six')], crc32('one')), crc32('onesix'));
      assert.equal(await hashed(again, crc32('onesix')), hashOf('onesix'));
      // Somebody else has written the beginning, so that the caller's checksum of it differs.
      await parts.write(other, 0, [Buffer.from('ONE')], 0);
      await parts.write(other, 3, [Buffer.from('two')], crc32('one'));
      assert.equal(await hashed(other, crc32('ONEtwo')), hashOf('ONEtwo'));
      // The caller has freed the memory of the piece at once.
      const piece = new Uint8Array(Buffer.from('one'));
      await parts.write(lost, 0, [piece], 0);
      piece.buffer.transfer(0);
      await parts.write(lost, 3, [Buffer.from('two')], crc32('one'));
      assert.equal(await hashed(lost, crc32('onetwo')), hashOf('onetwo'));
    },
  },
  {
    title: 'overwrites what an unacknowledged piece left, and keeps nothing of it',
    async check(parts, files) {
      const [name, path] = [randomUUID(), `${folder()}/whole`];
      await parts.write(name, 0, [Buffer.from('good ')]);
      await parts.write(name, 5, [Buffer.from('a piece that nobody acknowledged')]);
      await parts.write(name, 5, [Buffer.from('better')]);
      await parts.complete(name, 11, path);
      assert.equal((await contentOf(files.read(path))).toString(), 'good better');
    },
  },
  {
    title: 'accepts an empty file',
    async check(parts, files) {
      const [name, path] = [randomUUID(), `${folder()}/empty`];
      await parts.write(name, 0, [new Uint8Array()]);
      assert.equal((await parts.complete(name, 0, path)).size, 0);
      assert.equal((await files.stat(path))?.size, 0);
    },
  },
  {
    title: 'refuses to leave a gap, and to store more than it has',
    async check(parts, files) {
      const name = randomUUID();
      await assert.rejects(parts.write(name, 5, [Buffer.from('x')]), coded('NOT_FOUND'));
      await parts.write(name, 0, [Buffer.from('four')]);
      await assert.rejects(parts.write(name, 5, [Buffer.from('x')]), coded('NOT_FOUND'));
      const path = `${folder()}/short`;
      await assert.rejects(parts.complete(name, 5, path), coded('NOT_FOUND'));
      assert.equal(await files.stat(path), undefined);
    },
  },
  {
    title: 'writes nothing to a part that has become a file',
    async check(parts, files) {
      const [name, path] = [randomUUID(), `${folder()}/kept`];
      await parts.write(name, 0, [Buffer.from('kept')]);
      await parts.complete(name, 4, path);
      await assert.rejects(parts.write(name, 0, [Buffer.from('else')]), coded('STATE_REFUSES'));
      assert.equal((await contentOf(files.read(path))).toString(), 'kept');
    },
  },
  {
    title: 'keeps parts separate from files, and lists them by name',
    async check(parts, files) {
      const name = randomUUID();
      await parts.write(name, 0, [Buffer.from('x')]);
      for (const path of await pathsOf(files, '/', 9)) assert.ok(!path.includes(name), path);
      assert.ok((await partNames(parts)).includes(name));
      await assert.rejects(parts.complete(name, 1, '/../x'), coded('BAD_PARAMETER'));
      const taken = `${folder()}/taken`;
      await files.write(taken, pieces('x'));
      await assert.rejects(parts.complete(name, 1, taken), coded('DUPLICATE_KEY'));
    },
  },
  {
    title: 'refuses invalid names',
    async check(parts) {
      for (const name of ['../x', 'x', '', '/etc/passwd', `${randomUUID()}/x`]) {
        await assert.rejects(parts.write(name, 0, [Buffer.from('x')]), coded('BAD_PARAMETER'), name);
        await assert.rejects(parts.complete(name, 1, `${folder()}/x`), coded('BAD_PARAMETER'), name);
        await assert.rejects(parts.delete(name), coded('BAD_PARAMETER'), name);
        await assert.rejects(contentOf(parts.read(name, { start: 0, end: 1 })), coded('BAD_PARAMETER'), name);
      }
    },
  },
];
