import { randomUUID } from 'node:crypto';
import { posix } from 'node:path';
import type { Clock } from '../../kernel/time/clock.ts';
import type { Db, Store } from '../../kernel/database/store.ts';
import { refused } from './failure.ts';

/** One opening of a file for writing. Only the latest can complete the file. */
export interface Opening {
  readonly fileId: number;
  readonly opening: string;
}

const fileBusy = (): Error => refused('The file is being imported; try again in a moment');

/**
 * Rows of the files uploaded by sFTP. A change of a home changes the rows first, in a transaction that lasts until the
 * change is done: so no server imports a file that another is writing or has taken.
 */
export class FileRows {
  private readonly store: Store;
  private readonly clock: Clock;

  constructor(store: Store, clock: Clock) {
    this.store = store;
    this.clock = clock;
  }

  /** Opens a path for writing: the file is incomplete until this opening closes it. */
  open<T>(accountId: number, path: string, open: () => Promise<T>): Promise<Opening & { readonly opened: T }> {
    const opening = randomUUID();
    return this.inTransaction(async (db) => {
      const [row] = await db.query<{ id: number }>(
        `insert into sftpfile as f (sftpaccountid, path, filename, state, opening, createddate)
         values ($1::bigint, $2::text, $3::text, 'Open', $4::uuid, $5::timestamptz)
         on conflict (sftpaccountid, path) do update
           set state = 'Open', opening = excluded.opening, size = null, duedate = null, attempts = 0
           where f.state <> 'Taking'
         returning sftpfileid as id`,
        [accountId, path, posix.basename(path), opening, this.clock.now()],
      );
      if (!row) throw fileBusy();
      return { fileId: row.id, opening, opened: await open() };
    });
  }

  /** Marks a file as complete, unless it was opened again meanwhile: then the later opening completes it. */
  async complete({ fileId, opening }: Opening, size: number, quietMilliseconds: number): Promise<void> {
    await this.store.query(
      `update sftpfile
       set state = 'Complete', size = $3::bigint, duedate = $4::timestamptz
       where sftpfileid = $1::bigint and opening = $2::uuid and state = 'Open'`,
      [fileId, opening, size, this.timeIn(quietMilliseconds)],
    );
  }

  /**
   * Renames a file or folder: complete files become due under their new name, others stay incomplete. `rename` does it
   * on disk.
   */
  rename(
    accountId: number,
    { from, to }: { readonly from: string; readonly to: string },
    quietMilliseconds: number,
    rename: () => Promise<void>,
  ): Promise<void> {
    return this.inTransaction(async (db) => {
      await this.lock(db, accountId, [from, to]);
      await rename();
      if (from === to) return;
      await db.query(
        `delete from sftpfile
         where sftpaccountid = $1::bigint and (path = $2::text or starts_with(path, $2::text || '/'))`,
        [accountId, to],
      );
      await db.query(
        `update sftpfile
         set path = $3::text || substr(path, length($2::text) + 1),
           filename = case when path = $2::text then $4::text else filename end,
           state = case when state = 'Left' then 'Complete' else state end,
           duedate = case when state = 'Open' then null else $5::timestamptz end,
           attempts = 0
         where sftpaccountid = $1::bigint and (path = $2::text or starts_with(path, $2::text || '/'))`,
        [accountId, from, to, posix.basename(to), this.timeIn(quietMilliseconds)],
      );
    });
  }

  /** Removes a file; `remove` does it on disk. */
  remove(accountId: number, path: string, remove: () => Promise<void>): Promise<void> {
    return this.inTransaction(async (db) => {
      await this.lock(db, accountId, [path]);
      await remove();
      await db.query('delete from sftpfile where sftpaccountid = $1::bigint and path = $2::text', [accountId, path]);
    });
  }

  /** Locks the rows at and below some paths; refuses if one of them is being taken. */
  private async lock(db: Db, accountId: number, paths: readonly string[]): Promise<void> {
    for (const path of paths) {
      const rows = await db.query<{ state: string }>(
        `select state
         from sftpfile
         where sftpaccountid = $1::bigint and (path = $2::text or starts_with(path, $2::text || '/'))
         order by sftpfileid
         for update`,
        [accountId, path],
      );
      if (rows.some((row) => row.state === 'Taking')) throw fileBusy();
    }
  }

  private inTransaction<T>(run: (db: Db) => Promise<T>): Promise<T> {
    return this.store.transaction({ personId: null, firm: null, callId: 'sftp' }, run);
  }

  private timeIn(milliseconds: number): string {
    return new Date(this.clock.milliseconds() + milliseconds).toISOString();
  }
}
