import type { Row } from '../../door/answer.ts';
import type { Context } from '../../door/context.ts';
import { PlatformError } from '../../door/errors.ts';
import type { RecordType } from '../../declare/record.ts';
import { arrayLiteral } from '../../database/store.ts';
import { fromOf, idOf, selectListOf, sqlTypes } from '../../database/sql.ts';
import {
  inKeyOrder,
  isReference,
  keyColumns,
  referenceTarget,
  transferColumns,
  type TransferColumn,
} from './transfer.ts';
import { withLine, type TransferItem } from './transfer-read.ts';

/** A record of a document beside the one of this installation that it is, where there is one. */
export interface TransferNode {
  readonly item: TransferItem;
  /** The record's id: known from the beginning, or once it has been inserted. */
  id: number | undefined;
  /** By what the existing record was found; undefined of one that is new. */
  foundBy: 'SubscriberID' | 'Name' | undefined;
  /** The existing record as it stands. */
  row: Row | undefined;
  /** What its references point to: a record of the document, the id of another one, or nothing. One that is unknown here has no entry. */
  readonly references: Map<TransferColumn, TransferNode | number | null>;
}

/**
 * Finds the records that a document's records are: by outside identifier, else by what names a record of the type. Resolves
 * their references. Changes nothing.
 */
export async function matchItems(ctx: Context, items: readonly TransferItem[]): Promise<readonly TransferNode[]> {
  const nodes = items.map((item): TransferNode => ({
    item,
    id: undefined,
    foundBy: undefined,
    row: undefined,
    references: new Map(),
  }));
  const byType = Map.groupBy(nodes, (node) => node.item.record);
  const index = new Map(nodes.map((node) => [nodeKey(node.item.record, node.item.identifier), node]));
  // What a record is named after is matched before it.
  for (const record of inKeyOrder(ctx.registry, byType.keys())) {
    const of = byType.get(record) ?? [];
    await matchByIdentifier(ctx, record, of);
    for (const column of transferColumns(ctx.registry, record).values())
      await resolveReferences(ctx, column, of, index);
    await matchByKey(
      ctx,
      record,
      of.filter((node) => node.id === undefined),
      new Set(of.flatMap((node) => node.id ?? [])),
    );
    await readRows(ctx, record, of);
  }
  return nodes;
}

function nodeKey(record: RecordType, identifier: string): string {
  return `${record.name} ${identifier}`;
}

/** A refusal of a record of the document, with its place. */
function refusal(item: TransferItem, field: string, message: string): PlatformError {
  return withLine(item.line, itemLabel(item), new PlatformError('BAD_PARAMETER', { field, message }));
}

/** What a record of the document is called in a message. */
export function itemLabel({ record, identifier, fields }: TransferItem): string {
  const label = [...fields].find(([{ column }]) => column.name === record.name)?.[1].value;
  return `${record.name}Item ${typeof label === 'string' ? `"${label.slice(0, 100)}"` : identifier.slice(0, 100)}`;
}

async function matchByIdentifier(ctx: Context, record: RecordType, nodes: readonly TransferNode[]): Promise<void> {
  const ids = await recordsByExternalId(
    ctx,
    record,
    nodes.map((node) => node.item.identifier),
  );
  const claimed = new Map<number, TransferItem>();
  for (const node of nodes) {
    const id = ids.get(node.item.identifier);
    if (id === undefined) continue;
    const other = claimed.get(id);
    if (other)
      throw refusal(
        node.item,
        'SubscriberID',
        `SubscriberID: it is the same record here as the one on line ${other.line}.`,
      );
    claimed.set(id, node.item);
    node.id = id;
    node.foundBy = 'SubscriberID';
  }
}

/** Records by identifiers of the installation's own view; identifiers of records that are gone are not found. */
async function recordsByExternalId(
  ctx: Context,
  record: RecordType,
  identifiers: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (identifiers.length === 0) return new Map();
  const classes = ctx.registry.family(record).map((r) => r.name);
  const rows = await ctx.db.query<{ subscriberid: string; id: number }>(
    `select s.subscriberid, ${idOf(record)} as id from ${fromOf(record)} join objectsubscription s on s.objectid = ${idOf(record)} where s.object = any($1::text[]) and s.organizationid = 0 and s.subscriberid = any($2::text[])`,
    [arrayLiteral(classes), arrayLiteral([...new Set(identifiers)])],
  );
  return new Map(rows.map((row) => [row.subscriberid, row.id]));
}

async function resolveReferences(
  ctx: Context,
  column: TransferColumn,
  nodes: readonly TransferNode[],
  index: ReadonlyMap<string, TransferNode>,
): Promise<void> {
  if (!isReference(column)) return;
  const outside = new Map<RecordType, { node: TransferNode; identifier: string; line: number; follows: boolean }[]>();
  for (const node of nodes) {
    const field = node.item.fields.get(column);
    if (!field) continue;
    const identifier = field.value as string | null;
    const to = identifier === null ? undefined : requireReferenceTarget(ctx, column, node.item);
    const inside = identifier !== null && to?.follows ? index.get(nodeKey(to.target, identifier)) : undefined;
    if (identifier === null || inside || !to) node.references.set(column, inside ?? null);
    else {
      const of = outside.get(to.target) ?? [];
      outside.set(to.target, of);
      of.push({ node, identifier, line: field.line, follows: to.follows });
    }
  }
  for (const [target, of] of outside) await resolveOutside(ctx, column, target, of);
}

/** What a record's reference points to. @throws BAD_PARAMETER of an ObjectID without the Object that says it */
function requireReferenceTarget(
  ctx: Context,
  column: TransferColumn,
  item: TransferItem,
): ReturnType<typeof referenceTarget> {
  const named = column.targetBy && [...item.fields].find(([other]) => other.column === column.targetBy)?.[1].value;
  const to = referenceTarget(ctx.registry, column, named);
  if (!to && column.targetBy)
    throw refusal(
      item,
      column.name,
      `${column.name}: expected the record type that it points to in ${column.targetBy.name}.`,
    );
  return to;
}

async function resolveOutside(
  ctx: Context,
  column: TransferColumn,
  target: RecordType,
  outside: readonly { node: TransferNode; identifier: string; line: number; follows: boolean }[],
): Promise<void> {
  const ids = await recordsByExternalId(
    ctx,
    target,
    outside.map(({ identifier }) => identifier),
  );
  for (const { node, identifier, line, follows } of outside) {
    const id = ids.get(identifier);
    if (id !== undefined) node.references.set(column, id);
    else if (follows)
      throw withLine(
        line,
        itemLabel(node.item),
        new PlatformError('BAD_PARAMETER', {
          field: column.name,
          message: `${column.name}: neither the document nor this installation has a ${target.name} with this SubscriberID.`,
        }),
      );
    else
      ctx.alert({
        code: 'UNKNOWN_REFERENCE',
        text: `Line ${line}, ${itemLabel(node.item)}: ${column.name} names a ${target.name} that is not here; the field was left as it is.`,
      });
  }
}

/** The records that are named alike, each once; two that could be meant are an error, since either choice could be wrong. */
async function matchByKey(
  ctx: Context,
  record: RecordType,
  nodes: readonly TransferNode[],
  claimed: Set<number>,
): Promise<void> {
  const columns = keyColumns(ctx.registry, record);
  const keys = nodes.flatMap((node, n) => {
    const key = transferKeyValues(columns, node);
    return key ? [{ n, ...key }] : [];
  });
  if (keys.length === 0) return;
  const candidates = Map.groupBy(await matchCandidates(ctx, record, columns, keys), ({ n }) => n);
  for (const [n, node] of nodes.entries()) {
    const free = (candidates.get(n) ?? []).filter(({ id }) => !claimed.has(id));
    const [only, ...more] = free;
    if (!only) continue;
    if (more.length > 0)
      throw refusal(
        node.item,
        record.name,
        `${free.length} ${record.name} records here are named so (${free
          .slice(0, 5)
          .map(({ id }) => id)
          .join(
            ', ',
          )}); give the one that is meant the SubscriberID ${node.item.identifier.slice(0, 100)}, or other names to the rest.`,
      );
    node.id = only.id;
    node.foundBy = 'Name';
    claimed.add(only.id);
  }
}

/** The values that name a record, or undefined where it belongs to one that is itself new, or has no name. */
function transferKeyValues(
  columns: readonly TransferColumn[],
  node: TransferNode,
): Record<string, unknown> | undefined {
  const key: Record<string, unknown> = {};
  for (const [i, column] of columns.entries()) {
    const reference = node.references.get(column);
    const value = isReference(column)
      ? typeof reference === 'object' && reference
        ? reference.id
        : (reference ?? null)
      : (node.item.fields.get(column)?.value ?? null);
    if (value === undefined) return undefined;
    key[`k${i}`] = value;
  }
  return Object.values(key).every((value) => value === null) ? undefined : key;
}

/** The names are compared by the database, without case and accents as everywhere; `coalesce` lets it join by hash. */
async function matchCandidates(
  ctx: Context,
  record: RecordType,
  columns: readonly TransferColumn[],
  keys: readonly object[],
): Promise<{ n: number; id: number }[]> {
  const empty = (column: TransferColumn): string => (column.column.field.kind === 'text' ? "''" : '0');
  const types = columns.map((c, i) => `k${i} ${sqlTypes[c.column.field.kind as keyof typeof sqlTypes]}`);
  const equal = columns.map(
    (c, i) => `coalesce(${c.column.table}.${c.column.column}, ${empty(c)}) = coalesce(k.k${i}, ${empty(c)})`,
  );
  return ctx.db.query<{ n: number; id: number }>(
    `select k.n, ${idOf(record)} as id from jsonb_to_recordset($1::text::jsonb) as k (n integer, ${types.join(', ')}) join ${fromOf(record)} on ${equal.join(' and ')} order by 1, 2`,
    [JSON.stringify(keys)],
  );
}

async function readRows(ctx: Context, record: RecordType, nodes: readonly TransferNode[]): Promise<void> {
  const rows = await ctx.db.query(
    `select ${selectListOf(record)} from ${fromOf(record)} where ${idOf(record)} = any($1::bigint[])`,
    [arrayLiteral(nodes.flatMap((node) => node.id ?? []))],
  );
  const byId = new Map(rows.map((row) => [Number(row[record.idField]), row]));
  for (const node of nodes) node.row = node.id === undefined ? undefined : byId.get(node.id);
}
