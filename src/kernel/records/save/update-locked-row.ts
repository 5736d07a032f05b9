import { recordId, versionOf, type Row } from '../../door/answer.ts';
import type { Context } from '../../door/context.ts';
import type { FieldKind } from '../../declare/field-types.ts';
import type { RecordType } from '../../declare/record.ts';
import { valueNames, type Values } from '../../declare/values.ts';
import { unansweredUpdateText } from '../../database/sql.ts';
import { rowAfter } from '../../ports/business-rules.ts';
import type { PendingChange } from './commit-change.ts';
import { storedValues } from './stored-values.ts';
import { updateOf } from './update-row.ts';

/** The kinds of fields whose values are stored and returned as sent. */
const PLAIN_KINDS: ReadonlySet<FieldKind> = new Set(['text', 'integer', 'id', 'boolean', 'date', 'timestamp']);

/**
 * Returns an update of one row that the caller has read and locked in this transaction, with all shown columns. The
 * write does not wait for the database: the new row follows from the old one and the values, so the update travels with
 * the next statement, or with the commit.
 *
 * It waits, as {@link updateOf} does, if there are subscribers, or if the database contributes to the new row: with
 * several tables, a derived label, or values not stored as sent.
 */
export async function updateOfLocked<R extends RecordType>(
  ctx: Context,
  record: R,
  row: Row<R>,
  values: Readonly<Values<R>>,
): Promise<PendingChange<R>> {
  const id = recordId(record, row);
  const update = await updateOf(ctx, record, { id, values });
  if (update.isPublished === true || !isPlain(record, values)) return update;
  return {
    ...update,
    ruleRows: async () => [{ before: row, after: rowAfter(record, row, values) }],
    write: async () => [sendUpdate(ctx, record, row, values) as Row<R>],
  };
}

/** Whether the new row of an update follows from the old one and the values. */
function isPlain(record: RecordType, values: Values): boolean {
  if (record.base !== undefined || record.label !== undefined) return false;
  return valueNames(values).every((name) => {
    const column = record.valueColumns.get(name);
    if (!column || column.custom || column.read !== `${column.table}.${column.column}`) return false;
    return PLAIN_KINDS.has(column.field.kind);
  });
}

function sendUpdate(ctx: Context, record: RecordType, row: Row, values: Values): Row {
  const stored = storedValues(ctx, record, values);
  const keys = [...stored.keys()].sort();
  const now = ctx.clock.now();
  const { personId } = ctx.user;
  const columnValues = keys.map((key) => stored.get(key) ?? null);
  const parameters = [recordId(record, row), null, personId, now, ...columnValues];
  ctx.transaction().later(unansweredUpdateText(record, keys), parameters);
  return {
    ...rowAfter(record, row, values),
    UpdatedDate: now,
    UpdatedPersonID: personId,
    Version: versionOf(row) + 1,
  };
}
