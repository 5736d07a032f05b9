import type { Context } from '../../../../kernel/door/context.ts';
import { extendLeaseDuring } from '../../../../kernel/database/lease.ts';
import type { Platform } from '../../../../kernel/ports/platform.ts';
import type { Db } from '../../../../kernel/database/store.ts';
import { countLogRows } from '../../lib/run/import-log.ts';

/**
 * A streamed submission writes a log row with each item, and during a long one the date of its import file. Without
 * either for this long, its process has died.
 */
export const INTERRUPTED_AFTER_MINUTES = 2;

/**
 * Runs a submission's work. While it lasts, the import file's date is updated three times per term, so that an item
 * that takes long does not look like a dead process.
 */
export function aliveDuring<T>(ctx: Context, importFileId: number, work: () => Promise<T>): Promise<T> {
  const extend = (): void => {
    ctx
      .inTransaction((own) =>
        own.db.query(
          `update importfile set updateddate = $2::timestamptz where importfileid = $1::bigint
             and status = 'Importing'`,
          [importFileId, own.clock.now()],
        ),
      )
      .catch(() => ctx.log.warn('could not extend a submission', { correlationId: ctx.correlationId, importFileId }));
  };
  return extendLeaseDuring(INTERRUPTED_AFTER_MINUTES * 60, extend, work);
}

/** Message of an interrupted run, shown to the sender. */
export const INTERRUPTED_MESSAGE =
  'The run was interrupted. The items listed above were saved. Send the whole document again: saved ' +
  'items are recognized and not created twice.';

type InTransaction = (run: (own: { readonly db: Db }) => Promise<void>) => Promise<void>;

/**
 * Ends an interrupted run as Error unless it has ended: takes its counts from the import log and logs what happened.
 */
export function failInterruptedRun(inTransaction: InTransaction, importFileId: number, now: string): Promise<void> {
  return inTransaction(async ({ db }) => {
    const [file] = await db.query<{ organizationid: number | null; createdpersonid: number | null }>(
      `select organizationid, createdpersonid from importfile where importfileid = $1::bigint
        and status = 'Importing' for update`,
      [importFileId],
    );
    if (!file) return;
    await db.query(
      `insert into importlog (importlog, importfileid, organizationid, object, operation, status, message, sequence,
        createddate, createdpersonid, updateddate, updatedpersonid)
       select 'ImportFile', $1::bigint, $2::bigint, 'ImportFile', 'None', 'Error', $3::text, coalesce(max(sequence) +
       1, 0), $4::timestamptz, $5::bigint, $4::timestamptz, $5::bigint from importlog where importfileid = $1`,
      [importFileId, file.organizationid, INTERRUPTED_MESSAGE, now, file.createdpersonid],
    );
    const { success, warnings, errors } = await countLogRows(db, importFileId);
    await db.query(
      `update importfile set status = 'Error', message = $2::text, importcomplete = $3::timestamptz, updateddate =
        $3::timestamptz, version = version + 1, successcount = $4::bigint, warnings = $5::bigint, errorcount =
        $6::bigint
       where importfileid = $1::bigint`,
      [importFileId, INTERRUPTED_MESSAGE, now, success, warnings, errors],
    );
  });
}

/**
 * Housekeeping: ends streamed submissions whose process died, so that none stays Importing for ever. Imports of stored
 * documents have a run and resume on their own. Returns how many were ended.
 */
export const failInterruptedImports = {
  name: 'imports that were cut off',
  everyMinutes: 1,
  async run({ store, clock }: Platform): Promise<number> {
    const before = new Date(clock.milliseconds() - INTERRUPTED_AFTER_MINUTES * 60_000).toISOString();
    const files = await store.query<{ id: number }>(
      `select f.importfileid as id from importfile f where f.status = 'Importing' and f.updateddate < $1::timestamptz
       and not exists (select from importrun r where r.importfileid = f.importfileid)
       and not exists (select from importlog l where l.importfileid = f.importfileid
       and l.createddate >= $1::timestamptz) order by 1 limit 1000`,
      [before],
    );
    const actor = { personId: null, firm: null, callId: 'housekeeping' };
    for (const { id } of files)
      await failInterruptedRun(
        (run) => store.transaction(actor, (transaction) => run({ db: transaction })),
        id,
        clock.now(),
      );
    return files.length;
  },
} as const;
