/**
 * Closed months. A line belongs to the month of its PostedDate, else of that of its ledger; one without either to none.
 * What changes a balance of a closed month is refused.
 */
import type { Context } from '../../../kernel/door/context.ts';
import type { GuardedChange, GuardedChanges } from '../../../kernel/declare/reaction.ts';
import { arrayLiteral } from '../../../kernel/database/store.ts';
import { lockName, lockNameShared } from '../../../kernel/database/advisory-lock.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { timeZone } from '../../../kernel/declare/core-settings.ts';
import { calendarDay } from '../../../kernel/time/clock.ts';
import { commitWritten } from '../../../kernel/records/save/commit-change.ts';
import { isWritingLedger } from './ledger-writes.ts';
import { lockLedgers } from './stored-lines.ts';
import { storedSetting } from '../../system/public/setting-name.ts';
import { ledgerClosedThrough } from '../ledger/settings.ts';

/** The permission to close months and to reopen them. */
export const CLOSE_MONTH = 'LedgerCloseMonth';

/** Columns of a line by which balances or their months change. */
const bookedColumns = [
  'AmountMoney',
  'ChildLedgerID',
  'IsDebit',
  'IsTotaled',
  'LedgerID',
  'LedgerTemplateItemID',
  'PostedDate',
];

/**
 * Returns the last closed month, such as 2026-10, from the cached settings; undefined if none is closed. Until
 * the first month is closed, changes of lines need no other query.
 */
function closedThrough({ settings }: Context): string | undefined {
  const month = settings.get(ledgerClosedThrough);
  return month === '' ? undefined : month;
}

/** Throws STATE_REFUSES if an instant is in a closed month. */
export function assertMonthOpen(ctx: Context, instant: string): void {
  assertAfter(ctx, closedThrough(ctx), instant);
}

/** The lock of the closed months: closing one waits for the changes of lines that have read which are closed. */
const CLOSED_MONTHS = 'closed months of ledgers';

/** Locks the closed months until the transaction that changes them ends. */
export async function lockClosedMonths(ctx: Context): Promise<void> {
  await lockName(ctx, CLOSED_MONTHS);
}

/** Throws STATE_REFUSES if an instant is in a month that is closed now, or is being closed by another call. */
async function assertMonthStaysOpen(ctx: Context, instant: string): Promise<void> {
  await lockNameShared(ctx, CLOSED_MONTHS);
  assertAfter(ctx, (await storedSetting(ctx, ledgerClosedThrough.name))?.trim(), instant);
}

function assertAfter(ctx: Context, closed: string | undefined, instant: string): void {
  if (closed === undefined || closed === '') return;
  const month = calendarDay(ctx.settings.get(timeZone), Date.parse(instant)).slice(0, 7);
  if (month <= closed) throw monthClosed(month, closed);
}

/** Throws STATE_REFUSES if a stored ledger that is about to change, or has changed, is posted in a closed month. */
export async function assertLedgerMonthOpen(
  ctx: Context,
  { id, change, columns }: Pick<GuardedChange, 'id' | 'change' | 'columns'>,
): Promise<void> {
  if (closedThrough(ctx) === undefined) return;
  if (change === 'update' && !columns.has('PostedDate') && !columns.has('LedgerTemplateID')) return;
  const [row] = await ctx.db.query<{ posted: string | null }>(
    'select posteddate as posted from ledger where ledgerid = $1::bigint',
    [id],
  );
  if (row?.posted) await assertMonthStaysOpen(ctx, row.posted);
}

/**
 * Throws STATE_REFUSES if a stored line that is about to change, or has changed, is in a closed month or rolls up into
 * a line that is.
 */
export async function assertLineMonthOpen(
  ctx: Context,
  { ids, change, columns }: Pick<GuardedChanges, 'ids' | 'change' | 'columns'>,
): Promise<void> {
  if (closedThrough(ctx) === undefined) return;
  if (change === 'update' && !bookedColumns.some((name) => columns.has(name))) return;
  // Lines of new ledgers, whose own month is checked, and those below payments, into which nothing rolls up yet.
  if (change === 'insert' && isWritingLedger(ctx) && !columns.has('ChildLedgerID')) return;
  // Also of ledgers that the caller does not see. No ledger is below itself, so the recursion ends.
  const [row] = await ctx.transaction().elevated((db) =>
    db.query<{ posted: string | null }>(
      `with recursive booked (ledgerid, posted) as (
       select i.ledgerid, coalesce(i.posteddate, l.posteddate)
       from ledgeritem i join ledger l on l.ledgerid = i.ledgerid where i.ledgeritemid = any($1::bigint[])
       union
       select a.ledgerid, coalesce(a.posteddate, l.posteddate)
       from booked b join ledgeritem a on a.childledgerid = b.ledgerid join ledger l on l.ledgerid = a.ledgerid
     )
     select min(posted) as posted from booked`,
      [arrayLiteral(ids)],
    ),
  );
  if (row?.posted) await assertMonthStaysOpen(ctx, row.posted);
}

/**
 * Stores in the lines of closed months what they take from a template line that is about to change, so that no balance
 * of a closed month changes with it. Also in lines that roll up into such a month, of any firm.
 */
export async function keepClosedLines(ctx: Context, templateLineId: number): Promise<void> {
  if (closedThrough(ctx) === undefined) return;
  await ctx.transaction().elevated(async (db) => {
    const ledgers = await db.query<{ id: number }>(
      `select distinct ledgerid as id from ledgeritem
       where ledgertemplateitemid = $1::bigint and (isdebit is null or istotaled is null)`,
      [templateLineId],
    );
    await lockLedgers(
      ctx,
      ledgers.map(({ id }) => id),
    );
    await lockNameShared(ctx, CLOSED_MONTHS);
    const closed = (await storedSetting(ctx, ledgerClosedThrough.name))?.trim() ?? '';
    const ids = closed === '' ? [] : await closedLines(ctx, templateLineId, closed);
    if (ids.length > 0) await storeDefaults(ctx, ids);
  });
}

/** Returns the lines of a template line that take a value from it, and whose balance is of a closed month. */
async function closedLines(ctx: Context, templateLineId: number, closed: string): Promise<readonly number[]> {
  const rows = await ctx.db.query<{ id: number }>(
    `with recursive own as materialized (
       select ledgeritemid, ledgerid, posteddate from ledgeritem
       where ledgertemplateitemid = $1::bigint and (isdebit is null or istotaled is null)
     ), booked (lineid, ledgerid, posted) as (
       select i.ledgeritemid, i.ledgerid, coalesce(i.posteddate, l.posteddate)
       from own i join ledger l on l.ledgerid = i.ledgerid
       union
       select b.lineid, a.ledgerid, coalesce(a.posteddate, l.posteddate)
       from booked b join ledgeritem a on a.childledgerid = b.ledgerid join ledger l on l.ledgerid = a.ledgerid
     )
     select distinct lineid as id from booked where to_char(posted at time zone $3::text, 'YYYY-MM') <= $2::text`,
    [templateLineId, closed, ctx.settings.get(timeZone)],
  );
  return rows.map(({ id }) => id);
}

async function storeDefaults(ctx: Context, ids: readonly number[]): Promise<void> {
  await ctx.db.query(
    `update ledgeritem i set updateddate = $2::timestamptz, updatedpersonid = $3::bigint, version = i.version + 1,
       isdebit = coalesce(i.isdebit, t.isdebit, false), istotaled = coalesce(i.istotaled, t.istotaled, false)
     from ledgertemplateitem t
     where t.ledgertemplateitemid = i.ledgertemplateitemid and i.ledgeritemid = any($1::bigint[])`,
    [arrayLiteral(ids), ctx.clock.now(), ctx.user.personId],
  );
  const record = ctx.registry.recordType('LedgerItem');
  await commitWritten(ctx, { record, change: 'update', ids, publishedColumns: () => ['IsDebit', 'IsTotaled'] });
}

function monthClosed(month: string, closed: string): PlatformError {
  return new PlatformError('STATE_REFUSES', {
    field: 'PostedDate',
    message:
      `PostedDate: ${month} is closed; ledgers are closed through ${closed}. Post in a later month, or reopen it ` +
      `with the setting LedgerClosedThrough, which needs the permission ${CLOSE_MONTH}.`,
  });
}
