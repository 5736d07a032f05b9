import type { Row } from '../../../kernel/door/answer.ts';
import type { Context } from '../../../kernel/door/context.ts';
import { fromOf, selectListOf } from '../../../kernel/database/sql.ts';
import { arrayLiteral } from '../../../kernel/database/store.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import type { ledger } from '../ledger/ledger.record.ts';
import type { ledgerItem } from '../ledgeritem/ledgeritem.record.ts';

/** A stored ledger. */
export type Ledger = Row<typeof ledger>;

/** A stored line. */
export type Line = Row<typeof ledgerItem>;

/** Most lines of a ledger that one call calculates, locks or pays. */
const LINES_MAX = 50_000;

/**
 * Returns the lines of a ledger that meet a condition, in the order of pages. `$1` of the condition is the ledger.
 *
 * @throws TOO_LARGE
 */
export async function linesOf(ctx: Context, ledgerId: number, condition = 'true'): Promise<readonly Line[]> {
  const record = ctx.registry.recordType('LedgerItem');
  const rows = await ctx.db.query<Line>(
    `select ${selectListOf(record)} from ${fromOf(record)}
     where ledgeritem.ledgerid = $1::bigint and ${condition}
     order by ledgeritem.sequence nulls last, ledgeritem.ledgeritemid
     limit ${LINES_MAX + 1}`,
    [ledgerId],
  );
  if (rows.length > LINES_MAX)
    throw new PlatformError('TOO_LARGE', {
      field: 'ID',
      message: `Ledger ${ledgerId} has more than ${LINES_MAX} lines to change at once.`,
    });
  return rows;
}

/** Locks ledgers in the order of their IDs, as every change of their lines does, until the transaction ends. */
export async function lockLedgers(ctx: Context, ids: readonly number[]): Promise<void> {
  await ctx.db.query(
    'select ledgerid from ledger where ledgerid = any($1::bigint[]) order by ledgerid for no key update',
    [arrayLiteral([...new Set(ids)])],
  );
}

/** Returns the adjusted balances of ledgers by ID, the stored ones. */
export async function adjustedBalances(ctx: Context, ids: readonly number[]): Promise<Map<number, string | null>> {
  if (ids.length === 0) return new Map();
  const rows = await ctx.db.query<{ id: number; adjusted: string | null }>(
    'select ledgerid as id, balanceadjusted as adjusted from ledger where ledgerid = any($1::bigint[])',
    [arrayLiteral(ids)],
  );
  return new Map(rows.map(({ id, adjusted }) => [id, adjusted]));
}
