/** Changes of the lines that a call names. */
import { shapeOf, type ListAnswer } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import type { Alert } from '../../../../kernel/door/errors.ts';
import type { Values } from '../../../../kernel/declare/values.ts';
import { lockRecords } from '../../../../kernel/records/save/lock-record.ts';
import { updateMany } from '../../../../kernel/records/save/update-many.ts';
import { arrayLiteral } from '../../../../kernel/database/store.ts';
import { assertNotAllRefused } from '../../lib/change-records.ts';
import { lockedLineAlert } from '../../lib/ledger-locks.ts';
import { coveringPayments, paidRefusal } from '../../lib/posted-payments.ts';
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

/**
 * Changes the unlocked lines that a call names, with one statement for all that get the same values. Locked lines, and
 * paid ones of which the change would change what was paid, are left alone with a warning; if all are, the call fails.
 *
 * @throws LOCKED, STATE_REFUSES
 */
export async function changeLines(
  ctx: Context<typeof ledgerItem>,
  ids: readonly number[],
  decide: DecideLine,
): Promise<ListAnswer<Line>> {
  const rows = await lockLines(ctx, ids);
  const templates = await templatesOf(ctx, rows);
  const payments = await coveringPayments(ctx, ids);
  const decideOne = (row: Line): Decision => {
    if (row.IsLocked === true) return lockedLineAlert(row.LedgerItemID);
    const decision = decide(row, templates.get(row.LedgerTemplateItemID ?? 0));
    return isAlert(decision) ? decision : (paidRefusal(row, decision, payments) ?? decision);
  };
  const decisions = new Map(rows.map((row) => [row.LedgerItemID, decideOne(row)]));
  const refused = [...decisions.values()].filter(isAlert);
  assertNotAllRefused(refused, rows.length);
  const changed = new Map<number, Line>();
  for (const { values, lines } of groupsOf(rows, decisions))
    for (const line of await updateMany(ctx, ctx.record, lines, values)) changed.set(line.LedgerItemID, line);
  for (const alert of refused) ctx.alert(alert);
  return {
    kind: 'list',
    name: ctx.record.name,
    shape: shapeOf(ctx.record),
    rows: rows.map((row) => changed.get(row.LedgerItemID) ?? row),
  };
}

/** Lines that get the same values. */
interface LineGroup {
  readonly values: Values<typeof ledgerItem>;
  readonly lines: Line[];
}

/** Returns the lines that are changed, by the values that they get, so that one statement changes each group. */
function groupsOf(rows: readonly Line[], decisions: ReadonlyMap<number, Decision>): readonly LineGroup[] {
  const groups = new Map<string, LineGroup>();
  for (const line of rows) {
    const values = decisions.get(line.LedgerItemID);
    if (!values || isAlert(values)) continue;
    const key = JSON.stringify(values);
    const group = groups.get(key) ?? { values, lines: [] };
    groups.set(key, group);
    group.lines.push(line);
  }
  return [...groups.values()];
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
