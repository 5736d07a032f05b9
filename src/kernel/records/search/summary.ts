import type { Row, TreeNode } from '../../door/answer.ts';
import { shapeOf } from '../../door/answer.ts';
import type { Context } from '../../door/context.ts';
import type { Collection, RecordType } from '../../declare/record.ts';
import { isClosed, notFound, readRecord } from './read.ts';
import { fromOf, idOf, selectListOf } from '../../database/sql.ts';

/** The most children of one collection that a summary shows. */
const SUMMARY_CHILDREN_MAX = 500;
/** How deep a summary follows children of children and parents of parents. */
const SUMMARY_DEPTH_MAX = 3;

/** A name that no column has. */
const FILLED = 'its filled collections';

/** A record with the records that it points to and its child collections, as one tree: the default data of merges, scores and rules. */
export async function summarize(ctx: Context, record: RecordType, id: number): Promise<TreeNode> {
  const { row, filled } = await readWithFilledCollections(ctx, record, id);
  // Sent all at once: a summary is read in every pass over a workflow.
  const rows = await Promise.all(filled.map((collection) => childRows(ctx, record, id, collection)));
  const seen = new Set([`${record.root.name}:${id}`]);
  const links = await linkedRecords(ctx, record, row, seen, 1);
  const children: TreeNode[] = [];
  for (const [at, collection] of filled.entries())
    children.push(...(await collectionNode(ctx, collection, rows[at] ?? [], seen, 1)));
  return { name: `${record.name}Item`, children: [...fieldNodes(record, row), ...links, ...children] };
}

/** The fields of a record that are not empty, as leaves under their declared names. */
export function fieldNodes(record: RecordType, row: Row): TreeNode[] {
  return shapeOf(record)
    .filter(({ name }) => row[name] !== null && row[name] !== undefined)
    .map(({ name, field }) => ({ name, value: row[name], field }));
}

/** The records behind foreign keys, each under the key's name without ID; people who made or changed the record are left out. */
async function linkedRecords(
  ctx: Context,
  record: RecordType,
  row: Row,
  seen: Set<string>,
  depth: number,
): Promise<TreeNode[]> {
  if (depth > SUMMARY_DEPTH_MAX) return [];
  const nodes: TreeNode[] = [];
  for (const { name, field } of shapeOf(record)) {
    const target = field.to === undefined || field.computed ? undefined : ctx.registry.record(field.to);
    const id = row[name];
    if (!target || typeof id !== 'number') continue;
    const node = await linkedNode(ctx, target, id, name.slice(0, -2), seen, depth);
    if (node) nodes.push(node);
  }
  const parent = typeof row['Object'] === 'string' ? ctx.registry.record(row['Object']) : undefined;
  if (parent && typeof row['ObjectID'] === 'number') {
    const node = await linkedNode(ctx, parent, row['ObjectID'], `Parent${parent.name}`, seen, depth);
    if (node) nodes.push(node);
  }
  return nodes;
}

async function linkedNode(
  ctx: Context,
  target: RecordType,
  id: number,
  name: string,
  seen: Set<string>,
  depth: number,
): Promise<TreeNode | undefined> {
  const key = `${target.root.name}:${id}`;
  if (seen.has(key) || isClosed(ctx, target)) return undefined;
  seen.add(key);
  const [row] = await ctx.db.query(
    `select ${selectListOf(target)} from ${fromOf(target)} where ${idOf(target)} = $1::bigint`,
    [id],
  );
  // Out of the user's reach: the id alone is told, as the record itself tells it.
  if (!row) return undefined;
  const links = await linkedRecords(ctx, target, row, seen, depth + 1);
  const own = depth < SUMMARY_DEPTH_MAX ? await ownCollections(ctx, target, id, seen, depth + 1) : [];
  return { name, children: [...fieldNodes(target, row), ...links, ...own] };
}

/** The collections that a record type names itself, such as a loan's borrowers: shown also where the record is only pointed to. */
async function ownCollections(
  ctx: Context,
  record: RecordType,
  id: number,
  seen: Set<string>,
  depth: number,
): Promise<TreeNode[]> {
  const nodes: TreeNode[] = [];
  for (const collection of ctx.registry.collections(record).values()) {
    const own = record.children?.includes(collection) ?? false;
    if (own || collection.by !== 'Object')
      nodes.push(...(await collectionNode(ctx, collection, await childRows(ctx, record, id, collection), seen, depth)));
  }
  return nodes;
}

/** A record and its collections that have children, in one statement: of the many that a case could have most are empty, and each would be a statement. */
async function readWithFilledCollections(
  ctx: Context,
  record: RecordType,
  id: number,
): Promise<{ readonly row: Row; readonly filled: readonly Collection[] }> {
  const shown = [...ctx.registry.collections(record).values()].filter((collection) => shownChild(ctx, collection));
  if (shown.length === 0) return { row: await readRecord(ctx.db, record, id), filled: [] };
  const looks = shown.map(
    (collection) =>
      `exists (select 1 from ${fromOf(shownChild(ctx, collection) ?? record)} where ${belowCondition(ctx, collection)})`,
  );
  const [found] = await ctx.db.query<Row & { readonly [FILLED]: readonly boolean[] }>(
    `select ${selectListOf(record)}, to_json(array[${looks.join(', ')}]) as "${FILLED}" from ${fromOf(record)} where ${idOf(record)} = $1::bigint`,
    [id, classNames(ctx, record)],
  );
  if (!found) throw notFound(record, id);
  const { [FILLED]: isFilled, ...row } = found;
  return { row, filled: shown.filter((_, at) => isFilled[at]) };
}

/** The record type of a collection's children, where summaries show them to the user. */
function shownChild(ctx: Context, collection: Collection): RecordType | undefined {
  const child = ctx.registry.record(collection.record);
  return !child || child.inSummary === false || isClosed(ctx, child) ? undefined : child;
}

/** What children have: $1 is the parent's id, $2 the names that it goes by. */
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

/** The rows of a collection, of those that summaries show. */
async function childRows(
  ctx: Context,
  record: RecordType,
  id: number,
  collection: Collection,
): Promise<readonly Row[]> {
  const child = shownChild(ctx, collection);
  if (!child) return [];
  return ctx.db.query<Row>(
    `select ${selectListOf(child)} from ${fromOf(child)} where ${belowCondition(ctx, collection)} order by ${idOf(child)} limit ${SUMMARY_CHILDREN_MAX}`,
    [id, classNames(ctx, record)],
  );
}

async function collectionNode(
  ctx: Context,
  collection: Collection,
  rows: readonly Row[],
  seen: Set<string>,
  depth: number,
): Promise<TreeNode[]> {
  const child = shownChild(ctx, collection);
  if (!child || rows.length === 0) return [];
  const items: TreeNode[] = [];
  for (const row of rows) {
    const childId = Number(row[child.idField]);
    const known = seen.has(`${child.root.name}:${childId}`);
    seen.add(`${child.root.name}:${childId}`);
    const nested =
      known || depth >= SUMMARY_DEPTH_MAX ? [] : await ownCollections(ctx, child, childId, seen, depth + 1);
    items.push({ name: `${child.name}Item`, children: [...fieldNodes(child, row), ...nested] });
  }
  return [{ name: collection.name, children: items, list: true }];
}
