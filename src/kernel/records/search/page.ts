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

/** The rows of a page and, if requested, where the next page begins. */
export interface Page {
  readonly rows: readonly Row[];
  /** Whether rows follow. */
  readonly hasMore: boolean;
  /** Position of the last row, for a cursor. */
  readonly end: Position | undefined;
  /** Total number of rows if already known, counted up to {@link COUNT_MAX} plus one. */
  readonly counted: number | undefined;
}

/** What a page shows. `cursor`: where it begins, with an empty one at the beginning; undefined: without cursors. */
export interface PageQuery {
  readonly columns: string;
  readonly start: number;
  readonly size: number;
  readonly cursor: Partial<PageCursor> | undefined;
  readonly isCounted: boolean;
}

/** Names of the columns with a row's position, and with the number of rows; no declared column can have them. */
const POSITION = 'its position';
const COUNTED = 'rows counted';

/**
 * Reads a page. A search with filters that is counted reads the keys of all rows that it finds, as far as they are
 * counted: both the count and the page follow from them, if there are no more.
 */
export async function readPage(ctx: Context, query: SearchQuery, page: PageQuery): Promise<Page> {
  const { cursor } = page;
  if (!page.isCounted || cursor?.position || query.conditions.length === 0) return readSteps(ctx, query, page);
  const read = await readFound(ctx, query, { ...page, size: page.size + 1 }, undefined);
  const counted = Number(read[0]?.[COUNTED] ?? 0);
  return counted > COUNT_MAX
    ? { ...(await readSteps(ctx, query, page)), counted }
    : { ...pageOf(read, page), counted: read.length === 0 && page.start > 0 ? undefined : counted };
}

/** Reads a page that begins at a cursor in steps; most pages need only the first. */
async function readSteps(ctx: Context, query: SearchQuery, page: PageQuery): Promise<Page> {
  const { size, cursor } = page;
  const steps = cursor?.position ? stepsAfter(query.keys, cursor.position) : [undefined];
  const isSmall = cursor?.count?.isEstimate === false && query.conditions.length > 0;
  const read: Row[] = [];
  for (const step of steps) {
    if (read.length > size) break;
    const part = { ...page, size: size + 1 - read.length };
    read.push(
      ...((isSmall ? await readIfFew(ctx, query, part, step) : undefined) ?? (await readStep(ctx, query, part, step))),
    );
  }
  return pageOf(read, page);
}

/** Reads a page by way of the keys; undefined if there are too many by now: the count is that of the first page. */
async function readIfFew(
  ctx: Context,
  query: SearchQuery,
  page: PageQuery,
  step: Step,
): Promise<readonly Row[] | undefined> {
  const read = await readFound(ctx, query, page, step);
  return Number(read[0]?.[COUNTED] ?? 0) > COUNT_MAX ? undefined : read;
}

/** Returns the page from the rows read; one row beyond the page size means that there is another page. */
function pageOf(read: readonly Row[], { size, cursor }: PageQuery): Page {
  const shown = read.slice(0, size);
  return {
    rows: shown.map(({ [POSITION]: _position, [COUNTED]: _counted, ...row }): Row => row),
    hasMore: read.length > size,
    end: cursor ? (shown.at(-1)?.[POSITION] as Position | undefined) : undefined,
    counted: undefined,
  };
}

/** A condition for the rows after a position. */
type Step = ((sql: SqlParameters) => string) | undefined;

async function readStep(ctx: Context, query: SearchQuery, page: PageQuery, step: Step): Promise<readonly Row[]> {
  const { from, conditions, sql, keys } = query;
  const own = sql.copy();
  const where = whereOf(step ? [...conditions, step(own)] : conditions);
  const text = `select ${page.columns}${positionColumn(page, keys)} from ${from}${where}
    order by ${orderSql(keys)}
    limit ${own.add(page.size, 'integer')} offset ${own.add(page.start, 'integer')}`;
  return timed(query, { text, values: own.values }, () => ctx.db.query<Row>(text, own.values));
}

/**
 * Reads a page through the keys of all matching rows. Otherwise PostgreSQL may read rows in sort order until the page
 * is full; with few matches, that visits most of the table in random order.
 */
async function readFound(ctx: Context, query: SearchQuery, page: PageQuery, step: Step): Promise<readonly Row[]> {
  const { from, conditions, sql, keys } = query;
  const own = sql.copy();
  const where = whereOf(step ? [...conditions, step(own)] : conditions);
  const names = keys.map((_key, at) => `"key ${at}"`);
  const order = orderSql(keys.map((key, at) => ({ ...key, sql: names[at] ?? '' })));
  const text = `with found as materialized (
      select ${keys.map((key, at) => `${key.sql} as ${names[at]}`).join(', ')} from ${from}${where}
      limit ${COUNT_MAX + 1})
    select ${page.columns}${positionColumn(page, keys)}, (select count(*)::integer from found) as "${COUNTED}"
    from (
      select * from found
      order by ${order}
      limit ${own.add(page.size, 'integer')} offset ${own.add(page.start, 'integer')}) page, ${from}
    where ${keys.at(-1)?.sql} = page.${names.at(-1)}
    order by ${order}`;
  return timed(query, { text, values: own.values }, () => ctx.db.query<Row>(text, own.values));
}

function positionColumn({ cursor }: PageQuery, keys: readonly OrderKey[]): string {
  return cursor ? `, ${positionSql(keys)} as "${POSITION}"` : '';
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

/** The total number of rows that a search finds. */
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
  const n = page.counted ?? (await countRows(ctx, query));
  if (n <= COUNT_MAX) return { rows: n, isEstimate: false };
  const { values } = query.sql;
  const where = whereOf(query.conditions);
  const [plan] = await ctx.db.query<Record<string, [{ Plan?: { 'Plan Rows'?: number } }]>>(
    `explain (format json) select 1 from ${query.from}${where}`,
    values,
  );
  const estimate = Object.values(plan ?? {})[0]?.[0]?.Plan?.['Plan Rows'] ?? n;
  return { rows: Math.max(Math.round(estimate), n), isEstimate: true };
}

/** Counts the rows up to one more than {@link COUNT_MAX}. */
async function countRows(ctx: Context, query: SearchQuery): Promise<number> {
  const { values } = query.sql;
  const counted = `select 1 from ${query.from}${whereOf(query.conditions)} limit ${COUNT_MAX + 1}`;
  const text = `select count(*)::integer as n from (${counted}) counted`;
  const [row] = await timed(query, { text, values }, () => ctx.db.query<{ n: number }>(text, values));
  return row?.n ?? 0;
}
