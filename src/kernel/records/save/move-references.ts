import type { Context } from '../../door/context.ts';
import { authorize } from '../../door/authorize.ts';
import { PlatformError } from '../../door/errors.ts';
import type { Column, RecordType } from '../../declare/record.ts';
import { isA, type Registry } from '../../declare/registry.ts';
import type { Values } from '../../declare/values.ts';
import { fromOf, idOf, tablesOf, valueSql } from '../../database/sql.ts';
import { sqlState } from '../../database/sql-state.ts';
import { isClosed } from '../search/read.ts';
import { deleteRow } from './delete-row.ts';
import { planColumns, type SavePlan } from './plan.ts';
import { assertSaveAllowed } from './save-authorization.ts';
import { saveRecord } from './save-record.ts';

/**
 * A column by which rows of a record type refer to records: a foreign key, or an id beside the name of its record type
 * (`Object` and `ObjectID`).
 */
interface ReferenceColumn {
  /** The record type whose own column it is. */
  readonly record: RecordType;
  readonly id: Column;
  /** Of an id without a declared record type: the column with its name. */
  readonly object?: Column;
  /** The foreign key to the record that has `object`, if the row itself has not: the collection of a member. */
  readonly by?: { readonly key: Column; readonly record: RecordType };
}

/** The references to one record, to be moved to another record of the same type. */
interface ReferenceMove {
  /** The concrete record type of both. */
  readonly record: RecordType;
  readonly from: number;
  readonly to: number;
  /**
   * Returns the rows that duplicate what `to` already has; they are deleted instead of moved. Rows that a unique key
   * refuses are always deleted.
   */
  readonly doubles?: (record: RecordType, ids: readonly number[]) => Promise<ReadonlySet<number>>;
}

/** The rows of one record type that referred to a record. */
interface MovedReferences {
  readonly record: RecordType;
  /** Rows that now refer to the other record. */
  readonly moved: Set<number>;
  /** Rows that were deleted as duplicates. */
  readonly removed: Set<number>;
}

/** Most rows per referring column that can be moved. Their IDs are held in memory, the rows are not. */
const REFERRING_MAX = 100_000;
/** Rows per savepoint. If one of them turns out to be a duplicate, they are saved again one by one. */
const PIECE_ROWS = 100;

/**
 * Returns the columns by which stored records refer to a record of a type. Excludes logs, which record the past and are
 * never changed.
 */
function referencesTo(registry: Registry, target: RecordType): readonly ReferenceColumn[] {
  return registry
    .records()
    .filter((record) => record.history !== false)
    .flatMap((record) => [...record.valueColumns.values()].flatMap((id) => referenceBy(registry, target, record, id)));
}

function referenceBy(
  registry: Registry,
  target: RecordType,
  record: RecordType,
  id: Column,
): readonly ReferenceColumn[] {
  // The columns of a base are those of the base's own declaration.
  if (id.field.kind !== 'id' || id.table !== record.table || id.column === `${id.table}id`) return [];
  if (id.field.to !== undefined) {
    const to = registry.record(id.field.to);
    return to && isA(target, to) ? [{ record, id }] : [];
  }
  if (!id.name.endsWith('ObjectID')) return [];
  const objectName = id.name.slice(0, -'ID'.length);
  const object = record.valueColumns.get(objectName);
  if (object) return [{ record, id, object }];
  for (const key of record.valueColumns.values()) {
    const parent = registry.record(key.field.to ?? '');
    const named = parent?.valueColumns.get(objectName);
    if (parent && named) return [{ record, id, object: named, by: { key, record: parent } }];
  }
  return [];
}

/**
 * Moves all references from one record to another, and returns the changed rows by record type. Each change is a normal
 * save, with its checks, business rules, reactions and history. A caller subject to permission checks needs permission
 * to update each of the record types, and to delete those with duplicates. The caller has locked both records, so that
 * no references are added.
 *
 * @throws NO_PERMISSION, also for rows that the caller cannot see; TOO_LARGE; and whatever a save refuses, naming the
 *   row
 */
export async function moveReferences(ctx: Context, move: ReferenceMove): Promise<readonly MovedReferences[]> {
  const columns = referencesTo(ctx.registry, move.record);
  const changed = new Map<RecordType, MovedReferences>();
  for (const column of columns) {
    const { record } = column;
    const ids = await referringIds(ctx, column, move);
    if (ids.length === 0) continue;
    let rows = changed.get(record);
    if (!rows) changed.set(record, (rows = { record, moved: new Set(), removed: new Set() }));
    await moveColumn(ctx, { column, move, rows }, ids);
  }
  await assertNoneHidden(ctx, columns, move);
  return [...changed.values()];
}

/** The rows that refer to a record by one column. */
interface ColumnMove {
  readonly column: ReferenceColumn;
  readonly move: ReferenceMove;
  readonly rows: MovedReferences;
}

async function moveColumn(ctx: Context, of: ColumnMove, ids: readonly number[]): Promise<void> {
  const { column, move } = of;
  assertAllowed(ctx, column.record, 'update', ids);
  const doubles = new Set([
    ...(await idsJoiningBoth(ctx, column, move)),
    ...((await move.doubles?.(column.record, ids)) ?? []),
  ]);
  for (const id of ids) if (doubles.has(id)) await removeRow(ctx, of, id);
  const rest = ids.filter((id) => !doubles.has(id));
  for (let at = 0; at < rest.length; at += PIECE_ROWS) await movePiece(ctx, of, rest.slice(at, at + PIECE_ROWS));
}

async function movePiece(ctx: Context, of: ColumnMove, ids: readonly number[]): Promise<void> {
  const isMoved = await unlessDouble(ctx, of.column, async () => {
    for (const id of ids) await moveRow(ctx, of, id);
  });
  if (!isMoved)
    for (const id of ids)
      if (!(await unlessDouble(ctx, of.column, () => moveRow(ctx, of, id)))) await removeRow(ctx, of, id);
  for (const id of ids) if (!of.rows.removed.has(id)) of.rows.moved.add(id);
}

/** Returns false, with everything undone, if a unique key of the rows' own tables refuses one of them. */
async function unlessDouble(ctx: Context, { record }: ReferenceColumn, run: () => Promise<void>): Promise<boolean> {
  try {
    await ctx.savepoint(run);
    return true;
  } catch (error) {
    const { table_name: table } = ((error as Error).cause ?? error) as { readonly table_name?: string };
    const isOwn = ctx.registry.family(record).some((of) => tablesOf(of).some((part) => part.table === table));
    if (isOwn && isUniqueViolation(error)) return false;
    throw error;
  }
}

function isUniqueViolation(error: unknown): boolean {
  const cause = error instanceof PlatformError ? error.cause : error;
  return cause instanceof Error && sqlState(cause) === '23505';
}

async function moveRow(ctx: Context, { column, move }: ColumnMove, id: number): Promise<void> {
  const { record, object, by } = column;
  // A record must not refer to itself, so its reference is emptied.
  const isItself = record.root === move.record.root && id === move.to;
  const values: Values = { [column.id.valueName]: isItself ? null : move.to };
  if (object && !by) values[object.valueName] = isItself ? null : move.record.name;
  const plan: SavePlan = { ...planColumns(record, values), id, movesReferences: true };
  await namingRow(record, id, async () => {
    await assertSaveAllowed(ctx, plan);
    await saveRecord(ctx, plan, 'update');
  });
}

async function removeRow(ctx: Context, { column: { record }, rows }: ColumnMove, id: number): Promise<void> {
  assertAllowed(ctx, record, 'delete', [id]);
  await namingRow(record, id, () => deleteRow(ctx, record, id));
  rows.moved.delete(id);
  rows.removed.add(id);
}

/** Adds the refused row to an error, because the caller did not name it. */
async function namingRow(record: RecordType, id: number, run: () => Promise<unknown>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    const { code, field, details, alerts, cause, message } = error;
    throw new PlatformError(code, {
      message: `${record.name} ${id} cannot be changed: ${message}`,
      details: { Object: record.name, ObjectID: id, ...details },
      alerts,
      cause,
      ...(field === undefined ? {} : { field }),
    });
  }
}

/**
 * Throws NO_PERMISSION unless the caller may change rows of a record type. External IDs need no permission: whoever
 * saves or deletes a record changes its external IDs too.
 */
function assertAllowed(ctx: Context, record: RecordType, change: 'update' | 'delete', ids: readonly number[]): void {
  const operation = ctx.registry.operation(`${record.module}/${change}`);
  if (ctx.authority !== 'checked' || record.name === 'ObjectSubscription' || !operation) return;
  try {
    authorize(ctx.user, operation);
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    const message = `${record.name} ${ids[0]} would have to be changed too. ${error.message}`;
    throw new PlatformError(error.code, { message, details: { Object: record.name, ObjectID: ids[0] } });
  }
}

/** Returns the IDs of the rows visible to the caller that refer to a record by a column, in ascending order. */
async function referringIds(ctx: Context, column: ReferenceColumn, move: ReferenceMove): Promise<readonly number[]> {
  const { record } = column;
  if (isClosed(ctx, record)) return [];
  const rows = await ctx.db.query<{ id: number }>(
    `select ${idOf(record)} as id from ${fromOf(record)} where ${conditionOf(column, move)}
     order by 1 limit ${REFERRING_MAX + 1}`,
    [move.from],
  );
  if (rows.length > REFERRING_MAX)
    throw new PlatformError('TOO_LARGE', {
      message: `More than ${REFERRING_MAX} ${record.name} records refer to ${move.record.name} ${move.from}.`,
    });
  return rows.map(({ id }) => id);
}

/** Returns the ids of the rows that join the two records, such as a link: nothing is joined to itself. */
async function idsJoiningBoth(ctx: Context, column: ReferenceColumn, move: ReferenceMove): Promise<readonly number[]> {
  const { record, object } = column;
  const other = referencesTo(ctx.registry, move.record).find(
    (of) => of.record === record && of.object !== undefined && of.id !== column.id,
  );
  if (!object || !other?.object || column.by || other.by) return [];
  const rows = await ctx.db.query<{ id: number }>(
    `select ${idOf(record)} as id from ${fromOf(record)}
     where ${conditionOf(column, move)} and ${valueSql(other.id)} = $2::bigint
       and ${valueSql(other.object)} = '${move.record.name}'`,
    [move.from, move.to],
  );
  return rows.map(({ id }) => id);
}

/** Returns SQL that is true for the rows that refer to the record `$1` by a column, other than the record itself. */
function conditionOf({ record, id, object, by }: ReferenceColumn, move: ReferenceMove): string {
  const isSame = `${valueSql(id)} = $1::bigint`;
  const isOther = record.root === move.record.root ? ` and ${idOf(record)} <> $1::bigint` : '';
  if (!object) return isSame + isOther;
  const isOfType = `${valueSql(object)} = '${move.record.name}'`;
  if (!by) return `${isSame} and ${isOfType}${isOther}`;
  return `${isSame}${isOther} and ${valueSql(by.key)} in
    (select ${idOf(by.record)} from ${fromOf(by.record)} where ${isOfType})`;
}

/** Throws NO_PERMISSION if rows outside the caller's reach refer to the record, without saying which. */
async function assertNoneHidden(ctx: Context, columns: readonly ReferenceColumn[], move: ReferenceMove): Promise<void> {
  if (ctx.user.universal) return;
  const left = await ctx.transaction().elevated(async (db) => {
    for (const column of columns) {
      const { record } = column;
      const rows = await db.query(`select from ${fromOf(record)} where ${conditionOf(column, move)} limit 1`, [
        move.from,
      ]);
      if (rows.length > 0) return true;
    }
    return false;
  });
  if (left)
    throw new PlatformError('NO_PERMISSION', {
      message: `Records that you don't have access to refer to ${move.record.name} ${move.from}.`,
    });
}
