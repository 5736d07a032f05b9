import type { Context } from '../../../kernel/door/context.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';

/** Most ledgers that the path of a circle names. */
const PATH_MAX = 20;

/**
 * Throws if a ledger below a line would contain the line's own ledger, or has another currency.
 *
 * @throws BAD_PARAMETER with the path of the circle
 */
export async function assertMayRollUp(ctx: Context, ledgerId: number, childId: number): Promise<void> {
  const [row] = await ctx.db.query<{ path: readonly number[] | null; currency: string | null; below: string | null }>(
    `with recursive above (ledgerid, path) as (
       select $1::bigint, array[$1::bigint]
       union all
       select i.ledgerid, a.path || i.ledgerid
       from above a join ledgeritem i on i.childledgerid = a.ledgerid
       where a.ledgerid <> $2::bigint and not i.ledgerid = any(a.path)
     )
     select (select array_to_json(path) from above where ledgerid = $2::bigint limit 1) as path,
       (select currency from ledger where ledgerid = $1::bigint) as currency,
       (select currency from ledger where ledgerid = $2::bigint) as below`,
    [ledgerId, childId],
  );
  if (row?.path) {
    const path = [childId, ...row.path].slice(0, PATH_MAX).join(' is below ');
    throw new PlatformError('BAD_PARAMETER', {
      field: 'ChildLedgerID',
      message: `ChildLedgerID: ledger ${childId} would be below itself: ${path}.`,
    });
  }
  if (row?.below && row.currency && row.below !== row.currency)
    throw new PlatformError('BAD_PARAMETER', {
      field: 'ChildLedgerID',
      message: `ChildLedgerID: ledger ${childId} is in ${row.below}; expected one in ${row.currency}, as the line's.`,
    });
}
