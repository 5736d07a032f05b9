import type { Context } from '../../../kernel/door/context.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { lockNames } from '../../../kernel/database/advisory-lock.ts';
import { STAGING_ROLE } from '../../../kernel/database/roles.ts';
import type { Db } from '../../../kernel/database/store.ts';
import type { ColumnType } from './column-type.ts';
import { quoteName } from './sql-names.ts';
import type { BulkOptions } from './bulk-options.ts';
import { qualified, type StagingDatabase, type TableName } from './staging-database.ts';
import { adoptTypes, type StagingPlan } from './staging-plan.ts';

/** The staging table of a load. */
export interface StagingTable extends TableName {
  /** Whether it was created for this import file alone. */
  readonly own: boolean;
}

/** Returns a table's column types by name, in order; undefined if there is no such table. */
export async function readColumnTypes(
  db: Db,
  { schema, name }: TableName,
): Promise<ReadonlyMap<string, string> | undefined> {
  const rows = await db.query<{ kind: string; name: string | null; type: string }>(
    `select c.relkind as kind, a.attname as name, format_type(a.atttypid, a.atttypmod) as type
     from pg_class c join pg_namespace n on n.oid = c.relnamespace left join pg_attribute a on a.attrelid = c.oid
     and a.attnum > 0 and not a.attisdropped
     where n.nspname = $1::text and c.relname = $2::text order by a.attnum`,
    [schema, name],
  );
  const [first] = rows;
  if (!first) return undefined;
  if (first.kind !== 'r' && first.kind !== 'p')
    throw new PlatformError('BAD_PARAMETER', { message: `${schema}.${name} is not a table; expected one.` });
  return new Map(rows.flatMap((row) => (row.name === null ? [] : [[row.name, row.type]])));
}

/** A staging table and what is loaded into it. */
export interface TablePlan {
  readonly table: StagingTable;
  readonly plan: StagingPlan;
}

/**
 * Prepares the table in the first piece of a run: creates it if missing, empties it if the import type says so. The
 * plan takes the types of its columns.
 */
export async function prepareTable(
  db: Db,
  place: StagingDatabase,
  { table, plan }: TablePlan,
  options: BulkOptions,
): Promise<void> {
  // If two runs create the table concurrently, the second waits and finds it.
  await lockNames(db, [`casewright staging ${table.name}`]);
  const types = await readColumnTypes(db, table);
  if (types === undefined) await createTable(db, table, plan, options);
  else await addMissingColumns(db, { table, plan }, options, types);
  if (place.connection === undefined)
    await db.query(`grant select, insert, update, delete on ${qualified(table)} to ${STAGING_ROLE}`);
  if (options.truncate) await db.query(`truncate ${qualified(table)}`);
}

async function createTable(
  db: Db,
  table: StagingTable,
  plan: StagingPlan,
  { ensureTable }: BulkOptions,
): Promise<void> {
  if (!ensureTable)
    throw new PlatformError('BAD_PARAMETER', {
      field: 'TableName',
      message: `TableName: there is no staging table ${table.name}, and EnsureTable is false.`,
    });
  const { numbered, identity } = plan;
  const columns = [
    ...(numbered ? [`${quoteName(numbered.row)} bigint primary key`, `${quoteName(numbered.line)} bigint`] : []),
    ...(identity === undefined ? [] : [`${quoteName(identity)} bigint generated always as identity`]),
    ...plan.columns.map((column) => `${quoteName(column.name)} ${column.type.sql}`),
  ];
  await db.query(`create table ${qualified(table)} (${columns.join(', ')})`);
}

/**
 * Adds missing columns to an existing table if the import type allows it.
 * @throws BAD_PARAMETER if it does not
 */
async function addMissingColumns(
  db: Db,
  { table, plan }: TablePlan,
  { allowAlterColumn }: BulkOptions,
  types: ReadonlyMap<string, string>,
): Promise<void> {
  const missing = adoptTypes(plan, types);
  const [first] = missing;
  if (first && !allowAlterColumn)
    throw new PlatformError('BAD_PARAMETER', {
      field: 'TableName',
      message:
        `TableName: the staging table ${table.name} has no column ${first.name}; with AllowAlterColumn it ` +
        'would be added.',
    });
  const { numbered, identity } = plan;
  const added = [
    ...(numbered && !types.has(numbered.row)
      ? [`${quoteName(numbered.row)} bigint`, `${quoteName(numbered.line)} bigint`]
      : []),
    ...(identity !== undefined && !types.has(identity)
      ? [`${quoteName(identity)} bigint generated always as identity`]
      : []),
    ...missing.map((column) => `${quoteName(column.name)} ${column.type.sql}`),
  ];
  if (added.length > 0)
    await db.query(`alter table ${qualified(table)} ${added.map((column) => `add column ${column}`).join(', ')}`);
}

/** Widens columns, which keep their values. */
export async function widenColumns(db: Db, table: TableName, widened: ReadonlyMap<string, ColumnType>): Promise<void> {
  for (const [name, { sql }] of widened)
    await db.query(
      `alter table ${qualified(table)} alter column ${quoteName(name)} type ${sql} using ${quoteName(name)}::${sql}`,
    );
}

/**
 * Records that a run uses a table until its import file has ended. A run that empties the table first or merges it uses
 * it exclusively. In the piece's transaction.
 * @throws CONCURRENT_CHANGE if another run uses it
 */
export async function claimTable(
  own: Context,
  place: StagingDatabase,
  table: StagingTable,
  { importFileId, alone }: { readonly importFileId: number; readonly alone: boolean },
): Promise<void> {
  const name = `${place.connection === undefined ? '' : `${place.connection.toLowerCase()}:`}${table.name}`;
  await own.transaction().elevated(async (db) => {
    await lockNames(db, [`casewright staging use ${name}`]);
    const [other] = await db.query<{ importfileid: number }>(
      `select u.importfileid from staginguse u join importfile f on f.importfileid = u.importfileid
       where u.tablename = $1::text and u.importfileid <> $2::bigint and (u.alone or $3::boolean)
       and f.importcomplete is null limit 1`,
      [name, importFileId, alone],
    );
    if (other)
      throw new PlatformError('CONCURRENT_CHANGE', {
        field: 'TableName',
        message:
          `TableName: import file ${other.importfileid} is using the staging table ${table.name}; import this ` +
          'file after it has ended.',
      });
    await db.query(
      `insert into staginguse (tablename, importfileid, alone, own, usedate)
        values ($1::text, $2::bigint, $3::boolean, $4::boolean, $5::timestamptz)
       on conflict (tablename, importfileid) do update set alone = excluded.alone, usedate = excluded.usedate`,
      [name, importFileId, alone, table.own, own.clock.now()],
    );
  });
}
