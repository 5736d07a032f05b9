import type { Context } from '../../door/context.ts';
import type { Collection, Column, RecordType } from '../../declare/record.ts';
import { lockName } from '../../database/advisory-lock.ts';
import { fromOf, idOf } from '../../database/sql.ts';
import { notFound } from '../search/read.ts';
import type { SavePlan } from './plan.ts';
import type { KnownParent } from './resolve-references.ts';

/** A child that is saved with its parent. */
export interface NestedChild {
  readonly collection: Collection;
  readonly plan: SavePlan;
  readonly parent: KnownParent;
}

/**
 * Returns the id of the child that a nested save changes: the one that was sent, or the one with the same key in the
 * parent. Undefined for a new child. Throws NOT_FOUND where the id that was sent is no child of the parent.
 */
export async function nestedChildId(ctx: Context, child: NestedChild): Promise<number | undefined> {
  if (child.plan.id === undefined)
    return child.collection.key === undefined ? undefined : findChildByKey(ctx, child, child.collection.key);
  await assertChildOf(ctx, child, child.plan.id);
  return child.plan.id;
}

/** SQL that is true for the children of one parent. `$1` is the parent's record type, `$2` its id. */
function childCondition({ by }: Collection, child: RecordType): string {
  const { table } = child.root;
  return by === 'Object'
    ? `${table}.object = $1::text and ${table}.objectid = $2::bigint`
    : `${table}.${by.toLowerCase()} = $2::bigint and $1::text is not null`;
}

async function assertChildOf(ctx: Context, { collection, plan, parent }: NestedChild, id: number): Promise<void> {
  const { record } = plan;
  const rows = await ctx.db.query(
    `select 1 from ${fromOf(record)} where ${childCondition(collection, record)} and ${idOf(record)} = $3::bigint`,
    [parent.record.name, parent.id, id],
  );
  if (rows.length === 0) throw notFound(record, id);
}

/**
 * Returns the child whose key columns equal those that were sent. A key column that was not sent has its default.
 * Without a value in the first key column the child is a new one.
 */
async function findChildByKey(
  ctx: Context,
  { collection, plan, parent }: NestedChild,
  key: readonly string[],
): Promise<number | undefined> {
  const { record, values } = plan;
  const columns = key.flatMap((name) => record.valueColumns.get(name) ?? []);
  const sought = columns.map((column) => values[column.valueName] ?? column.field.default ?? null);
  if (columns.length === 0 || sought[0] === null) return undefined;
  const text = `select ${idOf(record)} as id from ${fromOf(record)}
    where ${childCondition(collection, record)} and ${keyCondition(columns, sought)} order by 1 limit 1`;
  const params = [parent.record.name, parent.id, ...sought.filter((value) => value !== null)];
  const find = async (): Promise<number | undefined> => (await ctx.db.query<{ id: number }>(text, params))[0]?.id;
  const found = await find();
  if (found !== undefined) return found;
  // Of two calls that bring the same new child, the second waits for the first and then finds its row.
  const tables = `${record.root.table} ${parent.record.root.table}`;
  await lockName(ctx, `child ${tables} ${parent.id} ${sought.map(String).join(' ')}`);
  return find();
}

/** SQL that compares key columns with values. Parameters start at `$3`; a null has none. */
function keyCondition(columns: readonly Column[], sought: readonly unknown[]): string {
  let parameter = 2;
  return columns
    .map((column, at) => {
      const comparison = sought[at] === null ? 'is null' : `= $${++parameter}`;
      return `${column.table}.${column.column} ${comparison}`;
    })
    .join(' and ');
}
