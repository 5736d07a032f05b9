import type { Row } from '../../door/answer.ts';
import type { Context } from '../../door/context.ts';
import type { Change } from '../../declare/reaction.ts';
import type { RecordType } from '../../declare/record.ts';
import { filledColumns } from './changed-columns.ts';

/** Publishes the insert events of new rows, where there is a subscriber. */
export async function publishInserts(ctx: Context, record: RecordType, rows: readonly Row[]): Promise<void> {
  if (!(await ctx.recordEvents.hasSubscribers(ctx, record, 'insert'))) return;
  const events = rows.map((row) => ({ row, changed: filledColumns(record, row) }));
  await ctx.recordEvents.publish(ctx, record, 'insert', events);
}

/** A change that has been stored, as reactions see it. */
interface StoredChange {
  /** The record as it now is, or was before a delete. */
  readonly row: Row;
  readonly change: Change;
  /** Lower-cased names of the columns that were sent. */
  readonly changed: ReadonlySet<string>;
}

/** Runs the reactions to a change. Returns the record as they left it, or undefined where it must be read again. */
export async function runReactions(
  ctx: Context,
  record: RecordType,
  { row, change, changed }: StoredChange,
): Promise<Row | undefined> {
  let known: Row | undefined = row;
  for (const reaction of ctx.registry.reactions(record)) {
    if (!reaction.after.includes(change)) continue;
    const after = await reaction.run(ctx, row, change, changed);
    // Of two reactions that change the record, neither knows the other's result.
    if (reaction.changesRow) known = known === row ? (after ?? undefined) : undefined;
  }
  return known;
}

/** Runs the reactions to a new record; `changed` names the columns that were sent. */
export async function reactToInsert(
  ctx: Context,
  record: RecordType,
  row: Row,
  changed: ReadonlySet<string>,
): Promise<void> {
  await runReactions(ctx, record, { row, change: 'insert', changed });
}

/** Runs the reactions to a change of a whole record: a delete (`row` as it was) or an undelete. */
export async function reactToChange(
  ctx: Context,
  record: RecordType,
  row: Row,
  change: 'insert' | 'delete',
): Promise<void> {
  await runReactions(ctx, record, { row, change, changed: new Set() });
}
