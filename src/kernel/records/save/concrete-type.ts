import type { Row } from '../../door/answer.ts';
import type { Context } from '../../door/context.ts';
import type { RecordType } from '../../declare/record.ts';
import { isA } from '../../declare/registry.ts';
import { hasRecordClass } from '../../database/sql.ts';
import { concreteClass, notFound } from '../search/read.ts';

/**
 * Returns the type whose checks, label and reactions apply to a stored record: a contact that is an organization is
 * changed as an organization. It has all columns of the type that was named; its rows show the id and the label under
 * its own name. Throws NOT_FOUND where the record is not of the type that was named.
 */
export async function concreteTypeOf<R extends RecordType>(ctx: Context, record: R, id: number): Promise<R> {
  if (!hasRecordClass(record.root)) return record;
  const concrete = await concreteClass(ctx, ctx.db, record.root, id);
  if (!isA(concrete, record)) throw notFound(record, id);
  return concrete as R;
}

/** Returns a row of a concrete type under the column names of the type that was named: a Foreclosure as a Process. */
export function rowAsType<R extends RecordType>(row: Row, concrete: RecordType, record: R): Row<R> {
  if (concrete === record) return row as Row<R>;
  const names = new Map(concrete.shown.map((c) => [`${c.table}.${c.column}`, c.name]));
  const renamed = record.shown.map((c) => [c.name, row[names.get(`${c.table}.${c.column}`) ?? c.name]]);
  return Object.fromEntries(renamed) as Row<R>;
}
