import type { Context } from '../../door/context.ts';
import { fromOf, valueSql } from '../../database/sql.ts';
import type { Parameters } from '../../parameters/parameters.ts';
import { bad } from '../../parameters/parse-value.ts';
import type { RecordType } from '../../declare/record.ts';
import { whereOf } from './page.ts';
import { searchConditions, sqlFilterCondition } from './search.ts';
import { unknownColumn } from './unknown-column.ts';

/** What is counted: the filters of a search, and the named filters of the record type. */
export interface FoundBy {
  readonly filters: Parameters;
  readonly named: readonly string[];
}

/** What {@link searchTotals} adds up. */
export interface TotalsRequest extends FoundBy {
  /** A column of money or numbers. */
  readonly sum?: string | undefined;
  /** A named filter whose records are counted among those found. */
  readonly among?: string | undefined;
  /** How many records are read at most. */
  readonly most: number;
}

/** Totals of a search. */
export interface SearchTotals {
  readonly count: number;
  /** An exact decimal; null without a column, or without any value. */
  readonly sum: string | null;
  readonly among: number;
}

/** Counts and adds up the records that a search finds, of which it reads at most `most`. */
export async function searchTotals(ctx: Context, record: RecordType, request: TotalsRequest): Promise<SearchTotals> {
  const { filters, named, sum, among, most } = request;
  const { conditions, sql } = await searchConditions(ctx, record, filters, named);
  const amount = sum === undefined ? 'null::numeric' : amountSql(record, sum);
  const isAmong = among === undefined ? 'false' : sqlFilterCondition(record, among);
  const [row] = await ctx.db.query<SearchTotals>(
    `select count(*)::integer as count, sum(amount)::text as sum, (count(*) filter (where among))::integer as among
     from (
       select ${amount} as amount, ${isAmong} as among
       from ${fromOf(record)}${whereOf(conditions)}
       limit ${sql.add(most, 'integer')}) found`,
    sql.values,
  );
  return row ?? { count: 0, sum: null, among: 0 };
}

function amountSql(record: RecordType, name: string): string {
  const column = record.columns.get(name.toLowerCase());
  if (!column?.read) throw unknownColumn(record, name);
  if (!['money', 'decimal', 'integer'].includes(column.field.kind)) throw bad('Sum', 'a column of amounts or numbers');
  return `(${valueSql(column)})::numeric`;
}
