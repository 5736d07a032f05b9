/** Changes of the lines that a call names. */
import type { ListAnswer } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import type { Alert } from '../../../../kernel/door/errors.ts';
import type { Values } from '../../../../kernel/declare/values.ts';
import { commitOne } from '../../../../kernel/records/save/commit-change.ts';
import { lockRecords } from '../../../../kernel/records/save/lock-record.ts';
import { updateOf } from '../../../../kernel/records/save/update-row.ts';
import { arrayLiteral } from '../../../../kernel/database/store.ts';
import { changeEach } from '../../lib/change-records.ts';
import { lockedLineAlert } from '../../lib/ledger-locks.ts';
import { lockLedgers, type Line } from '../../lib/stored-lines.ts';
import type { ledgerItem } from '../ledgeritem.record.ts';

/** Values that a line takes from its template line. */
interface LineTemplate {
  readonly isDebit: boolean | null;
  readonly isTotaled: boolean | null;
  readonly canExclude: boolean | null;
}

/** The columns of a line to write, or why its state refuses them. */
type Decision = Values<typeof ledgerItem> | Alert;

type DecideLine = (line: Line, template: LineTemplate | undefined) => Decision;

/** Changes the unlocked lines that a call names; locked ones are left alone with a warning. */
export async function changeLines(
  ctx: Context<typeof ledgerItem>,
  ids: readonly number[],
  decide: DecideLine,
): Promise<ListAnswer<Line>> {
  const rows = await lockLines(ctx, ids);
  const templates = await templatesOf(ctx, rows);
  const decisions = new Map<number, Decision>(
    rows.map((row) => [
      row.LedgerItemID,
      row.IsLocked === true
        ? lockedLineAlert(row.LedgerItemID)
        : decide(row, templates.get(row.LedgerTemplateItemID ?? 0)),
    ]),
  );
  return changeEach(
    ctx,
    { record: ctx.record, rows },
    ({ LedgerItemID }) => refusalIn(decisions.get(LedgerItemID)),
    async (row) => {
      const values = decisions.get(row.LedgerItemID) as Values<typeof ledgerItem>;
      return (await commitOne(ctx, await updateOf(ctx, ctx.record, { id: row.LedgerItemID, values }))).row;
    },
  );
}

function refusalIn(decision: Decision | undefined): Alert | undefined {
  return decision && isAlert(decision) ? decision : undefined;
}

function isAlert(decision: Decision): decision is Alert {
  return 'code' in decision;
}

/** Locks lines, and before them their ledgers, as every change of a line does. */
export async function lockLines(ctx: Context<typeof ledgerItem>, ids: readonly number[]): Promise<readonly Line[]> {
  const ledgers = await ctx.db.query<{ id: number }>(
    'select distinct ledgerid as id from ledgeritem where ledgeritemid = any($1::bigint[])',
    [arrayLiteral(ids)],
  );
  await lockLedgers(
    ctx,
    ledgers.map(({ id }) => id),
  );
  return lockRecords(ctx, ctx.record, ids);
}

async function templatesOf(ctx: Context, lines: readonly Line[]): Promise<ReadonlyMap<number, LineTemplate>> {
  const ids = [...new Set(lines.flatMap(({ LedgerTemplateItemID: id }) => (id === null ? [] : [id])))];
  const rows = await ctx.db.query<LineTemplate & { readonly id: number }>(
    `select ledgertemplateitemid as id, isdebit as "isDebit", istotaled as "isTotaled", canexclude as "canExclude"
     from ledgertemplateitem where ledgertemplateitemid = any($1::bigint[])`,
    [arrayLiteral(ids)],
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** Returns a warning about a line whose state refuses a change. */
export function lineRefusal({ LedgerItemID }: Line, what: string): Alert {
  return { code: 'STATE_REFUSES', text: `Line ${LedgerItemID} ${what}.`, id: LedgerItemID };
}
