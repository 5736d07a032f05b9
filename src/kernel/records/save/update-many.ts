import { recordId, type Row } from '../../door/answer.ts';
import type { Context } from '../../door/context.ts';
import type { RecordType } from '../../declare/record.ts';
import { valueNames, type Values } from '../../declare/values.ts';
import { arrayLiteral } from '../../database/store.ts';
import { hasRecordClass, updateManyText } from '../../database/sql.ts';
import { rowAfter } from '../../ports/business-rules.ts';
import { changedColumns } from './changed-columns.ts';
import { commitChange } from './commit-change.ts';
import { trackWrite } from './conflict.ts';
import { storedValues } from './stored-values.ts';

/**
 * Updates locked rows to the same values as if each were updated alone, but with as many statements for all as for one,
 * and returns them as stored, in the same order. Only for record types in one table, and for columns that are neither
 * hidden, custom nor part of the label.
 */
export async function updateMany<R extends RecordType>(
  ctx: Context,
  record: R,
  rows: readonly Row<R>[],
  values: Readonly<Values<R>>,
): Promise<readonly Row<R>[]> {
  const names = new Set(valueNames(values));
  assertUpdatedInBulk(record, names);
  if (rows.length === 0) return [];
  const ids = rows.map((row) => recordId(record, row));
  const before = new Map(rows.map((row) => [recordId(record, row), row]));
  const stored = storedValues(ctx, record, values);
  const keys = [...stored.keys()].sort();
  const committed = await commitChange(ctx, {
    record,
    change: 'update',
    ids,
    ruleRows: async () => rows.map((row) => ({ before: row, after: rowAfter(record, row, values) })),
    write: async () => {
      const written = await trackWrite({ record, ids, stored }, () =>
        ctx.db.query<Row<R>>(updateManyText(record, keys), [
          arrayLiteral(ids),
          null,
          ctx.user.personId,
          ctx.clock.now(),
          ...keys.map((key) => stored.get(key) ?? null),
        ]),
      );
      const byId = new Map(written.map((row) => [recordId(record, row), row]));
      return ids.map((id) => byId.get(id)).filter((row) => row !== undefined);
    },
    publishedColumns: (row) => changedColumns(record, before.get(recordId(record, row)) ?? {}, row, stored),
    sent: () => names,
  });
  return committed.map(({ row }) => row);
}

function assertUpdatedInBulk(record: RecordType, names: ReadonlySet<string>): void {
  const isOne = record.base === undefined && !hasRecordClass(record.root);
  const arePlain = [...names].every((name) => {
    const column = record.valueColumns.get(name);
    return column?.custom === undefined && column?.read !== null && column?.field.kind !== 'ssn';
  });
  if (!isOne || !arePlain || record.label?.from.some((name) => names.has(name)))
    throw new Error(`${record.name} cannot be updated in bulk`);
}
