import type { Context } from '../../../../kernel/door/context.ts';
import { extendLeaseDuring, leaseEnd, leaseSql } from '../../../../kernel/database/lease.ts';
import { lockSql } from '../../../../kernel/database/advisory-lock.ts';
import { openText } from '../../../../kernel/security/sealed-text.ts';
import type { Chunk } from './chunk.ts';
import { UNFINISHED } from './chunk.ts';

/** How long the outcome of a running call that commits by itself is awaited without a renewal by its process. */
const LEASE_SECONDS = 60;

/**
 * Leases of rows. A call that commits together with its outcome needs none: the row lock of its transaction is enough.
 * A call that commits by itself runs at most once: a row whose lease has expired fails, and a person decides whether to
 * queue it again.
 */
export const rowLease = leaseSql({
  token: { column: 'executecount', type: 'integer' },
  state: { column: 'status', leased: 'Running' },
});

/** A row claimed by this transaction, which has locked it. */
export interface ClaimedRow {
  readonly id: number;
  readonly importFileId: number;
  readonly organizationId: number | null;
  readonly label: string;
  readonly className: string;
  readonly operation: string;
  readonly parameterXml: string;
  readonly line: number;
  /** Number of this run of the row. */
  readonly run: number;
  /** Set if the row is running elsewhere, or was when its process died. */
  readonly leasedUntil: string | null;
}

type StoredRow = { readonly [K in Exclude<keyof ClaimedRow, 'parameterXml' | 'run'>]: ClaimedRow[K] } & {
  readonly sealed: string;
  readonly executecount: number;
};

/**
 * Locks and returns the next unfinished row of a chunk, until the transaction ends. Returns undefined if none is left
 * or the batch is not running.
 *
 * Only rows queued by the calling user are claimed: a user's authority does not extend to another user's rows.
 * Deliveries of the same message wait for each other here, so that the rows of a chunk run in order even if one
 * delivery was declared dead too early.
 */
export async function claimNextRow(
  own: Context,
  { importFileId, queue, from, to, lane }: Chunk,
): Promise<ClaimedRow | undefined> {
  const [row] = await own.transaction().elevated(async (db) => {
    own
      .transaction()
      .later(`select ${lockSql('$1::text')}`, [
        `importfilequeue ${importFileId} ${lane ? `lane ${lane.at}` : `${queue} ${from}`}`,
      ]);
    return db.query<StoredRow>(
      `select q.importfilequeueid as id, q.importfileid as "importFileId", q.organizationid as "organizationId",
        q.importfilequeue as label, q.classname as "className", q.operation, q.parameterxml as sealed,
         q.sourceline as line, q.executecount, q.leaseduntil as "leasedUntil"
       from importfilequeue q join importfile f on f.importfileid = q.importfileid left
       join importrun r on r.importfileid = q.importfileid
       where q.importfileid = $1::bigint and q.queue = $2::text and q.importfilequeueid between $3::bigint
       and $4::bigint and ${UNFINISHED} and q.createdpersonid = $5::bigint
         and f.status = 'Importing' and r.stopped is not true
         ${lane ? 'and q.sourceline % $7::integer = $6::integer' : ''}
       order by q.importfilequeueid limit 1 for no key update of q skip locked`,
      [importFileId, queue, from, to, own.user.personId, ...(lane ? [lane.at, lane.of] : [])],
    );
  });
  if (!row) return undefined;
  const { sealed, executecount, ...rest } = row;
  return {
    ...rest,
    run: executecount + 1,
    parameterXml: openText(own.cipher, 'importfilequeue', 'parameterxml', sealed),
  };
}

/** Leases a row before a call that commits by itself: if this process dies, the outcome of the call is unknown. */
export async function startLease(own: Context, row: ClaimedRow): Promise<void> {
  await own.transaction().elevated((db) =>
    db.query(
      `update importfilequeue set ${rowLease.start('$2')}, updateddate = $3::timestamptz
       where importfilequeueid = $1::bigint`,
      [row.id, leaseEnd(own.clock, LEASE_SECONDS), own.clock.now()],
    ),
  );
}

/** Runs a call that commits by itself, and extends the row's lease meanwhile. */
export function runLeased<T>(ctx: Context, row: ClaimedRow, run: () => Promise<T>): Promise<T> {
  const extend = (): void => {
    ctx
      .inTransaction((own) =>
        own.transaction().elevated((db) =>
          db.query(
            `update importfilequeue set ${rowLease.extend('$3')}
             where importfilequeueid = $1::bigint and ${rowLease.isHeld('$2')}`,
            [row.id, row.run, leaseEnd(own.clock, LEASE_SECONDS)],
          ),
        ),
      )
      .catch(() =>
        ctx.log.warn('could not extend the lease of a running batch row', { correlationId: ctx.correlationId }),
      );
  };
  return extendLeaseDuring(LEASE_SECONDS, extend, run);
}
