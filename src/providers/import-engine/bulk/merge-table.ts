import { OPERATION_FLAGS, type RowResult } from '../../../contracts/import-engine.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import type { Db } from '../../../kernel/database/store.ts';
import { columnType } from './column-type.ts';
import { isRowError, rowErrorMessage } from './copy-piece.ts';
import { quoteName } from './sql-names.ts';
import { qualified, type Session, type TableName } from './staging-database.ts';
import type { StagingColumn, StagingPlan } from './staging-plan.ts';
import { readColumnTypes } from './staging-table.ts';

/** Rows merged in one transaction. */
export const MERGE_ROWS = 20_000;

/** A merge of a staging table into a target table. */
export interface TableMerge {
  readonly staging: TableName;
  readonly target: TableName;
  readonly plan: StagingPlan;
  readonly operationsAllowed: number;
  readonly category: string | undefined;
  /** Whether the first failed row ends the run, so that no row after it is merged. */
  readonly stopsAtFailure: boolean;
}

/** A staging column and the target column; values are compared and stored as the target's type. */
interface ColumnPair {
  readonly target: string;
  /** SQL of the staging column, aliased `s`, as the target's type. */
  readonly value: string;
  readonly isKey: boolean;
  readonly source: string;
}

/**
 * Returns the columns by which source and target rows match.
 * @throws MISSING_PARAMETER if the import type has none
 */
export function requireKeys(plan: StagingPlan): readonly StagingColumn[] {
  const keys = plan.columns.filter((column) => column.isKey);
  if (keys.length === 0)
    throw new PlatformError('MISSING_PARAMETER', {
      field: 'ImportFileMapType',
      message: 'ImportFileMapType: expected a map of type Key, whose column identifies rows of the target.',
    });
  return keys;
}

/**
 * Creates a missing target, if allowed, with the keys as its primary key. For an existing target the plan's columns
 * take its types, so that a value that does not fit fails its row.
 */
export async function prepareTarget(db: Db, target: TableName, plan: StagingPlan, mayMake: boolean): Promise<void> {
  const keys = requireKeys(plan);
  const types = await readColumnTypes(db, target);
  if (types === undefined) {
    if (!mayMake)
      throw new PlatformError('BAD_PARAMETER', {
        field: 'TargetTableName',
        message: `TargetTableName: there is no table ${target.schema}.${target.name}, and EnsureTable is false.`,
      });
    const columns = plan.columns.map((column) => `${quoteName(column.name)} ${column.type.sql}`);
    const key = keys.map(({ name }) => quoteName(name)).join(', ');
    await db.query(`create table ${qualified(target)} (${columns.join(', ')}, primary key (${key}))`);
    return;
  }
  const folded = new Map([...types].map(([name, sql]) => [name.toLowerCase(), sql]));
  for (const column of plan.columns) {
    const sql = folded.get(column.name.toLowerCase());
    if (sql === undefined)
      throw new PlatformError('BAD_PARAMETER', {
        field: 'TargetTableName',
        message:
          `TargetTableName: ${target.schema}.${target.name} has no column ${column.name}; ` +
          `its columns: ${[...types.keys()].join(', ').slice(0, 500)}.`,
      });
    column.type = columnType(sql);
  }
}

/**
 * Merges staging rows in the range (from, to]; of two with the same key the later one wins. In the session's
 * transaction.
 */
export async function mergeRows(
  session: Session,
  merge: TableMerge,
  from: number,
  to: number,
): Promise<{ readonly success: number; readonly results: readonly RowResult[] }> {
  await session.query(`lock table ${qualified(merge.target)} in share row exclusive mode`);
  const pairs = await readColumnPairs(session, merge);
  const results: RowResult[] = [];
  let success = 0;
  const range = async (first: number, last: number): Promise<void> => {
    try {
      const merged = await session.savepoint(() => mergeRange(session, merge, pairs, { from: first, to: last }));
      success += merged.success;
      results.push(...merged.results);
    } catch (error) {
      if (!isRowError(error)) throw error;
      if (last - first === 1) {
        const [row] = await stagedLines(session, merge, first, last);
        if (row) results.push(failedRow(merge, row.line, rowErrorMessage(error)));
        return;
      }
      const half = (first + last) >> 1;
      await range(first, half);
      if (!merge.stopsAtFailure || !results.some((r) => r.status === 'Error')) await range(half, last);
    }
  };
  await range(from, to);
  return { success, results };
}

async function readColumnPairs(db: Db, { staging, target, plan }: TableMerge): Promise<readonly ColumnPair[]> {
  const [ours, theirs] = [await readColumnTypes(db, staging), await readColumnTypes(db, target)];
  const names = new Map([...(theirs ?? [])].map(([name, sql]) => [name.toLowerCase(), { name, sql }]));
  return plan.columns.map((column) => {
    const there = names.get(column.name.toLowerCase());
    if (!there)
      throw new PlatformError('BAD_PARAMETER', {
        field: 'TargetTableName',
        message: `TargetTableName: ${target.schema}.${target.name} has no column ${column.name}.`,
      });
    const value = `s.${quoteName(column.name)}`;
    return {
      target: quoteName(there.name),
      value: ours?.get(column.name) === there.sql ? value : `${value}::${there.sql}`,
      isKey: column.isKey,
      source: column.source,
    };
  });
}

/** Why a row is not merged; `later`: a later row of the file has its key. */
type SkipReason = 'empty' | 'several' | 'later' | 'exists' | 'absent';

/** Row numbers after `from` up to `to`. */
interface RowRange {
  readonly from: number;
  readonly to: number;
}

interface SkippedRow {
  readonly row: number;
  readonly line: number;
  readonly verdict: SkipReason;
}

async function mergeRange(
  db: Db,
  merge: TableMerge,
  pairs: readonly ColumnPair[],
  { from, to }: RowRange,
): Promise<{ success: number; results: RowResult[] }> {
  const { staging, target, plan, operationsAllowed } = merge;
  const row = quoteName(plan.numbered?.row ?? '');
  const left = await findSkippedRows(db, merge, pairs, { from, to });
  const results = left.map(({ line, verdict }) =>
    verdict === 'later'
      ? supersededRow(merge, line)
      : failedRow(
          merge,
          line,
          SKIP_MESSAGES[verdict](
            pairs
              .filter((p) => p.isKey)
              .map((p) => p.source)
              .join(' and '),
          ),
        ),
  );
  if (merge.stopsAtFailure && results.some((r) => r.status === 'Error')) {
    const first = Math.min(...left.filter((l) => l.verdict !== 'later').map((l) => l.row));
    // Merge the rows before the first failure, none of which fails.
    const before =
      first - 1 > from ? await mergeRange(db, merge, pairs, { from, to: first - 1 }) : { success: 0, results: [] };
    const line = left.find((l) => l.row === first)?.line;
    return {
      success: before.success,
      results: [...before.results, ...results.filter((r) => r.line === line && r.status === 'Error')],
    };
  }
  const values = [from, to, `{${left.map((l) => l.row).join(',')}}`];
  const range = `s.${row} > $1::bigint and s.${row} <= $2::bigint and s.${row} <> all($3::bigint[])`;
  const matches = pairs
    .filter((p) => p.isKey)
    .map((p) => `t.${p.target} = ${p.value}`)
    .join(' and ');
  const rest = pairs.filter((p) => !p.isKey);
  if ((operationsAllowed & OPERATION_FLAGS.update) !== 0 && rest.length > 0) {
    const [targets, sources] = [rest.map((p) => `t.${p.target}`), rest.map((p) => p.value)];
    await db.query(
      `update ${qualified(target)} t set ${rest.map((p) => `${p.target} = ${p.value}`).join(', ')}
       from ${qualified(staging)} s
       where ${range} and ${matches} and (${targets.join(', ')}) is distinct from (${sources.join(', ')})`,
      values,
    );
  }
  if ((operationsAllowed & OPERATION_FLAGS.insert) !== 0) {
    await db.query(
      `insert into ${qualified(target)} (${pairs.map((p) => p.target).join(', ')})
       select ${pairs.map((p) => p.value).join(', ')}
       from ${qualified(staging)} s
       where ${range} and not exists (select from ${qualified(target)} t where ${matches})
       order by s.${row}`,
      values,
    );
  }
  const [counted] = await db.query<{ n: number }>(
    `select count(*) as n from ${qualified(staging)} s where ${range}`,
    values,
  );
  return { success: counted?.n ?? 0, results };
}

/** Returns the rows that are not merged, with the reason. */
function findSkippedRows(
  db: Db,
  { staging, target, plan, operationsAllowed }: TableMerge,
  pairs: readonly ColumnPair[],
  { from, to }: RowRange,
): Promise<SkippedRow[]> {
  const [row, line] = [quoteName(plan.numbered?.row ?? ''), quoteName(plan.numbered?.line ?? '')];
  const keys = pairs.filter((pair) => pair.isKey);
  const names = keys.map((_, i) => `k${i}`);
  const targets = keys.map((k) => k.target).join(', ');
  const updates = (operationsAllowed & OPERATION_FLAGS.update) !== 0;
  const inserts = (operationsAllowed & OPERATION_FLAGS.insert) !== 0;
  // If rows may only be inserted, the first row of a key wins; any other would update it.
  const order = updates ? 'desc' : 'asc';
  const text = `with s as (
      select s.${row} as row, s.${line} as line, ${keys.map((k, i) => `${k.value} as k${i}`).join(', ')}
      from ${qualified(staging)} s
      where s.${row} > $1::bigint and s.${row} <= $2::bigint),
    t as (
      select ${keys.map((k, i) => `${k.target} as k${i}`).join(', ')}, count(*) as n
      from ${qualified(target)}
      where (${targets}) in (select ${names.join(', ')} from s)
      group by ${targets}),
    judged as (
      select s.row, s.line, case
        when ${names.map((k) => `s.${k} is null`).join(' or ')} then 'empty'
        when t.n > 1 then 'several'
        when row_number() over (partition by ${names.map((k) => `s.${k}`).join(', ')} order by s.row ${order}) > 1
          then '${updates ? 'later' : 'exists'}'
        when t.n = 1 then '${updates ? '' : 'exists'}'
        else '${inserts ? '' : 'absent'}' end as verdict
      from s left join t on ${names.map((k) => `t.${k} = s.${k}`).join(' and ')})
    select row, line, verdict from judged where verdict <> '' order by row`;
  return db.query<SkippedRow>(text, [from, to]);
}

function stagedLines(db: Db, { staging, plan }: TableMerge, from: number, to: number): Promise<{ line: number }[]> {
  const [row, line] = [quoteName(plan.numbered?.row ?? ''), quoteName(plan.numbered?.line ?? '')];
  return db.query(
    `select ${line} as line from ${qualified(staging)} where ${row} > $1::bigint and ${row} <= $2::bigint`,
    [from, to],
  );
}

const SKIP_MESSAGES: Readonly<Record<Exclude<SkipReason, 'later'>, (keys: string) => string>> = {
  empty: (keys) => `${keys}: empty; it identifies rows of the target.`,
  several: (keys) => `${keys}: several rows of the target have this value; expected at most one.`,
  exists: (keys) =>
    `ImportOperationsAllowed: a row with this ${keys} exists, and the import type does not allow updates.`,
  absent: (keys) =>
    `ImportOperationsAllowed: no row with this ${keys} exists, and the import type does not allow inserts.`,
};

function failedRow({ category }: TableMerge, line: number, message: string): RowResult {
  return {
    line,
    label: `Line ${line}`,
    operation: 'Merge',
    status: 'Error',
    message: `Line ${line}: ${message}`,
    ...(category === undefined ? {} : { category }),
  };
}

function supersededRow(_merge: TableMerge, line: number): RowResult {
  return {
    line,
    label: `Line ${line}`,
    operation: 'None',
    status: 'Warning',
    message: `Line ${line}: a later row of the file has the same key and was merged instead.`,
  };
}
