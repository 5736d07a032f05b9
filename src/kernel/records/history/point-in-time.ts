import type { Row, TreeNode } from '../../door/answer.ts';
import type { Context } from '../../door/context.ts';
import { PlatformError } from '../../door/errors.ts';
import { bad } from '../../parameters/parse-value.ts';
import type { Collection, RecordType } from '../../declare/record.ts';
import { arrayLiteral, type Db } from '../../database/store.ts';
import { isClosed, notFound, reachAll } from '../search/read.ts';
import { fromOf, idOf, selectListOf, tablesOf } from '../../database/sql.ts';
import { fieldNodes } from '../search/summary.ts';

/** The most children of one collection that are answered. */
const CHILDREN_MAX = 500;
/** The most records of one collection that are looked at: those that hang there now, and those that ever did since the instant. */
const CANDIDATES_MAX = 5_000;

/** What is read of the past. */
export interface PastQuery {
  /** From where on changes are taken back: those after an instant, or a change of history (by its id) and those after it. */
  readonly bound: 'instant' | 'change';
  /** One id, or a list: told apart because a list's length is guessed, and the statement planned anew each time for the true one. */
  readonly ids: 'one' | 'list';
  /** The select list. */
  readonly list: string;
  readonly condition?: string;
}

const bounds = { instant: '$2::timestamptz, null', change: 'null, $2::bigint' } as const;
const idSources = { one: '(select $1::bigint as id) wanted', list: 'unnest($1::bigint[]) wanted(id)' } as const;

/**
 * SQL that reads records as they were: the present rows (or, of deleted ones, the rows that history kept) with the old values of
 * everything that changed since laid over them. Parameters: the id or ids, and where the bound lies. All of it happens in the database,
 * where amounts stay exact and each value has its column's type again.
 */
export function pastQueryText(record: RecordType, { bound, ids, list, condition = 'true' }: PastQuery): string {
  const tables = tablesOf(record).map((part) => part.table);
  const { table: root } = record.root;
  const joins = tables.map(
    (table) => `left join public.${table} ${table}_now on ${table}_now.${table}id = wanted.id
      cross join lateral casewright_past('${table}', wanted.id, ${bounds[bound]}) ${table}_past
      cross join lateral jsonb_populate_record(case when ${table}_past.turn = 'delete' then null::public.${table} else ${table}_now end, ${table}_past.old) ${table}`,
  );
  const existed = tables.map(
    (table) =>
      `(${table}_past.turn = 'delete' or (${table}_past.turn is null and ${table}_now.${table}id is not null))`,
  );
  const made = bound === 'instant' ? [`${root}.createddate <= $2::timestamptz`] : [];
  return `select ${list} from ${idSources[ids]} ${joins.join(' ')} where ${[...existed, ...made, condition].join(' and ')} order by wanted.id`;
}

const texts = new WeakMap<RecordType, string>();

/** How history is read: it is closed to firms, whose users are shown only what they have been found to reach. */
export type PastReader = <R extends object>(text: string, params: readonly unknown[]) => Promise<R[]>;

function readerOf(ctx: Context): PastReader {
  if (ctx.user.universal) return (text, params) => ctx.db.query(text, params);
  return (text, params) => ctx.inTransaction((own) => own.transaction().elevated((db: Db) => db.query(text, params)));
}

/**
 * A record as it was at an instant, as a tree with its declared names; with its child collections as they were then where they
 * are asked for. A firm's user reads the past of what it reaches now, users with universal access that of deleted records too.
 */
export async function recordAsOf(
  ctx: Context,
  record: RecordType,
  id: number,
  at: string,
  withChildren: boolean,
): Promise<TreeNode> {
  if (!ctx.user.universal) await reachAll(ctx, record, [id]);
  if (at > ctx.clock.now()) throw bad('At', 'an instant that has passed');
  const read = readerOf(ctx);
  const row = await readPast(read, record, id, at);
  const children = withChildren ? await collectionsAsOf(ctx, read, record, id, at) : [];
  return { name: `${record.name}Item`, children: [...fieldNodes(record, row), ...children] };
}

/**
 * One record as it was at an instant. Where it did not exist, or history does not reach back so far, the error says what is known.
 * `more` goes on with the select list.
 */
export async function readPast(read: PastReader, record: RecordType, id: number, at: string, more = ''): Promise<Row> {
  const list = (): string => `${selectListOf(record)}${more}, (select since from historyknown) as "known since"`;
  let text = more === '' ? texts.get(record) : pastQueryText(record, { bound: 'instant', ids: 'one', list: list() });
  if (text === undefined)
    texts.set(record, (text = pastQueryText(record, { bound: 'instant', ids: 'one', list: list() })));
  const [row] = await read<Record<string, unknown>>(text, [id, at]);
  if (!row) throw await absenceError(read, record, id, at);
  if (isBefore(at, row['known since'])) throw unknownBeforeError(record, id, String(row['known since']));
  return row;
}

function isBefore(at: string, since: unknown): boolean {
  return typeof since === 'string' && at < since;
}

function unknownBeforeError(record: RecordType, id: number, since: string): PlatformError {
  return new PlatformError('STATE_REFUSES', {
    field: 'At',
    message: `At: what ${record.name} ${id} was is not known before ${since}; the history of that time has been deleted.`,
    details: { KnownSince: since },
  });
}

/** Why there was no such record at an instant: it was not made yet, it had been deleted, or nobody knows any more. */
async function absenceError(read: PastReader, record: RecordType, id: number, at: string): Promise<PlatformError> {
  const { table } = record.root;
  const [found] = await read<{ made: string | null; deleted: string | null; since: string | null }>(
    `select (select since from historyknown) as since,
      coalesce((select createddate from public.${table} where ${table}id = $1::bigint), (select max((old ->> 'createddate')::timestamptz) from history where tablename = '${table}' and recordid = $1::bigint and change = 'delete')) as made,
      (select max(at) from history where tablename = '${table}' and recordid = $1::bigint and change = 'delete' and at <= $2::timestamptz) as deleted`,
    [id, at],
  );
  if (typeof found?.made === 'string' && found.made > at)
    return new PlatformError('NOT_FOUND', {
      field: 'At',
      message: `At: ${record.name} ${id} was made at ${found.made}; before that there was none.`,
      details: { CreatedDate: found.made },
    });
  if (isBefore(at, found?.since)) return unknownBeforeError(record, id, String(found?.since));
  if (typeof found?.deleted === 'string')
    return new PlatformError('NOT_FOUND', {
      field: 'At',
      message: `At: ${record.name} ${id} had been deleted at ${found.deleted}.`,
      details: { DeletedDate: found.deleted },
    });
  return notFound(record, id);
}

/** The child collections as they were. Logs are left out: nobody changes them, and what is past its time in them leaves no trace. */
async function collectionsAsOf(
  ctx: Context,
  read: PastReader,
  record: RecordType,
  id: number,
  at: string,
): Promise<TreeNode[]> {
  const nodes: TreeNode[] = [];
  for (const collection of ctx.registry.collections(record).values()) {
    const child = ctx.registry.record(collection.record);
    if (!child || child.history === false || isClosed(ctx, child)) continue;
    const rows = await childrenAsOf(ctx, read, record, collection, child, id, at);
    if (rows.length > CHILDREN_MAX)
      ctx.alert({
        code: 'CHILDREN_LEFT_OUT',
        text: `${collection.name}: the first ${CHILDREN_MAX} are answered, there were more.`,
      });
    const items = rows
      .slice(0, CHILDREN_MAX)
      .map((row): TreeNode => ({ name: `${child.name}Item`, children: fieldNodes(child, row) }));
    if (items.length > 0) nodes.push({ name: collection.name, children: items, list: true });
  }
  return nodes;
}

async function childrenAsOf(
  ctx: Context,
  read: PastReader,
  record: RecordType,
  collection: Collection,
  child: RecordType,
  id: number,
  at: string,
): Promise<Row[]> {
  const { table } = child.root;
  const key = collection.by.toLowerCase();
  const below = (parent: string, classes: string): string =>
    key === 'object'
      ? `${table}.objectid = ${parent}::bigint and ${table}.object = any(${classes}::text[])`
      : `${table}.${key} = ${parent}::bigint and ${classes}::text[] is not null`;
  const classes = arrayLiteral(ctx.registry.family(record.root).map((r) => r.name));
  const found = await read<{ id: number }>(
    `select ${table}id as id from public.${table} where ${below('$1', '$3')}
      union select recordid from history where tablename = '${table}' and at > $2::timestamptz and links @> array[$1::bigint]
      order by 1 limit ${CANDIDATES_MAX}`,
    [id, at, classes],
  );
  const ids = await withinReach(
    ctx,
    child,
    found.map((row) => row.id),
  );
  if (found.length === CANDIDATES_MAX)
    ctx.alert({
      code: 'CHILDREN_LEFT_OUT',
      text: `${collection.name}: more than ${CANDIDATES_MAX} records have hung here; only so many were looked at.`,
    });
  if (ids.length === 0) return [];
  return read<Record<string, unknown>>(
    pastQueryText(child, { bound: 'instant', ids: 'list', list: selectListOf(child), condition: below('$3', '$4') }),
    [arrayLiteral(ids), at, id, classes],
  );
}

/** A firm's user sees the past of those children only that it reaches now; of deleted ones that is not known. */
async function withinReach(ctx: Context, child: RecordType, ids: readonly number[]): Promise<readonly number[]> {
  if (ctx.user.universal || ids.length === 0) return ids;
  const rows = await ctx.db.query<{ id: number }>(
    `select ${idOf(child)} as id from ${fromOf(child)} where ${idOf(child)} = any($1::bigint[])`,
    [arrayLiteral(ids)],
  );
  return rows.map((row) => row.id);
}
