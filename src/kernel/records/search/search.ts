import type { ListAnswer, Row, Shape } from '../../door/answer.ts';
import type { Context } from '../../door/context.ts';
import { timeZone } from '../../declare/core-settings.ts';
import { forEachBatch } from '../../database/cursor.ts';
import { nearest, PlatformError } from '../../door/errors.ts';
import { computed, f } from '../../declare/field.ts';
import { splitCommaList } from '../../parameters/split-list.ts';
import { parameter, type Parameters } from '../../parameters/parameters.ts';
import { bad, type RawValue } from '../../parameters/parse-value.ts';
import type { Column, RecordType } from '../../declare/record.ts';
import { isA, type Registry } from '../../declare/registry.ts';
import { arrayLiteral } from '../../database/store.ts';
import { filterCondition, SqlParameters, type FilterContext } from './filter.ts';
import { isLinkFilter, linkCondition } from './links.ts';
import { isClosed } from './read.ts';
import { fromOf, idOf, columnList, valueSql } from '../../database/sql.ts';
import { requireByExternalId } from '../save/external-id.ts';
import { findTemplate } from '../save/template.ts';

/** Rows of a page unless asked otherwise, and at most. */
const DISPLAY_SIZE = 25;
/** The most rows of one page. */
export const DISPLAY_SIZE_MAX = 1_000;

/** Refuses a page of rows that cannot be. @throws BAD_PARAMETER */
export function assertPage(start: number, size: number): void {
  if (start < 0) throw bad('RecordStart', 'a number of rows, 0 or more');
  if (size < 1 || size > DISPLAY_SIZE_MAX)
    throw bad('DisplaySize', `a number of rows between 1 and ${DISPLAY_SIZE_MAX}`);
}
/** Up to this many rows the total is counted; beyond it is the planner's estimate. */
const COUNT_MAX = 10_000;

/** What a search is asked for beside its filters. */
export interface Paging {
  readonly RecordStart?: number | null;
  readonly DisplaySize?: number | null;
  readonly OrderBy?: readonly string[] | null;
  readonly SqlColumns?: readonly string[] | null;
  readonly RecordCount?: boolean | null;
  readonly SqlFilters?: readonly string[] | null;
}

/** The parameters of every search. */
export const pagingFields = {
  RecordStart: f.integer({ doc: 'How many rows to skip.', default: 0 }),
  DisplaySize: f.integer({ doc: `How many rows to answer, at most ${DISPLAY_SIZE_MAX}.`, default: DISPLAY_SIZE }),
  OrderBy: f.textList({ doc: 'Columns to sort by, comma-separated; a minus before one sorts it descending.' }),
  SqlColumns: f.textList({ doc: 'The columns to answer, comma-separated; all where it is not sent.' }),
  SqlFilters: f.textList({
    doc: 'Filters with a name that the record type has, comma-separated, such as Failed of the import log; all must hold.',
  }),
  RecordCount: f.boolean({ doc: 'False leaves the total out, which is quicker.', default: true }),
};

const countShape: Shape = [
  { name: 'RecordCount', field: computed(f.integer({ doc: `The total before paging: exact up to ${COUNT_MAX}.` })) },
  { name: 'RecordCountIsEstimate', field: computed(f.boolean({ doc: 'True where RecordCount is an estimate.' })) },
];

interface SearchQuery {
  readonly from: string;
  readonly conditions: readonly string[];
  readonly sql: SqlParameters;
}

/** Searches a record type: filters on any column, within the parent of the route where there is one, a page at a time. */
export async function searchRecords(
  ctx: Context,
  record: RecordType,
  filters: Parameters,
  paging: Paging,
): Promise<ListAnswer> {
  const start = paging.RecordStart ?? 0;
  const size = paging.DisplaySize ?? DISPLAY_SIZE;
  assertPage(start, size);
  const columns = selectedColumns(record, paging.SqlColumns ?? []);
  const query: SearchQuery = {
    from: fromOf(record),
    ...(await searchConditions(ctx, record, filters, paging.SqlFilters ?? [])),
  };
  const where = query.conditions.length > 0 ? ` where ${query.conditions.join(' and ')}` : '';
  const counted = paging.RecordCount === false ? undefined : await countRows(ctx, query, where);
  const text = `select ${columnList(columns)} from ${query.from}${where} order by ${orderOf(record, paging.OrderBy ?? [])} limit ${query.sql.add(size, 'integer')} offset ${query.sql.add(start, 'integer')}`;
  const rows = await ctx.db.query(text, query.sql.values);
  const shape = columns.map(({ name, field }) => ({ name, field }));
  if (!counted) return { kind: 'list', name: record.name, shape, rows };
  return {
    kind: 'list',
    name: record.name,
    shape: [...shape, ...countShape],
    rows: rows.map((row): Row => ({ ...row, ...counted })),
  };
}

/** Rows of a piece of a search that is read whole. */
const BATCH_ROWS = 500;

/**
 * Hands over all rows that a search finds, as they stood when it began: however many there are, and whatever is saved meanwhile.
 * In the call's transaction.
 */
export async function searchAllRows(
  ctx: Context,
  record: RecordType,
  filters: Parameters,
  paging: Paging,
  take: (piece: ListAnswer) => Promise<void>,
): Promise<void> {
  const columns = selectedColumns(record, paging.SqlColumns ?? []);
  const { conditions, sql } = await searchConditions(ctx, record, filters, paging.SqlFilters ?? []);
  const where = conditions.length > 0 ? ` where ${conditions.join(' and ')}` : '';
  const shape = columns.map(({ name, field }) => ({ name, field }));
  const text = `select ${columnList(columns)} from ${fromOf(record)}${where} order by ${orderOf(record, paging.OrderBy ?? [])}`;
  await forEachBatch<Record<string, unknown>>(ctx.transaction(), text, sql.values, BATCH_ROWS, (rows) =>
    take({ kind: 'list', name: record.name, shape, rows }),
  );
}

async function searchConditions(
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
    if (!below?.names.has(name)) conditions.push(await searchCondition(ctx, record, name, filters, filterContext));
  return { conditions, sql };
}

/**
 * The condition of filters that name a parent, one record type in Object and ids in ObjectID or an outside identifier: they find what a
 * search below that parent finds, also what hangs there otherwise than by Object and ObjectID. Undefined where nothing does: the filters
 * are then read one by one. What hangs there otherwise is found only below a parent that is of the type and within reach.
 */
async function parentFilterCondition(
  ctx: Context,
  record: RecordType,
  filters: Parameters,
  filterContext: FilterContext,
): Promise<{ readonly condition: string; readonly names: ReadonlySet<string> } | undefined> {
  const [object, objectId] = [record.columns.get('object'), record.columns.get('objectid')];
  if (record.parent === undefined || !object || !objectId) return undefined;
  const names = Object.keys(filters);
  const className = names.find((name) => name.toLowerCase() === 'object');
  const idName =
    names.find((name) => name.toLowerCase() === 'objectid') ??
    names.find((name) => name.toLowerCase() === 'objectsubscriberid');
  const said = className === undefined ? undefined : filters[className];
  const parent = typeof said === 'string' ? ctx.registry.record(said) : undefined;
  if (
    className === undefined ||
    idName === undefined ||
    !parent ||
    isClosed(ctx, parent) ||
    otherParentLinks(ctx.registry, record, parent, '', '').length === 0
  )
    return undefined;
  const bySubscriber = idName.toLowerCase() === 'objectsubscriberid';
  const ids = bySubscriber
    ? [await requireByExternalId(ctx, parent, String(filters[idName]), idName).catch(zeroWhenNotFound)]
    : plainIds(filters[idName]);
  if (!ids) return undefined;
  const { sql } = filterContext;
  const direct = bySubscriber
    ? `${objectId.table}.objectid = ${sql.add(ids[0], 'bigint')}`
    : filterCondition(objectId, filters[idName] ?? null, idName, filterContext);
  const reached = `array(select ${idOf(parent)} from ${fromOf(parent)} where ${idOf(parent)} = any(${sql.add(arrayLiteral(ids), 'bigint[]')}))`;
  const parts = [
    `${objectCondition(ctx, object, String(said), filterContext)} and ${direct}`,
    ...otherParentLinks(ctx.registry, record, parent, `= any(${reached})`, reached),
  ];
  return { condition: `(${parts.map((part) => `(${part})`).join(' or ')})`, names: new Set([className, idName]) };
}

/** The ids that a filter names, where it names nothing else: no comparison, no null. */
function plainIds(raw: RawValue | undefined): readonly number[] | undefined {
  const pieces = (Array.isArray(raw) ? (raw as readonly RawValue[]) : [raw]).flatMap((value) =>
    typeof value === 'number' || typeof value === 'string' ? splitCommaList(String(value)) : [''],
  );
  const ids = pieces.map((piece) => (/^\d+$/.test(piece) ? Number(piece) : NaN));
  return ids.length > 0 && ids.every((id) => Number.isSafeInteger(id)) ? ids : undefined;
}

/**
 * SQL conditions on what hangs below records of a type otherwise than by Object and ObjectID: by a foreign key, or as the type declares.
 * `equals` compares a key with their ids, `ids` is SQL for an array of them.
 */
function otherParentLinks(
  registry: Registry,
  record: RecordType,
  parent: RecordType,
  equals: string,
  ids: string,
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

/** The condition of a filter with a name. @throws BAD_PARAMETER that lists the known ones */
function sqlFilterCondition(record: RecordType, name: string): string {
  const known = Object.entries(record.sqlFilters ?? {});
  const found = known.find(([of]) => of.toLowerCase() === name.trim().toLowerCase());
  if (found) return `(${found[1].condition})`;
  throw bad(
    'SqlFilters',
    known.length === 0
      ? `no filter: ${record.name} has none with a name`
      : `one of ${known.map(([of]) => of).join(', ')}`,
  );
}

async function searchCondition(
  ctx: Context,
  record: RecordType,
  name: string,
  filters: Parameters,
  filterContext: FilterContext,
): Promise<string> {
  const raw = filters[name] ?? null;
  const lower = name.toLowerCase();
  const column = filterColumn(record, lower);
  if (column && column.field.classification === 'secret' && column.field.kind !== 'ssn')
    throw unknownColumn(record, name);
  if (column?.column === 'object' && typeof raw === 'string') return objectCondition(ctx, column, raw, filterContext);
  if (column) return filterCondition(column, raw, name, filterContext);
  if (lower === 'subscriberid' || lower === `${record.table}subscriberid`) {
    const id = await requireByExternalId(ctx, record, String(raw), name).catch(zeroWhenNotFound);
    return `${idOf(record)} = ${filterContext.sql.add(id, 'bigint')}`;
  }
  const of = record.template === undefined ? undefined : ctx.registry.record(record.template);
  if (of && (lower === 'template' || lower === of.table) && typeof raw === 'string') {
    const template = await findTemplate(ctx, of, { name: raw, parentClass: undefined, field: name });
    return `${record.root.table}.${of.table}id = ${filterContext.sql.add(template.id, 'bigint')}`;
  }
  const foreign = lower.endsWith('subscriberid')
    ? record.columns.get(`${lower.slice(0, -'subscriberid'.length)}id`)
    : undefined;
  const className =
    foreign?.field.to ??
    (foreign?.name.endsWith('ObjectID') ? parameter(filters, foreign.name.slice(0, -2)) : undefined);
  const target = typeof className === 'string' ? ctx.registry.record(className) : undefined;
  if (isLinkFilter(name)) return linkCondition(ctx, record, name, filters, filterContext);
  if (foreign && target)
    return `${foreign.table}.${foreign.column} = ${filterContext.sql.add(await requireByExternalId(ctx, target, String(raw), name).catch(zeroWhenNotFound), 'bigint')}`;
  throw unknownColumn(record, name);
}

/** Whether a search of a record type takes a filter of this name. */
export function isFilterName(registry: Registry, record: RecordType, name: string): boolean {
  const lower = name.toLowerCase();
  const column = filterColumn(record, lower);
  if (column) return column.field.classification !== 'secret' || column.field.kind === 'ssn';
  if (lower === 'subscriberid' || lower === `${record.table}subscriberid` || isLinkFilter(name)) return true;
  if (
    record.template !== undefined &&
    registry.record(record.template) &&
    (lower === 'template' || lower === record.template.toLowerCase())
  )
    return true;
  const foreign = lower.endsWith('subscriberid')
    ? record.columns.get(`${lower.slice(0, -'subscriberid'.length)}id`)
    : undefined;
  return (
    foreign !== undefined &&
    (foreign.name.endsWith('ObjectID') || registry.record(foreign.field.to ?? '') !== undefined)
  );
}

/** The column that a filter's name stands for, `ID` and `TemplateID` included. */
function filterColumn(record: RecordType, lower: string): Column | undefined {
  return record.columns.get(
    lower === 'id'
      ? `${record.table}id`
      : record.template !== undefined && lower === 'templateid'
        ? `${record.template.toLowerCase()}id`
        : lower,
  );
}

/** A search for an identifier that nobody has finds nothing; it is no error. */
function zeroWhenNotFound(error: unknown): number {
  if (error instanceof PlatformError && error.code === 'NOT_FOUND') return 0;
  throw error;
}

/** `Object=Process` finds the children of every kind of process. */
function objectCondition(ctx: Context, column: Column, raw: string, filterContext: FilterContext): string {
  const named = ctx.registry.record(raw);
  if (!named) return filterCondition(column, raw, 'Object', filterContext);
  const family = ctx.registry.family(named).map((r) => r.name);
  return `${column.table}.object = any(${filterContext.sql.add(arrayLiteral(family), 'text[]')})`;
}

/** SQL that is true for the rows below a parent: by foreign key, by Object and ObjectID, or as the parent type declares. */
export async function parentCondition(
  ctx: Context,
  record: RecordType,
  parent: { readonly record: RecordType; readonly id: number },
  sql: SqlParameters,
): Promise<string> {
  const reached = isClosed(ctx, parent.record)
    ? []
    : await ctx.db.query(`select 1 from ${fromOf(parent.record)} where ${idOf(parent.record)} = $1::bigint`, [
        parent.id,
      ]);
  if (reached.length === 0)
    throw new PlatformError('NOT_FOUND', {
      field: parent.record.idField,
      message: `There is no ${parent.record.name} ${parent.id} within reach.`,
    });
  const id = sql.add(parent.id, 'bigint');
  const { table } = record.root;
  const parts = otherParentLinks(ctx.registry, record, parent.record, `= ${id}`, `array[${id}]`);
  if (record.parent !== undefined) {
    const family = ctx.registry.family(parent.record.root).map((r) => r.name);
    parts.push(`(${table}.object = any(${sql.add(arrayLiteral(family), 'text[]')}) and ${table}.objectid = ${id})`);
  }
  if (parts.length === 0)
    throw new PlatformError('BAD_PARAMETER', { message: `${record.name} is not kept below ${parent.record.name}.` });
  return `(${parts.join(' or ')})`;
}

function selectedColumns(record: RecordType, names: readonly string[]): readonly Column[] {
  if (names.length === 0) return record.shown;
  return [
    ...new Set(
      names.map((name) => {
        const column = record.columns.get(name.toLowerCase() === 'id' ? `${record.table}id` : name.toLowerCase());
        if (!column || column.read === null) throw unknownColumn(record, name);
        return column;
      }),
    ),
  ];
}

function unknownColumn(record: RecordType, name: string): PlatformError {
  const known = record.shown.map((c) => c.name);
  const near = nearest(name, known);
  return new PlatformError('UNKNOWN_PARAMETER', {
    field: name,
    message: `${name}: ${record.name} has no such column.${near.length > 0 ? ` Did you mean ${near.join(' or ')}?` : ''} Known: ${known.join(', ')}.`,
  });
}

/** The longest name of a column with its direction. */
const ORDER_CHARACTERS_MAX = 200;

function orderOf(record: RecordType, names: readonly string[]): string {
  const keys = names.map((said) => {
    if (said.length > ORDER_CHARACTERS_MAX) throw bad('OrderBy', 'names of columns');
    const name = said.replace(/^[-+]/, '').replace(/\s+(asc|desc)$/i, '');
    const column = record.columns.get(name.toLowerCase() === 'id' ? `${record.table}id` : name.toLowerCase());
    if (!column || column.read === null || column.field.kind === 'ssn' || column.field.kind === 'json')
      throw unknownColumn(record, name);
    return `${valueSql(column)}${said.startsWith('-') || /\sdesc$/i.test(said) ? ' desc nulls last' : ''}`;
  });
  return [...keys, idOf(record)].join(', ');
}

interface RowCount {
  readonly RecordCount: number;
  readonly RecordCountIsEstimate?: boolean;
}

/** Counts up to {@link COUNT_MAX}; beyond that the planner's estimate is good enough to page by and costs nothing. */
async function countRows(ctx: Context, query: SearchQuery, where: string): Promise<RowCount> {
  const { values } = query.sql;
  const [exact] = await ctx.db.query<{ n: number }>(
    `select count(*)::integer as n from (select 1 from ${query.from}${where} limit ${COUNT_MAX + 1}) counted`,
    values,
  );
  const n = exact?.n ?? 0;
  if (n <= COUNT_MAX) return { RecordCount: n };
  const [plan] = await ctx.db.query<Record<string, [{ Plan?: { 'Plan Rows'?: number } }]>>(
    `explain (format json) select 1 from ${query.from}${where}`,
    values,
  );
  const estimate = Object.values(plan ?? {})[0]?.[0]?.Plan?.['Plan Rows'] ?? n;
  return { RecordCount: Math.max(Math.round(estimate), n), RecordCountIsEstimate: true };
}
