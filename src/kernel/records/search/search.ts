import type { ListAnswer, Row, Shape } from '../../door/answer.ts';
import type { Context } from '../../door/context.ts';
import { timeZone } from '../../declare/core-settings.ts';
import { forEachBatch } from '../../database/cursor.ts';
import { PlatformError } from '../../door/errors.ts';
import { computed, f } from '../../declare/field.ts';
import { splitCommaList } from '../../parameters/split-list.ts';
import { parameter, type Parameters } from '../../parameters/parameters.ts';
import { valueText } from '../../parameters/value-text.ts';
import { bad, type RawValue } from '../../parameters/parse-value.ts';
import type { Column, RecordType } from '../../declare/record.ts';
import type { SentFilter } from '../../declare/search-filter.ts';
import { isA, type Registry } from '../../declare/registry.ts';
import { arrayLiteral } from '../../database/store.ts';
import { filterColumn, filterCondition, SqlParameters, type FilterContext } from './filter.ts';
import { orderKeys, orderSql } from './order.ts';
import { COUNT_MAX, countOf, readPage, whereOf, type Count, type SearchQuery } from './page.ts';
import { noteIfSlow } from './note-if-slow.ts';
import { assertNumberFilter } from './number-filter.ts';
import { countNumberSearch } from './number-search.ts';
import {
  CURSOR_CHARACTERS_MAX,
  FIRST_PAGE,
  openCursor,
  sealCursor,
  type CursorScope,
  type PageCursor,
} from './page-cursor.ts';
import { isClosed, notFoundText } from './read.ts';
import { unknownColumn } from './unknown-column.ts';
import { fromOf, idOf, columnList } from '../../database/sql.ts';
import { requireByExternalId } from '../save/external-id.ts';
import { findTemplate } from '../save/template.ts';

/** Rows of a page by default. */
const DISPLAY_SIZE = 25;
/** Most rows of one page. */
export const DISPLAY_SIZE_MAX = 1_000;

/** Throws BAD_PARAMETER unless `start` and `size` describe a page of rows. */
export function assertPage(start: number, size: number): void {
  if (start < 0) throw bad('RecordStart', 'a number of rows, 0 or more');
  if (size < 1 || size > DISPLAY_SIZE_MAX)
    throw bad('DisplaySize', `a number of rows between 1 and ${DISPLAY_SIZE_MAX}`);
}

/** The parameters of a search besides its filters. */
export interface Paging {
  readonly RecordStart?: number | null;
  readonly Cursor?: string | null;
  readonly DisplaySize?: number | null;
  readonly OrderBy?: readonly string[] | null;
  readonly SqlColumns?: readonly string[] | null;
  readonly RecordCount?: boolean | null;
  readonly SqlFilters?: readonly string[] | null;
}

/** The parameters of every search. */
export const pagingFields = {
  RecordStart: f.integer({ doc: 'How many rows to skip.', default: 0 }),
  Cursor: f.text({
    doc:
      `Where the page begins: ${FIRST_PAGE} for the first page, then the NextCursor in the last row of the ` +
      'previous one. Deep pages are as fast as the first, and no row is missed or repeated while others are ' +
      'added or deleted. Filters and OrderBy must stay the same.',
    max: CURSOR_CHARACTERS_MAX,
    exact: true,
  }),
  DisplaySize: f.integer({ doc: `How many rows to return, at most ${DISPLAY_SIZE_MAX}.`, default: DISPLAY_SIZE }),
  OrderBy: f.textList({ doc: 'Columns to sort by, comma-separated. A leading minus sorts a column descending.' }),
  SqlColumns: f.textList({ doc: 'Columns to return, comma-separated. Default: all.' }),
  SqlFilters: f.textList({
    doc: 'Named filters of the record type, comma-separated, such as Failed of the import log. All must hold.',
  }),
  RecordCount: f.boolean({ doc: 'False leaves out the total, which is faster.', default: true }),
};

const countShape: Shape = [
  { name: 'RecordCount', field: computed(f.integer({ doc: `Total before paging, exact up to ${COUNT_MAX}.` })) },
  { name: 'RecordCountIsEstimate', field: computed(f.boolean({ doc: 'True if RecordCount is an estimate.' })) },
];

/** The column that holds the cursor of the next page. */
const NEXT_CURSOR = 'NextCursor';

const cursorShape: Shape = [
  {
    name: NEXT_CURSOR,
    field: computed(f.text({ doc: 'In the last row, if there is another page: the Cursor of that page.' })),
  },
];

/**
 * Returns one page of a search, filtered by any columns, and within the route's parent if there is one. With SqlColumns
 * the rows have only those columns.
 */
export async function searchRecords<R extends RecordType>(
  ctx: Context,
  record: R,
  filters: Parameters,
  paging: Paging,
): Promise<ListAnswer<Row<R>>> {
  const { start, size, orderBy, named, columnNames } = pageOf(paging);
  const columns = selectedColumns(record, columnNames);
  const keys = orderKeys(record, orderBy);
  const scope: CursorScope = { record, filters, named, keys };
  const cursor = sentCursor(ctx, scope, paging);
  const conditions = await searchConditions(ctx, record, filters, named);
  const query: SearchQuery = { from: fromOf(record), ...conditions, keys, statements: [] };
  const isCounted = paging.RecordCount !== false;
  const page = await readPage(ctx, query, { columns: columnList(columns), start, size, cursor, isCounted });
  const count = isCounted ? (cursor?.count ?? (await countOf(ctx, query, { page, start, cursor }))) : undefined;
  noteIfSlow(ctx, query, { record, filters, orderBy });
  const next = page.hasMore && page.end && { position: page.end, ...(count ? { count } : {}) };
  const shape = columns.map(({ name, field }) => ({ name, field }));
  return {
    kind: 'list',
    name: record.name,
    shape: [...shape, ...(count ? countShape : []), ...(cursor ? cursorShape : [])],
    // The query selects the columns of the record type.
    rows: withCounts(page.rows, count, next ? sealCursor(ctx, scope, next) : undefined) as readonly Row<R>[],
  };
}

/** Returns the paging parameters with their defaults. Throws BAD_PARAMETER. */
export function pageOf({ RecordStart, DisplaySize, OrderBy, SqlFilters, SqlColumns }: Paging) {
  const [start, size] = [RecordStart ?? 0, DisplaySize ?? DISPLAY_SIZE];
  assertPage(start, size);
  return { start, size, orderBy: OrderBy ?? [], named: SqlFilters ?? [], columnNames: SqlColumns ?? [] };
}

/** Returns the position of the page; undefined if no cursor was sent. Throws BAD_PARAMETER. */
function sentCursor(ctx: Context, scope: CursorScope, paging: Paging): Partial<PageCursor> | undefined {
  const { Cursor: text } = paging;
  if (text === undefined || text === null) return undefined;
  if (text === FIRST_PAGE) return {};
  if ((paging.RecordStart ?? 0) > 0) throw bad('RecordStart', '0 with a Cursor, which says where the page begins');
  return openCursor(ctx, scope, text);
}

function withCounts(rows: readonly Row[], count: Count | undefined, next: string | undefined): readonly Row[] {
  const counted = count
    ? rows.map((row): Row => ({
        ...row,
        RecordCount: count.rows,
        ...(count.isEstimate ? { RecordCountIsEstimate: true } : {}),
      }))
    : rows;
  return next === undefined
    ? counted
    : counted.map((row, at) => (at === rows.length - 1 ? { ...row, [NEXT_CURSOR]: next } : row));
}

/**
 * Returns all rows of a search: the first page, and if there are more, the other pages as they are read. Each page is
 * read by itself, after the position of the one before, so that the caller may take any time.
 */
export async function searchAllPages<R extends RecordType>(
  ctx: Context,
  record: R,
  filters: Parameters,
  paging: Paging,
): Promise<ListAnswer<Row<R>>> {
  const readPageAt = (cursor: string): Promise<ListAnswer<Row<R>>> =>
    searchRecords(ctx, record, filters, { ...paging, RecordStart: 0, DisplaySize: DISPLAY_SIZE_MAX, Cursor: cursor });
  const first = await readPageAt(FIRST_PAGE);
  const next = nextCursorOf(first);
  const shape = first.shape.filter(({ name }) => name !== NEXT_CURSOR);
  return { ...first, shape, ...(next === undefined ? {} : { more: pagesAfter(next, readPageAt) }) };
}

async function* pagesAfter<R extends object>(
  cursor: string,
  readPageAt: (cursor: string) => Promise<ListAnswer<R>>,
): AsyncGenerator<readonly R[], void, undefined> {
  for (let next: string | undefined = cursor; next !== undefined;) {
    const page = await readPageAt(next);
    yield page.rows;
    next = nextCursorOf(page);
  }
}

function nextCursorOf({ rows }: ListAnswer<object>): string | undefined {
  return (rows.at(-1) as Readonly<Record<string, string | undefined>> | undefined)?.[NEXT_CURSOR];
}

/** Rows per batch of a search that is read completely. */
const BATCH_ROWS = 500;

/**
 * Passes all rows of a search to `take` in batches, as they were when it began, in the call's transaction. Paging is
 * ignored.
 */
export async function searchAllRows<R extends RecordType>(
  ctx: Context,
  record: R,
  { filters, paging }: { readonly filters: Parameters; readonly paging: Paging },
  take: (batch: ListAnswer<Row<R>>) => Promise<void>,
): Promise<void> {
  const columns = selectedColumns(record, paging.SqlColumns ?? []);
  const { conditions, sql } = await searchConditions(ctx, record, filters, paging.SqlFilters ?? []);
  const shape = columns.map(({ name, field }) => ({ name, field }));
  const text = `select ${columnList(columns)} from ${fromOf(record)}${whereOf(conditions)}
    order by ${orderSql(orderKeys(record, paging.OrderBy ?? []))}`;
  await forEachBatch<Row<R>>(ctx.transaction(), { text, values: sql.values, size: BATCH_ROWS }, (rows) =>
    take({ kind: 'list', name: record.name, shape, rows }),
  );
}

/** Returns the conditions of a search, with their parameters. Throws for filters that it does not take. */
export async function searchConditions(
  ctx: Context,
  record: RecordType,
  filters: Parameters,
  named: readonly string[],
): Promise<{ conditions: string[]; sql: SqlParameters }> {
  const sql = new SqlParameters();
  const filterContext: FilterContext = { options: { timeZone: ctx.settings.get(timeZone) }, cipher: ctx.cipher, sql };
  const conditions: string[] = [];
  if (ctx.parent) conditions.push(await parentCondition(ctx, record, ctx.parent, sql));
  for (const name of named) conditions.push(sqlFilterCondition(record, name));
  const below = await parentFilterCondition(ctx, record, filters, filterContext);
  if (below) conditions.push(below.condition);
  for (const name in filters)
    if (!below?.names.has(name)) conditions.push(await searchCondition(ctx, record, { name, filters }, filterContext));
  return { conditions, sql };
}

/**
 * Returns the condition of filters that name a parent: one record type in Object, and ids in ObjectID or an external
 * ID. They find what a search below that parent finds, including rows that belong to it other than by Object and
 * ObjectID. Those are found only below a visible parent of that type. Undefined where no such rows exist: the filters
 * are then read one by one.
 */
async function parentFilterCondition(
  ctx: Context,
  record: RecordType,
  filters: Parameters,
  filterContext: FilterContext,
): Promise<{ readonly condition: string; readonly names: ReadonlySet<string> } | undefined> {
  const [object, objectId] = [record.valueColumns.get('Object'), record.valueColumns.get('ObjectID')];
  if (record.parent === undefined || !object || !objectId) return undefined;
  const sent = sentParentFilters(ctx, record, filters);
  if (!sent) return undefined;
  const { parent, className, idName } = sent;
  const raw = filters[idName];
  const isExternalId = idName.toLowerCase() === 'objectsubscriberid';
  const ids = isExternalId ? [await idByExternalId(ctx, parent, raw, idName)] : plainIds(raw);
  if (!ids) return undefined;
  const { sql } = filterContext;
  const direct = isExternalId
    ? `${objectId.table}.objectid = ${sql.add(ids[0], 'bigint')}`
    : filterCondition(objectId, raw ?? null, idName, filterContext);
  const idList = sql.add(arrayLiteral(ids), 'bigint[]');
  const reachable = `array(select ${idOf(parent)} from ${fromOf(parent)} where ${idOf(parent)} = any(${idList}))`;
  const parts = [
    `${objectCondition(ctx, object, valueText(filters[className]), filterContext)} and ${direct}`,
    ...otherParentLinks(ctx.registry, record, parent, { equals: `= any(${reachable})`, ids: reachable }),
  ];
  return { condition: `(${parts.map((part) => `(${part})`).join(' or ')})`, names: new Set([className, idName]) };
}

/** The filters that name a parent to which rows can belong other than by Object and ObjectID. */
function sentParentFilters(
  ctx: Context,
  record: RecordType,
  filters: Parameters,
): { readonly parent: RecordType; readonly className: string; readonly idName: string } | undefined {
  const names = Object.keys(filters);
  const named = (lower: string): string | undefined => names.find((name) => name.toLowerCase() === lower);
  const className = named('object');
  const idName = named('objectid') ?? named('objectsubscriberid');
  if (className === undefined || idName === undefined) return undefined;
  const sentClass = filters[className];
  const parent = typeof sentClass === 'string' ? ctx.registry.record(sentClass) : undefined;
  if (!parent || isClosed(ctx, parent)) return undefined;
  const hasOtherLinks = otherParentLinks(ctx.registry, record, parent, { equals: '', ids: '' }).length > 0;
  return hasOtherLinks ? { parent, className, idName } : undefined;
}

/** Returns the ids that a filter names; undefined where it names anything else, such as a comparison or null. */
function plainIds(raw: RawValue | undefined): readonly number[] | undefined {
  const pieces = (Array.isArray(raw) ? (raw as readonly RawValue[]) : [raw]).flatMap((value) =>
    typeof value === 'number' || typeof value === 'string' ? splitCommaList(String(value)) : [''],
  );
  const ids = pieces.map((piece) => (/^\d+$/.test(piece) ? Number(piece) : NaN));
  return ids.length > 0 && ids.every((id) => Number.isSafeInteger(id)) ? ids : undefined;
}

/** SQL for the ids of parents: `equals` compares a foreign key with them, `ids` is an array of them. */
interface ParentIds {
  readonly equals: string;
  readonly ids: string;
}

/**
 * Returns SQL conditions for rows that belong to a parent other than by Object and ObjectID: by a foreign key, or as
 * its type declares.
 */
function otherParentLinks(
  registry: Registry,
  record: RecordType,
  parent: RecordType,
  { equals, ids }: ParentIds,
): string[] {
  const parts: string[] = [];
  for (const collection of registry.collections(parent).values()) {
    const child = registry.requireRecord(collection.record, collection.name);
    if (!isA(record, child) || collection.by === 'Object') continue;
    parts.push(`${record.root.table}.${collection.by.toLowerCase()} ${equals}`);
  }
  for (let at: RecordType | undefined = parent; at; at = at.base) {
    const also = at.alsoBelow?.[record.name];
    if (also !== undefined) parts.push(also.replaceAll('$P', ids));
  }
  return parts;
}

/** Returns the condition of a named filter. Throws BAD_PARAMETER, listing the known ones, for an unknown name. */
export function sqlFilterCondition(record: RecordType, name: string): string {
  const known = Object.entries(record.sqlFilters ?? {});
  const found = known.find(([filterName]) => filterName.toLowerCase() === name.trim().toLowerCase());
  if (found) return `(${found[1].condition})`;
  throw bad(
    'SqlFilters',
    known.length === 0
      ? `no filter: ${record.name} has no named filters`
      : `one of ${known.map(([filterName]) => filterName).join(', ')}`,
  );
}

/**
 * Returns the condition of one filter, which its name makes a column, an external ID, a template, a module's filter or
 * a reference.
 */
async function searchCondition(
  ctx: Context,
  record: RecordType,
  sent: SentFilter,
  filterContext: FilterContext,
): Promise<string> {
  const { name, filters } = sent;
  const raw = filters[name] ?? null;
  const lower = name.toLowerCase();
  const column = filterColumn(record, lower);
  if (column) return await columnCondition(ctx, record, { column, name, raw }, filterContext);
  if (isOwnExternalId(record, lower)) {
    const id = await idByExternalId(ctx, record, raw, name);
    return `${idOf(record)} = ${filterContext.sql.add(id, 'bigint')}`;
  }
  const templateType = record.template === undefined ? undefined : ctx.registry.record(record.template);
  if (templateType && (lower === 'template' || lower === templateType.table) && typeof raw === 'string') {
    const template = await findTemplate(ctx, templateType, { name: raw, parentClass: undefined, field: name });
    return `${record.root.table}.${templateType.table}id = ${filterContext.sql.add(template.id, 'bigint')}`;
  }
  const declared = ctx.registry.searchFilter(name);
  if (declared) return declared.condition(ctx, record, sent, filterContext);
  const reference = externalIdReference(ctx, record, sent);
  if (!reference) throw unknownColumn(record, name);
  const id = await idByExternalId(ctx, reference.target, raw, name);
  return `${reference.column.table}.${reference.column.column} = ${filterContext.sql.add(id, 'bigint')}`;
}

async function columnCondition(
  ctx: Context,
  record: RecordType,
  { column, name, raw }: { readonly column: Column; readonly name: string; readonly raw: RawValue },
  filterContext: FilterContext,
): Promise<string> {
  if (!isSearchable(column)) throw unknownColumn(record, name);
  if (column.field.kind === 'ssn' && assertNumberFilter(column, raw, name)) await countNumberSearch(ctx, record, name);
  if (column.column === 'object' && typeof raw === 'string') return objectCondition(ctx, column, raw, filterContext);
  return filterCondition(column, raw, name, filterContext);
}

/** Secrets cannot be searched, except protected numbers, which have a blind index. */
export function isSearchable({ field }: Column): boolean {
  return field.classification !== 'secret' || field.kind === 'ssn';
}

function isOwnExternalId(record: RecordType, lower: string): boolean {
  return lower === 'subscriberid' || lower === `${record.table}subscriberid`;
}

/** Returns the foreign key behind a filter on an external ID: ProcessID of `ProcessSubscriberID`. */
function foreignKeyOf(record: RecordType, lower: string): Column | undefined {
  return lower.endsWith('subscriberid') ? record.columns.get(`${lower.slice(0, -'subscriberid'.length)}id`) : undefined;
}

/**
 * Returns the foreign key behind a filter on an external ID, and its record type; of an ObjectID the one in the filter
 * on Object.
 */
function externalIdReference(
  ctx: Context,
  record: RecordType,
  { name, filters }: SentFilter,
): { readonly column: Column; readonly target: RecordType } | undefined {
  const column = foreignKeyOf(record, name.toLowerCase());
  if (!column) return undefined;
  const sentClass = column.name.endsWith('ObjectID') ? parameter(filters, column.name.slice(0, -2)) : undefined;
  const className = column.field.to ?? sentClass;
  const target = typeof className === 'string' ? ctx.registry.record(className) : undefined;
  return target && { column, target };
}

/** Whether a search of a record type takes a filter of this name. */
export function isFilterName(registry: Registry, record: RecordType, name: string): boolean {
  const lower = name.toLowerCase();
  const column = filterColumn(record, lower);
  if (column) return isSearchable(column);
  if (isOwnExternalId(record, lower) || registry.searchFilter(name) !== undefined) return true;
  const { template } = record;
  const isTemplate = template !== undefined && (lower === 'template' || lower === template.toLowerCase());
  if (isTemplate && registry.record(template)) return true;
  const foreign = foreignKeyOf(record, lower);
  return (
    foreign !== undefined &&
    (foreign.name.endsWith('ObjectID') || registry.record(foreign.field.to ?? '') !== undefined)
  );
}

/**
 * Returns the id of the record with an external ID; 0 for an unknown one: a search for it finds nothing and is no
 * error.
 */
async function idByExternalId(
  ctx: Context,
  record: RecordType,
  raw: RawValue | undefined,
  field: string,
): Promise<number> {
  try {
    return await requireByExternalId(ctx, record, valueText(raw), field);
  } catch (error) {
    if (error instanceof PlatformError && error.code === 'NOT_FOUND') return 0;
    throw error;
  }
}

/** Returns the condition of a filter on Object: `Object=Process` finds the children of every kind of process. */
function objectCondition(ctx: Context, column: Column, raw: string, filterContext: FilterContext): string {
  const named = ctx.registry.record(raw);
  if (!named) return filterCondition(column, raw, 'Object', filterContext);
  const family = ctx.registry.family(named).map((r) => r.name);
  return `${column.table}.object = any(${filterContext.sql.add(arrayLiteral(family), 'text[]')})`;
}

/**
 * Returns SQL that is true for the rows below a parent: by foreign key, by Object and ObjectID, or as the parent's type
 * declares. Throws NOT_FOUND if the parent is not visible, BAD_PARAMETER where the type has no rows below it.
 */
export async function parentCondition(
  ctx: Context,
  record: RecordType,
  parent: { readonly record: RecordType; readonly id: number },
  sql: SqlParameters,
): Promise<string> {
  const isReachable = !isClosed(ctx, parent.record) && (await exists(ctx, parent.record, parent.id));
  if (!isReachable)
    throw new PlatformError('NOT_FOUND', {
      field: parent.record.idField,
      message: notFoundText(parent.record, parent.id),
    });
  const id = sql.add(parent.id, 'bigint');
  const { table } = record.root;
  const parts = otherParentLinks(ctx.registry, record, parent.record, { equals: `= ${id}`, ids: `array[${id}]` });
  if (record.parent !== undefined) {
    const family = ctx.registry.family(parent.record.root).map((r) => r.name);
    parts.push(`(${table}.object = any(${sql.add(arrayLiteral(family), 'text[]')}) and ${table}.objectid = ${id})`);
  }
  if (parts.length === 0)
    throw new PlatformError('BAD_PARAMETER', {
      message: `${record.name} records don't belong to ${parent.record.name} records.`,
    });
  return `(${parts.join(' or ')})`;
}

async function exists(ctx: Context, record: RecordType, id: number): Promise<boolean> {
  const rows = await ctx.db.query(`select 1 from ${fromOf(record)} where ${idOf(record)} = $1::bigint`, [id]);
  return rows.length > 0;
}

/** Returns the columns of a search's answer. Throws UNKNOWN_PARAMETER. */
export function selectedColumns(record: RecordType, names: readonly string[]): readonly Column[] {
  if (names.length === 0) return record.shown;
  return [
    ...new Set(
      names.map((name) => {
        const column = record.columns.get(name.toLowerCase() === 'id' ? `${record.table}id` : name.toLowerCase());
        if (!column?.read) throw unknownColumn(record, name);
        return column;
      }),
    ),
  ];
}
