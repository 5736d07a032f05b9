import { recordId, parentOf, type Row, type TreeNode } from '../../door/answer.ts';
import { shapeOf } from '../../door/answer.ts';
import type { Context } from '../../door/context.ts';
import type { Collection, RecordType } from '../../declare/record.ts';
import { isClosed, notFound, readRecord } from './read.ts';
import { fromOf, idOf, selectListOf } from '../../database/sql.ts';

/** Most children of one collection in a summary. */
const SUMMARY_CHILDREN_MAX = 500;
/** How deep a summary follows children of children and parents of parents. */
const SUMMARY_DEPTH_MAX = 3;

/** The name of a computed column, which no declared column can have. */
const FILLED = 'its filled collections';

/**
 * Returns a record with the records that it points to and its child collections, as one tree: the default data of
 * merges, scores and rules.
 */
export async function summarize(ctx: Context, record: RecordType, id: number): Promise<TreeNode> {
  const { row, filled } = await readWithCollections(ctx, record, id);
  const visit: Visit = { seen: new Set([`${record.root.name}:${id}`]), depth: 1 };
  const links = await linkedRecords(ctx, record, row, visit);
  const children: TreeNode[] = [];
  for (const { collection, rows } of filled) children.push(...(await collectionNode(ctx, collection, rows, visit)));
  return { name: `${record.name}Item`, children: [...fieldNodes(record, row), ...links, ...children] };
}

/** The state of a walk through records. */
interface Visit {
  /** The records already in the tree, as `Class:id`. */
  readonly seen: Set<string>;
  readonly depth: number;
}

function deeper({ seen, depth }: Visit): Visit {
  return { seen, depth: depth + 1 };
}

/** Returns the fields of a record that are not empty, as nodes under their declared names. */
export function fieldNodes(record: RecordType, row: Row): TreeNode[] {
  return shapeOf(record)
    .filter(({ name }) => row[name] !== null && row[name] !== undefined)
    .map(({ name, field }) => ({ name, value: row[name], field }));
}

/**
 * Returns the records behind foreign keys, each under the key's name without ID, and the parent. Tracking columns are
 * left out.
 */
async function linkedRecords(ctx: Context, record: RecordType, row: Row, visit: Visit): Promise<TreeNode[]> {
  if (visit.depth > SUMMARY_DEPTH_MAX) return [];
  const nodes: TreeNode[] = [];
  for (const { name, field } of shapeOf(record)) {
    const target = field.to === undefined || field.computed ? undefined : ctx.registry.record(field.to);
    const id = row[name];
    if (!target || typeof id !== 'number') continue;
    const node = await linkedNode(ctx, target, { id, name: name.slice(0, -2) }, visit);
    if (node) nodes.push(node);
  }
  const above = parentOf(row);
  const parent = above && ctx.registry.record(above.className);
  if (parent) {
    const node = await linkedNode(ctx, parent, { id: above.id, name: `Parent${parent.name}` }, visit);
    if (node) nodes.push(node);
  }
  return nodes;
}

async function linkedNode(
  ctx: Context,
  target: RecordType,
  { id, name }: { readonly id: number; readonly name: string },
  visit: Visit,
): Promise<TreeNode | undefined> {
  const key = `${target.root.name}:${id}`;
  if (visit.seen.has(key) || isClosed(ctx, target)) return undefined;
  visit.seen.add(key);
  const [row] = await ctx.db.query(
    `select ${selectListOf(target)} from ${fromOf(target)} where ${idOf(target)} = $1::bigint`,
    [id],
  );
  // Out of the user's reach: only the id is shown, in the record's own foreign key.
  if (!row) return undefined;
  const links = await linkedRecords(ctx, target, row, deeper(visit));
  const own = visit.depth < SUMMARY_DEPTH_MAX ? await ownCollections(ctx, target, id, deeper(visit)) : [];
  return { name, children: [...fieldNodes(target, row), ...links, ...own] };
}

/**
 * Returns the collections that a record type declares itself, such as a loan's borrowers. They are shown for linked
 * records too.
 */
async function ownCollections(ctx: Context, record: RecordType, id: number, visit: Visit): Promise<TreeNode[]> {
  const nodes: TreeNode[] = [];
  for (const collection of ctx.registry.collections(record).values()) {
    const own = record.children?.includes(collection) ?? false;
    if (!own && collection.by === 'Object') continue;
    nodes.push(...(await collectionNode(ctx, collection, await childRows(ctx, record, id, collection), visit)));
  }
  return nodes;
}

/** A collection of a record with its children, at least one. */
interface FilledCollection {
  readonly collection: Collection;
  readonly rows: readonly Row[];
}

/**
 * The collections that had children in the last summary of a record type. They are read together with the record,
 * before it is known that this one has them too: cases of one kind mostly fill the same collections, and one round trip
 * costs more than the few reads that turn out empty.
 */
const lastFilled = new WeakMap<RecordType, ReadonlySet<Collection>>();

/**
 * Reads a record with its collections that have children. One statement returns which these are, since most of a case's
 * collections are empty, and each would cost a statement.
 */
async function readWithCollections(
  ctx: Context,
  record: RecordType,
  id: number,
): Promise<{ readonly row: Row; readonly filled: readonly FilledCollection[] }> {
  const shown = [...ctx.registry.collections(record).values()].filter((collection) => shownChild(ctx, collection));
  if (shown.length === 0) return { row: await readRecord(ctx.db, record, id), filled: [] };
  const probes = shown.map(
    (collection) =>
      `exists (select 1 from ${fromOf(shownChild(ctx, collection) ?? record)}
        where ${belowCondition(ctx, collection)})`,
  );
  const readRows = async (collections: readonly Collection[]): Promise<[Collection, readonly Row[]][]> =>
    Promise.all(collections.map(async (each) => [each, await childRows(ctx, record, id, each)]));
  const expected = shown.filter((collection) => lastFilled.get(record)?.has(collection));
  const [[result], early] = await Promise.all([
    ctx.db.query<Row & { readonly [FILLED]: readonly boolean[] }>(
      `select ${selectListOf(record)}, to_json(array[${probes.join(', ')}]) as "${FILLED}"
       from ${fromOf(record)} where ${idOf(record)} = $1::bigint`,
      [id, classNames(ctx, record)],
    ),
    readRows(expected),
  ]);
  if (!result) throw notFound(record, id);
  const { [FILLED]: isFilled, ...row } = result;
  const filled = shown.filter((_, at) => isFilled[at]);
  lastFilled.set(record, new Set(filled));
  const late = await readRows(filled.filter((collection) => !expected.includes(collection)));
  const rows = new Map([...early, ...late]);
  return { row, filled: filled.map((collection) => ({ collection, rows: rows.get(collection) ?? [] })) };
}

/** Returns the record type of a collection's children, where summaries show them to this user. */
function shownChild(ctx: Context, collection: Collection): RecordType | undefined {
  const child = ctx.registry.record(collection.record);
  return !child || child.inSummary === false || isClosed(ctx, child) ? undefined : child;
}

/** Returns SQL that is true for a parent's children: `$1` is its id, `$2` the names of its type's family. */
function belowCondition(ctx: Context, { record, by }: Collection): string {
  const { table } = ctx.registry.requireRecord(record, 'Object').root;
  return by === 'Object'
    ? `${table}.object = any($2::text[]) and ${table}.objectid = $1::bigint`
    : `${table}.${by.toLowerCase()} = $1::bigint and $2::text[] is not null`;
}

function classNames(ctx: Context, record: RecordType): string {
  return `{${ctx.registry
    .family(record.root)
    .map((r) => r.name)
    .join(',')}}`;
}

/** Returns the rows of a collection; none where summaries don't show it. */
async function childRows(
  ctx: Context,
  record: RecordType,
  id: number,
  collection: Collection,
): Promise<readonly Row[]> {
  const child = shownChild(ctx, collection);
  if (!child) return [];
  return ctx.db.query<Row>(
    `select ${selectListOf(child)} from ${fromOf(child)}
     where ${belowCondition(ctx, collection)}
     order by ${idOf(child)} limit ${SUMMARY_CHILDREN_MAX}`,
    [id, classNames(ctx, record)],
  );
}

async function collectionNode(
  ctx: Context,
  collection: Collection,
  rows: readonly Row[],
  visit: Visit,
): Promise<TreeNode[]> {
  const child = shownChild(ctx, collection);
  if (!child || rows.length === 0) return [];
  const items: TreeNode[] = [];
  for (const row of rows) {
    const childId = recordId(child, row);
    const key = `${child.root.name}:${childId}`;
    const isLeaf = visit.seen.has(key) || visit.depth >= SUMMARY_DEPTH_MAX;
    visit.seen.add(key);
    const nested = isLeaf ? [] : await ownCollections(ctx, child, childId, deeper(visit));
    items.push({ name: `${child.name}Item`, children: [...fieldNodes(child, row), ...nested] });
  }
  return [{ name: collection.name, children: items, list: true }];
}
