import { maskedStart } from '../../kernel/security/mask.ts';
import type { Clock } from '../../kernel/time/clock.ts';
import type { Db, Store } from '../../kernel/database/store.ts';

/** Characters of the reason why a file is not imported. */
const REASON_CHARACTERS_MAX = 400;

/** A file to import: complete, or moved out of its home by a server that did not finish the import. */
export interface DueFile {
  readonly id: number;
  readonly accountId: number;
  readonly path: string | null;
  readonly fileName: string;
  readonly state: 'Complete' | 'Taking' | 'Taken';
  readonly size: number;
  readonly takenDate: string | null;
  readonly attempts: number;
}

const columns = `sftpfileid as id, sftpaccountid as "accountId", path, filename as "fileName", state,
  coalesce(size, 0) as size, takendate as "takenDate", attempts`;

/**
 * The queue of files to import. Each step claims its file by a row lock, which ends with the step's transaction, and a
 * locked row is skipped: any number of servers may poll at once, and the files of a dead server are available
 * immediately. No lease is needed.
 */
export class DueFiles {
  private readonly store: Store;
  private readonly clock: Clock;

  constructor(store: Store, clock: Clock) {
    this.store = store;
    this.clock = clock;
  }

  /** Returns the ids of due files, longest waiting first. */
  async ids(most: number): Promise<readonly number[]> {
    const rows = await this.store.query<{ id: number }>(
      `select sftpfileid as id
       from sftpfile
       where state in ('Complete', 'Taking', 'Taken') and duedate <= $1::timestamptz
       order by duedate
       limit ${Math.trunc(most)}`,
      [this.clock.now()],
    );
    return rows.map((row) => row.id);
  }

  /** Claims a file for a step, in one transaction. Does nothing if the file is claimed or no longer due. */
  async withClaim(id: number, run: (db: Db, file: DueFile) => Promise<void>): Promise<void> {
    await this.store.transaction({ personId: null, firm: null, callId: 'sftp import' }, async (transaction) => {
      const [file] = await transaction.query<DueFile>(
        `select ${columns}
         from sftpfile
         where sftpfileid = $1::bigint and state in ('Complete', 'Taking', 'Taken') and duedate <= $2::timestamptz
         for update skip locked`,
        [id, this.clock.now()],
      );
      if (!file) return;
      // An unqueued import takes as long as it takes, while this transaction only waits for it.
      await transaction.query("set local idle_in_transaction_session_timeout to '1h'");
      await run(transaction, file);
    });
  }

  /** Marks a file as being moved out of its home. */
  async markTaking(db: Db, id: number): Promise<void> {
    await db.query(`update sftpfile set state = 'Taking', attempts = 0 where sftpfileid = $1::bigint`, [id]);
  }

  /** Marks a file as moved; its path is free for the next file. */
  async markTaken(db: Db, id: number): Promise<void> {
    await db.query(
      `update sftpfile set state = 'Taken', path = null, takendate = $2::timestamptz where sftpfileid = $1::bigint`,
      [id, this.clock.now()],
    );
  }

  /** Marks a file as refused, until it is written or renamed again; `path` if it was put back. */
  async markLeft(db: Db, id: number, reason: string, path: string | null = null): Promise<void> {
    await db.query(
      `update sftpfile
       set state = 'Left', path = coalesce($2::text, path), duedate = null, takendate = null, attempts = 0,
         reason = $3::text, leftdate = $4::timestamptz
       where sftpfileid = $1::bigint`,
      [id, path, maskedStart(reason, REASON_CHARACTERS_MAX), this.clock.now()],
    );
  }

  /** Postpones a file. */
  async postpone(db: Db, id: number, milliseconds: number, attempts: number): Promise<void> {
    await db.query(
      'update sftpfile set duedate = $2::timestamptz, attempts = $3::integer where sftpfileid = $1::bigint',
      [id, new Date(this.clock.milliseconds() + milliseconds).toISOString(), attempts],
    );
  }

  /** Removes the row of a finished file. */
  async remove(db: Db, id: number): Promise<void> {
    await db.query('delete from sftpfile where sftpfileid = $1::bigint', [id]);
  }
}
