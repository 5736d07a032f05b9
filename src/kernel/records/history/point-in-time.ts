import type { Row, TreeNode } from '../../door/answer.ts';
import type { Context } from '../../door/context.ts';
import { PlatformError } from '../../door/errors.ts';
import { bad } from '../../parameters/parse-value.ts';
import type { Collection, Column, RecordType } from '../../declare/record.ts';
import { mayReadNumbers, numbersDiffer } from '../save/number-comparison.ts';
import { openNumber, storedName } from '../save/protect.ts';
import { arrayLiteral, type Db } from '../../database/store.ts';
import { isClosed, notFound, assertReachable } from '../search/read.ts';
import { fromOf, idOf, selectListOf, tablesOf } from '../../database/sql.ts';
import { fieldNodes } from '../search/summary.ts';

/** Most children of one collection that are returned. */
const CHILDREN_MAX = 500;
/**
 * Most candidates of one collection that are examined: present children, and those that were children since the
 * instant.
 */
const CANDIDATES_MAX = 5_000;

/** A query of past states. */
export interface PastQuery {
  /** Which changes are undone: those after an instant, or one entry of history (by its id) and those after it. */
  readonly bound: 'instant' | 'change';
  /** One id or a list. For a list the planner guesses the length and plans the statement anew for each real one. */
  readonly ids: 'one' | 'list';
  /** The select list. */
  readonly list: string;
  readonly condition?: string;
}

const bounds = { instant: '$2::timestamptz, null', change: 'null, $2::bigint' } as const;
const idSources = { one: '(select $1::bigint as id) wanted', list: 'unnest($1::bigint[]) wanted(id)' } as const;

/**
 * Returns SQL that reads records as they were: the present rows (for deleted ones, the rows in history) overlaid with
 * the old values of everything that changed since. Parameters: the id or ids, and the bound. All of it runs in the
 * database, where amounts stay exact and each value has its column's type.
 */
export function pastQueryText(record: RecordType, { bound, ids, list, condition = 'true' }: PastQuery): string {
  const tables = tablesOf(record).map((part) => part.table);
  const { table: root } = record.root;
  const present = (table: string): string =>
    `case when ${table}_past.turn = 'delete' then null::public.${table} else ${table}_now end`;
  const joins = tables.map(
    (table) => `left join public.${table} ${table}_now on ${table}_now.${table}id = wanted.id
      cross join lateral casewright_past('${table}', wanted.id, ${bounds[bound]}) ${table}_past
      cross join lateral jsonb_populate_record(${present(table)}, ${table}_past.old) ${table}`,
  );
  const existed = tables.map(
    (table) =>
      `(${table}_past.turn = 'delete' or (${table}_past.turn is null and ${table}_now.${table}id is not null))`,
  );
  const existedThen = bound === 'instant' ? [`${root}.createddate <= $2::timestamptz`] : [];
  return `select ${list} from ${idSources[ids]} ${joins.join(' ')}
    where ${[...existed, ...existedThen, condition].join(' and ')}
    order by wanted.id`;
}

/** Texts of queries by record type and continuation of the select list. */
const texts = new WeakMap<RecordType, Map<string, string>>();

/** Runs a query that reads history, which row security closes to firms. The caller checks reach first. */
export type PastReader = <R extends object>(text: string, params: readonly unknown[]) => Promise<R[]>;

function readerOf(ctx: Context): PastReader {
  if (ctx.user.universal) return (text, params) => ctx.db.query(text, params);
  return (text, params) => ctx.inTransaction((own) => own.transaction().elevated((db: Db) => db.query(text, params)));
}

/** Which past state to read. */
interface AsOf {
  /** The instant, in ISO 8601. */
  readonly at: string;
  /** Whether to include the child collections as they were. */
  readonly withChildren: boolean;
}

/**
 * Returns a record as it was at an instant, as a tree with declared names. A firm's user reads the past of records it
 * can reach now; users with universal access also read that of deleted records.
 */
export async function recordAsOf(
  ctx: Context,
  record: RecordType,
  id: number,
  { at, withChildren }: AsOf,
): Promise<TreeNode> {
  if (!ctx.user.universal) await assertReachable(ctx, record, [id]);
  if (at > ctx.clock.now()) throw bad('At', 'a time in the past');
  const read = readerOf(ctx);
  const row = await readPast(read, record, { id, at }, numberSelectList(record));
  warnExchangedNumbers(ctx, record, id, row);
  const children = withChildren ? await collectionsAsOf(ctx, read, record, { id, at }) : [];
  return { name: `${record.name}Item`, children: [...fieldNodes(record, row), ...children] };
}

/** Returns a continuation of the select list with each protected number as it was and as it is, sealed. */
function numberSelectList(record: RecordType): string {
  return numbersOf(record)
    .map((c) => `, ${c.table}.${storedName(c)} as "then ${c.name}", ${c.table}_now.${storedName(c)} as "now ${c.name}"`)
    .join('');
}

function numbersOf(record: RecordType): readonly Column[] {
  return record.shown.filter((c) => c.field.kind === 'ssn');
}

/**
 * Warns of a number that was another one although its last four digits, which are all that is shown, were the same.
 * Callers who may not read numbers learn only that it was written since.
 */
function warnExchangedNumbers(ctx: Context, record: RecordType, id: number, row: Row): void {
  for (const column of numbersOf(record)) {
    const [then, now] = [row[`then ${column.name}`], row[`now ${column.name}`]];
    const [thenLast, nowLast] = [then, now].map((each) => openNumber(ctx.cipher, column, each)?.slice(-4));
    if (thenLast === undefined || thenLast !== nowLast || !numbersDiffer(ctx, column, then, now)) continue;
    const text = mayReadNumbers(ctx)
      ? 'the number was different then, although its last four digits were the same.'
      : 'the number was changed since; it may have been different then, although its last four digits were the same.';
    ctx.alert({ code: 'NUMBER_DIFFERS', id, text: `${column.name}: ${text}` });
  }
}

/** A record at an instant. */
interface PastRecord {
  readonly id: number;
  readonly at: string;
}

/**
 * Returns one record as it was at an instant. `more` continues the select list.
 *
 * @throws NOT_FOUND where it did not exist then, STATE_REFUSES where history does not go back so far; both say what is
 * known
 */
export async function readPast(read: PastReader, record: RecordType, past: PastRecord, more = ''): Promise<Row> {
  const { id, at } = past;
  const [row] = await read<Row & { readonly 'known since': string | null }>(pastText(record, more), [id, at]);
  if (!row) throw await absenceError(read, record, past);
  const since = row['known since'];
  if (since !== null && at < since) throw unknownBeforeError(record, id, since);
  return row;
}

/** Returns the text of {@link readPast}, cached. */
function pastText(record: RecordType, more: string): string {
  const known = texts.get(record) ?? new Map<string, string>();
  texts.set(record, known);
  let text = known.get(more);
  if (text === undefined) {
    const list = `${selectListOf(record)}${more}, (select since from historyknown) as "known since"`;
    known.set(more, (text = pastQueryText(record, { bound: 'instant', ids: 'one', list })));
  }
  return text;
}

function unknownBeforeError(record: RecordType, id: number, since: string): PlatformError {
  return new PlatformError('STATE_REFUSES', {
    field: 'At',
    message: `At: the history of ${record.name} ${id} before ${since} has been deleted.`,
    details: { KnownSince: since },
  });
}

/** Returns why there was no such record at an instant: not created yet, deleted by then, or not known any more. */
async function absenceError(read: PastReader, record: RecordType, { id, at }: PastRecord): Promise<PlatformError> {
  const { table } = record.root;
  const [known] = await read<{ created: string | null; deleted: string | null; since: string | null }>(
    `select (select since from historyknown) as since,
      coalesce(
        (select createddate from public.${table} where ${table}id = $1::bigint),
        (select max((old ->> 'createddate')::timestamptz) from history
         where tablename = '${table}' and recordid = $1::bigint and change = 'delete')) as created,
      (select max(at) from history
       where tablename = '${table}' and recordid = $1::bigint
         and change = 'delete' and at <= $2::timestamptz) as deleted`,
    [id, at],
  );
  const { created, deleted, since } = known ?? {};
  if (typeof created === 'string' && created > at)
    return new PlatformError('NOT_FOUND', {
      field: 'At',
      message: `At: ${record.name} ${id} was created later, at ${created}.`,
      details: { CreatedDate: created },
    });
  if (typeof since === 'string' && at < since) return unknownBeforeError(record, id, since);
  if (typeof deleted === 'string')
    return new PlatformError('NOT_FOUND', {
      field: 'At',
      message: `At: ${record.name} ${id} was deleted before, at ${deleted}.`,
      details: { DeletedDate: deleted },
    });
  return notFound(record, id);
}

/**
 * Returns the child collections as they were. Logs are left out: their rows never change, and expired ones leave no
 * trace.
 */
async function collectionsAsOf(
  ctx: Context,
  read: PastReader,
  record: RecordType,
  past: PastRecord,
): Promise<TreeNode[]> {
  const nodes: TreeNode[] = [];
  for (const collection of ctx.registry.collections(record).values()) {
    const child = ctx.registry.record(collection.record);
    if (!child || child.history === false || isClosed(ctx, child)) continue;
    const rows = await childrenAsOf(ctx, read, { record, collection, child }, past);
    if (rows.length > CHILDREN_MAX)
      ctx.alert({
        code: 'CHILDREN_LEFT_OUT',
        text: `${collection.name}: only the first ${CHILDREN_MAX} are returned.`,
      });
    const items = rows
      .slice(0, CHILDREN_MAX)
      .map((row): TreeNode => ({ name: `${child.name}Item`, children: fieldNodes(child, row) }));
    if (items.length > 0) nodes.push({ name: collection.name, children: items, list: true });
  }
  return nodes;
}

/** A collection of a record type, with the children's type. */
interface ChildCollection {
  readonly record: RecordType;
  readonly collection: Collection;
  readonly child: RecordType;
}

async function childrenAsOf(
  ctx: Context,
  read: PastReader,
  { record, collection, child }: ChildCollection,
  { id, at }: PastRecord,
): Promise<Row[]> {
  const { table } = child.root;
  const key = collection.by.toLowerCase();
  const below = (parent: string, classes: string): string =>
    key === 'object'
      ? `${table}.objectid = ${parent}::bigint and ${table}.object = any(${classes}::text[])`
      : `${table}.${key} = ${parent}::bigint and ${classes}::text[] is not null`;
  const classes = arrayLiteral(ctx.registry.family(record.root).map((r) => r.name));
  const candidates = await read<{ id: number }>(
    `select ${table}id as id from public.${table} where ${below('$1', '$3')}
      union
      select recordid from history where tablename = '${table}' and at > $2::timestamptz and links @> array[$1::bigint]
      order by 1 limit ${CANDIDATES_MAX}`,
    [id, at, classes],
  );
  const candidateIds = candidates.map((row) => row.id);
  const ids = await withinReach(ctx, child, candidateIds);
  if (candidates.length === CANDIDATES_MAX)
    ctx.alert({
      code: 'CHILDREN_LEFT_OUT',
      text: `${collection.name}: there are more than ${CANDIDATES_MAX} candidates; the rest were not examined.`,
    });
  if (ids.length === 0) return [];
  const condition = below('$3', '$4');
  return read<Record<string, unknown>>(
    pastQueryText(child, { bound: 'instant', ids: 'list', list: selectListOf(child), condition }),
    [arrayLiteral(ids), at, id, classes],
  );
}

/**
 * Returns the ids that the user may see: a firm's user sees the past only of children it can reach now, never of
 * deleted ones.
 */
async function withinReach(ctx: Context, child: RecordType, ids: readonly number[]): Promise<readonly number[]> {
  if (ctx.user.universal || ids.length === 0) return ids;
  const rows = await ctx.db.query<{ id: number }>(
    `select ${idOf(child)} as id from ${fromOf(child)} where ${idOf(child)} = any($1::bigint[])`,
    [arrayLiteral(ids)],
  );
  return rows.map((row) => row.id);
}
