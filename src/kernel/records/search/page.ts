import type { Row } from '../../door/answer.ts';
import type { Context } from '../../door/context.ts';
import type { SqlParameters } from './filter.ts';
import { positionSql, stepsAfter, type Position } from './keyset.ts';
import { orderSql, type OrderKey } from './order.ts';
import type { PageCursor } from './page-cursor.ts';

/** The total is counted up to this many rows; beyond that it is the planner's estimate. */
export const COUNT_MAX = 10_000;

/** The rows that a search finds, and their order. */
export interface SearchQuery {
  readonly from: string;
  readonly conditions: readonly string[];
  readonly sql: SqlParameters;
  readonly keys: readonly OrderKey[];
  /** Its statements so far, with the time that each took. */
  readonly statements: StatementTime[];
}

/** A statement, and how long it took. */
export interface StatementTime {
  readonly text: string;
  readonly values: readonly unknown[];
  readonly milliseconds: number;
}

/** The rows of a page and, if it was asked for, where the next page begins. */
export interface Page {
  readonly rows: readonly Row[];
  /** Whether rows follow. */
  readonly hasMore: boolean;
  /** Position of the last row, for a cursor. */
  readonly end: Position | undefined;
}

/** What a page shows. `cursor`: where it begins, with an empty one at the beginning; undefined: without cursors. */
export interface PageQuery {
  readonly columns: string;
  readonly start: number;
  readonly size: number;
  readonly cursor: Partial<PageCursor> | undefined;
}

/** Name of the column with a row's position, which no declared column can have. */
const POSITION = 'its position';

/** Reads a page. With a cursor it is read in steps; most pages need only the first. */
export async function readPage(ctx: Context, query: SearchQuery, page: PageQuery): Promise<Page> {
  const { size, cursor } = page;
  const steps = cursor?.position ? stepsAfter(query.keys, cursor.position) : [undefined];
  const read: Row[] = [];
  for (const step of steps) {
    if (read.length > size) break;
    read.push(...(await readStep(ctx, query, { ...page, size: size + 1 - read.length }, step)));
  }
  const hasMore = read.length > size;
  const shown = hasMore ? read.slice(0, size) : read;
  const end = cursor ? (shown.at(-1)?.[POSITION] as Position | undefined) : undefined;
  const rows = cursor ? shown.map(({ [POSITION]: _position, ...row }): Row => row) : shown;
  return { rows, hasMore, end };
}

async function readStep(
  ctx: Context,
  query: SearchQuery,
  { columns, start, size, cursor }: PageQuery,
  step: ((sql: SqlParameters) => string) | undefined,
): Promise<readonly Row[]> {
  const { from, conditions, sql, keys } = query;
  const own = sql.copy();
  const where = whereOf(step ? [...conditions, step(own)] : conditions);
  const position = cursor ? `, ${positionSql(keys)} as "${POSITION}"` : '';
  const text = `select ${columns}${position} from ${from}${where}
    order by ${orderSql(keys)}
    limit ${own.add(size, 'integer')} offset ${own.add(start, 'integer')}`;
  return timed(query, { text, values: own.values }, () => ctx.db.query<Row>(text, own.values));
}

/** Runs a statement and adds its time to the search. */
async function timed<T>(
  { statements }: SearchQuery,
  statement: Omit<StatementTime, 'milliseconds'>,
  run: () => Promise<T>,
): Promise<T> {
  const began = performance.now();
  const result = await run();
  statements.push({ ...statement, milliseconds: performance.now() - began });
  return result;
}

/** Returns the WHERE clause of some conditions. */
export function whereOf(conditions: readonly string[]): string {
  return conditions.length > 0 ? ` where ${conditions.join(' and ')}` : '';
}

/** How many rows a search finds in all. */
export type Count = NonNullable<PageCursor['count']>;

/** A page that has been read, and where it began. */
export interface PageRead {
  readonly page: Page;
  readonly start: number;
  readonly cursor: Partial<PageCursor> | undefined;
}

/**
 * Returns the total. Where the last page of a search without cursor has been read, it is known; otherwise rows are
 * counted up to {@link COUNT_MAX}, and beyond that it is the planner's estimate, which is good enough for paging and
 * free.
 */
export async function countOf(ctx: Context, query: SearchQuery, { page, start, cursor }: PageRead): Promise<Count> {
  const isKnown = !page.hasMore && cursor?.position === undefined && (start === 0 || page.rows.length > 0);
  if (isKnown) return { rows: start + page.rows.length, isEstimate: false };
  const { values } = query.sql;
  const where = whereOf(query.conditions);
  const counted = `select 1 from ${query.from}${where} limit ${COUNT_MAX + 1}`;
  const text = `select count(*)::integer as n from (${counted}) counted`;
  const [exact] = await timed(query, { text, values }, () => ctx.db.query<{ n: number }>(text, values));
  const n = exact?.n ?? 0;
  if (n <= COUNT_MAX) return { rows: n, isEstimate: false };
  const [plan] = await ctx.db.query<Record<string, [{ Plan?: { 'Plan Rows'?: number } }]>>(
    `explain (format json) select 1 from ${query.from}${where}`,
    values,
  );
  const estimate = Object.values(plan ?? {})[0]?.[0]?.Plan?.['Plan Rows'] ?? n;
  return { rows: Math.max(Math.round(estimate), n), isEstimate: true };
}
