import type { FileEntry, FileObject, FileObjectType, FileStat, WrittenFile } from '../../../contracts/file-object.ts';
import type { Clock } from '../../../kernel/time/clock.ts';
import { sqlState } from '../../../kernel/database/sql-state.ts';
import type { Db } from '../../../kernel/database/store.ts';
import {
  alreadyExists,
  filePathNames,
  fileNotFound,
  pathNames,
  ContentDigest,
  fixedSizePieces,
  storageFull,
} from '../paths.ts';

/** Bytes of one stored chunk, a row that is read and written whole. */
const PIECE_BYTES = 256 * 1024;
/** Files listed per statement. */
const PAGE_FILES = 1_000;

const FOREIGN_KEY_VIOLATION = '23503';

/**
 * A storage location in the platform's own database. A write commits content chunk by chunk and gives it a path at the
 * end. Copied paths of equal content share it. Files are backed up and restored with the database.
 */
class DatabaseFiles implements FileObject {
  readonly shared = true;
  private readonly db: Db;
  private readonly clock: Clock;
  private readonly id: number;

  constructor(db: Db, clock: Clock, id: number) {
    this.db = db;
    this.clock = clock;
    this.id = id;
  }

  async write(path: string, bytes: AsyncIterable<Uint8Array>): Promise<WrittenFile> {
    const place = pathOf(path);
    return this.storeContent(bytes, async (content, { size }) => {
      const rows = await this.db.query(
        `with whole as (update filecontent set size = $3::bigint where filecontentid = $4::bigint returning 1)
         insert into storedfile (fileobjectid, path, filecontentid, modified)
         select $1::bigint, $2::text, $4::bigint, $5::timestamptz from whole
         on conflict do nothing
         returning 1`,
        [this.id, place, size, content, this.clock.now()],
      );
      if (rows.length === 0) throw alreadyExists(path);
    });
  }

  async replace(path: string, bytes: AsyncIterable<Uint8Array>): Promise<WrittenFile> {
    const place = pathOf(path);
    let former: number | undefined;
    const written = await this.storeContent(bytes, async (content, { size }) => {
      const [row] = await this.db.query<{ former: number }>(
        `with known as (
           select filecontentid from storedfile where fileobjectid = $1::bigint and path = $2::text for update),
         whole as (update filecontent set size = $3::bigint where filecontentid = $4::bigint)
         update storedfile s set filecontentid = $4::bigint, modified = $5::timestamptz
         from known
         where s.fileobjectid = $1::bigint and s.path = $2::text
         returning known.filecontentid as former`,
        [this.id, place, size, content, this.clock.now()],
      );
      if (!row) throw fileNotFound();
      ({ former } = row);
    });
    if (former !== undefined) await this.dropContent(former);
    return written;
  }

  async *read(path: string, range: { readonly start?: number; readonly end?: number } = {}): AsyncIterable<Uint8Array> {
    const found = await this.find(path);
    if (!found) throw fileNotFound();
    const { start = 0, end = found.size } = range;
    for (let at = start; at < Math.min(end, found.size);) {
      const piece = Math.floor(at / PIECE_BYTES);
      const from = at - piece * PIECE_BYTES;
      const length = Math.min(PIECE_BYTES - from, end - at);
      const [row] = await this.db.query<{ bytes: Uint8Array }>(
        `select substring(bytes from $3::integer for $4::integer) as bytes from filepiece
         where filecontentid = $1::bigint and position = $2::integer`,
        [found.content, piece, from + 1, length],
      );
      // The file was deleted while being read.
      if (!row || row.bytes.length === 0) throw fileNotFound();
      yield row.bytes;
      at += row.bytes.length;
    }
  }

  async stat(path: string): Promise<FileStat | undefined> {
    const found = await this.find(path);
    return found && { size: found.size, modified: found.modified };
  }

  async copy(from: string, to: string): Promise<void> {
    const [source, target] = [pathOf(from), pathOf(to)];
    const [found] = await this.db
      .query<{ made: number; known: number }>(
        `with known as (select filecontentid from storedfile where fileobjectid = $1::bigint and path = $2::text),
         made as (
           insert into storedfile (fileobjectid, path, filecontentid, modified)
           select $1::bigint, $3::text, filecontentid, $4::timestamptz from known
           on conflict do nothing
           returning 1)
         select (select count(*)::integer from made) as made, (select count(*)::integer from known) as known`,
        [this.id, source, target, this.clock.now()],
      )
      .catch((error: unknown) => {
        // Its content was deleted with its last path just now.
        if (sqlState(error) === FOREIGN_KEY_VIOLATION) throw fileNotFound();
        throw toStorageError(error);
      });
    if (!found?.known) throw fileNotFound();
    if (found.made === 0) throw alreadyExists(to);
  }

  async delete(path: string): Promise<void> {
    const [row] = await this.db.query<{ content: number }>(
      'delete from storedfile where fileobjectid = $1::bigint and path = $2::text returning filecontentid as content',
      [this.id, pathOf(path)],
    );
    if (row) await this.dropContent(row.content);
  }

  async *list(folder: string, options: { readonly depth?: number } = {}): AsyncIterable<string> {
    for await (const { path } of this.entries(folder, options)) yield path;
  }

  async *entries(folder: string, { depth = 0 }: { readonly depth?: number } = {}): AsyncIterable<FileEntry> {
    const prefix = `${pathNames(folder)
      .map((name) => `/${name}`)
      .join('')}/`;
    let after = prefix;
    for (;;) {
      // `0` follows `/` in byte order, so this is the range of names that begin with the prefix.
      const page = await this.db.query<FileEntry>(
        `select s.path, c.size, s.modified from storedfile s join filecontent c using (filecontentid)
         where s.fileobjectid = $1::bigint and s.path > $2::text and s.path < $3::text
           and length(s.path) - length(replace(s.path, '/', '')) <= $4::integer
         order by s.path limit ${PAGE_FILES}`,
        [this.id, after, `${prefix.slice(0, -1)}0`, prefix.split('/').length - 1 + depth],
      );
      yield* page;
      if (page.length < PAGE_FILES) return;
      after = page.at(-1)?.path ?? '';
    }
  }

  async removeUnfinished(before: string): Promise<number> {
    const rows = await this.db.query<{ content: number }>(
      `select filecontentid as content from filecontent c
       where fileobjectid = $1::bigint and createddate < $2::timestamptz
         and (size is null or not exists (select from storedfile s where s.filecontentid = c.filecontentid))
       limit ${PAGE_FILES}`,
      [this.id, before],
    );
    for (const { content } of rows) await this.dropContent(content);
    return rows.length;
  }

  /** Stores content chunk by chunk and runs `name` with it. Leaves nothing behind if anything fails. */
  private async storeContent(
    bytes: AsyncIterable<Uint8Array>,
    name: (content: number, written: WrittenFile) => Promise<void>,
  ): Promise<WrittenFile> {
    const passed = new ContentDigest();
    let content: number | undefined;
    try {
      const [row] = await this.db.query<{ content: number }>(
        `insert into filecontent (fileobjectid, createddate) values ($1::bigint, $2::timestamptz)
         returning filecontentid as content`,
        [this.id, this.clock.now()],
      );
      content = row?.content ?? 0;
      let position = 0;
      for await (const piece of fixedSizePieces(bytes, PIECE_BYTES)) {
        passed.add(piece);
        await this.db.query(
          'insert into filepiece (filecontentid, position, bytes) values ($1::bigint, $2::integer, $3::bytea)',
          [content, position++, piece],
        );
      }
      const written = passed.written();
      await name(content, written);
      return written;
    } catch (error) {
      if (content !== undefined) await this.dropContent(content).catch(() => undefined);
      throw toStorageError(error);
    }
  }

  /** Deletes content that no path refers to. Content that a copy has just given another path stays. */
  private async dropContent(content: number): Promise<void> {
    await this.db
      .query(
        `delete from filecontent c
         where filecontentid = $1::bigint
           and not exists (select from storedfile s where s.filecontentid = c.filecontentid)`,
        [content],
      )
      .catch((error: unknown) => {
        if (sqlState(error) !== FOREIGN_KEY_VIOLATION) throw error;
      });
  }

  private async find(path: string): Promise<(FileStat & { readonly content: number }) | undefined> {
    const [row] = await this.db.query<FileStat & { content: number }>(
      `select s.filecontentid as content, c.size, s.modified
       from storedfile s join filecontent c using (filecontentid)
       where s.fileobjectid = $1::bigint and s.path = $2::text`,
      [this.id, pathOf(path)],
    );
    return row;
  }
}

function pathOf(path: string): string {
  return filePathNames(path)
    .map((name) => `/${name}`)
    .join('');
}

/** Maps a full disk under the database to its own error; returns other failures unchanged. */
function toStorageError(error: unknown): unknown {
  return sqlState(error)?.startsWith('53') ? storageFull(error) : error;
}

/** Storage locations in the platform's own database. */
export function databaseFiles(db: Db, clock: Clock): FileObjectType {
  return {
    options: {},
    validate: () => undefined,
    open: ({ id }) => new DatabaseFiles(db, clock, id),
  };
}
