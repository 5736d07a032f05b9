import type { Clock } from '../../kernel/time/clock.ts';
import type { Db, Store } from '../../kernel/database/store.ts';

/** A file that is to be looked at: one that became whole, or one that a server took and did not come to an end with. */
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

const columns =
  'sftpfileid as id, sftpaccountid as "accountId", path, filename as "fileName", state, coalesce(size, 0) as size, takendate as "takenDate", attempts';

/**
 * The files that wait to be imported. Each step locks its row, and whoever finds it locked passes it over: any number of servers
 * may look at the same time, and what one of them held when it died is free at once.
 */
export class DueFiles {
  private readonly store: Store;
  private readonly clock: Clock;

  constructor(store: Store, clock: Clock) {
    this.store = store;
    this.clock = clock;
  }

  /** The ids of files that are due, the longest waiting first. */
  async ids(most: number): Promise<readonly number[]> {
    const rows = await this.store.query<{ id: number }>(
      `select sftpfileid as id from sftpfile where state in ('Complete', 'Taking', 'Taken') and duedate <= $1::timestamptz order by duedate limit ${Math.trunc(most)}`,
      [this.clock.now()],
    );
    return rows.map((row) => row.id);
  }

  /** Does a step with a file while nobody else does; what the step writes is kept together. Nothing where it is not due any more. */
  async withLockedFile(id: number, run: (db: Db, file: DueFile) => Promise<void>): Promise<void> {
    await this.store.transaction({ personId: null, firm: null, callId: 'sftp import' }, async (transaction) => {
      const [file] = await transaction.query<DueFile & Record<string, unknown>>(
        `select ${columns} from sftpfile where sftpfileid = $1::bigint and state in ('Complete', 'Taking', 'Taken') and duedate <= $2::timestamptz for update skip locked`,
        [id, this.clock.now()],
      );
      if (!file) return;
      // An import that is not queued takes as long as it takes, and this transaction only waits for it.
      await transaction.query("set local idle_in_transaction_session_timeout to '1h'");
      await run(transaction, file);
    });
  }

  /** Is about to be moved out of the home. */
  async markTaking(db: Db, id: number): Promise<void> {
    await db.query(`update sftpfile set state = 'Taking', attempts = 0 where sftpfileid = $1::bigint`, [id]);
  }

  /** Was moved: its path is free for the next file. */
  async markTaken(db: Db, id: number): Promise<void> {
    await db.query(
      `update sftpfile set state = 'Taken', path = null, takendate = $2::timestamptz where sftpfileid = $1::bigint`,
      [id, this.clock.now()],
    );
  }

  /** Stays where it is until it is written or renamed again; `path` where it was put back. */
  async markLeft(db: Db, id: number, path: string | null = null): Promise<void> {
    await db.query(
      `update sftpfile set state = 'Left', path = coalesce($2::text, path), duedate = null, takendate = null, attempts = 0 where sftpfileid = $1::bigint`,
      [id, path],
    );
  }

  /** Is looked at again later. */
  async postpone(db: Db, id: number, milliseconds: number, attempts: number): Promise<void> {
    await db.query(
      'update sftpfile set duedate = $2::timestamptz, attempts = $3::integer where sftpfileid = $1::bigint',
      [id, new Date(this.clock.milliseconds() + milliseconds).toISOString(), attempts],
    );
  }

  /** Is done with. */
  async remove(db: Db, id: number): Promise<void> {
    await db.query('delete from sftpfile where sftpfileid = $1::bigint', [id]);
  }
}
