import type { ListAnswer, Row, Shape } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { namesHint, PlatformError } from '../../../../kernel/door/errors.ts';
import type { Column, RecordType } from '../../../../kernel/declare/record.ts';
import { assertCanSearch } from '../../../../kernel/records/search/read.ts';
import { fromOf, idOf, columnList } from '../../../../kernel/database/sql.ts';
import { arrayLiteral } from '../../../../kernel/database/store.ts';
import type { Score } from '../score.record.ts';

/** A row of an analysis: of a score or of its item. */
export type ScoredRow = Row & Pick<Score, 'ObjectID'>;

/** The columns of scored records in an analysis, each named by class and column: `Loan_UPBAmount`. */
export interface RecordColumns {
  readonly record: RecordType;
  readonly columns: readonly Column[];
}

/**
 * Returns the columns to show for a class: the named ones, or its label. The caller needs the permission to search the
 * class. @throws NO_PERMISSION, UNKNOWN_PARAMETER with the nearest columns
 */
export function recordColumns(ctx: Context, className: string, names: readonly string[]): RecordColumns {
  const record = ctx.registry.requireRecord(className, 'Object');
  assertCanSearch(ctx, record);
  const typeNames = names.length === 0 ? [record.name] : names;
  const columns = typeNames.map((name) => {
    const column = record.columns.get(name.trim().toLowerCase());
    const shown = record.shown.map((one) => one.name);
    if (typeof column?.read !== 'string')
      throw new PlatformError('UNKNOWN_PARAMETER', {
        field: 'RecordColumns',
        message: `RecordColumns: ${record.name} has no column ${name.slice(0, 100)}.` + namesHint(name, shown),
      });
    return column;
  });
  return { record, columns: [...new Set(columns)] };
}

/**
 * Adds the columns of the scored records after each row's Object and ObjectID. They are empty for a record that the
 * caller cannot see.
 */
export async function addRecordColumns(
  ctx: Context,
  page: ListAnswer<ScoredRow>,
  { record, columns }: RecordColumns,
): Promise<ListAnswer> {
  const ids = [...new Set(page.rows.map((row) => row.ObjectID).filter((id) => typeof id === 'number'))];
  const found =
    ids.length === 0
      ? []
      : await ctx.db.query<Row & { readonly ScoredID: number }>(
          `select ${idOf(record)} as "ScoredID", ${columnList(columns)}
           from ${fromOf(record)}
           where ${idOf(record)} = any($1::bigint[])`,
          [arrayLiteral(ids)],
        );
  const byId = new Map<number | null, Row>(found.map((row) => [row.ScoredID, row]));
  const rows = page.rows.map((row): Row => {
    const scored = byId.get(row.ObjectID);
    return {
      ...row,
      ...Object.fromEntries(columns.map(({ name }) => [`${record.name}_${name}`, scored?.[name] ?? null])),
    };
  });
  const own: Shape = columns.map(({ name, field }) => ({ name: `${record.name}_${name}`, field }));
  const at = page.shape.findIndex(({ name }) => name === 'ObjectID') + 1;
  return { ...page, shape: [...page.shape.slice(0, at), ...own, ...page.shape.slice(at)], rows };
}
