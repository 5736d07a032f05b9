import { recordId, type Row } from '../../door/answer.ts';
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

/** A record of a document, matched with the existing record where there is one. */
export interface TransferNode {
  readonly item: TransferItem;
  /** The id of the existing or inserted record. */
  id: number | undefined;
  /** How the existing record was found; undefined for a new one. */
  foundBy: 'SubscriberID' | 'Name' | undefined;
  /** The existing row. */
  row: Row | undefined;
  /**
   * Its references: to a record of the document, to an existing record by id, or to none. An unknown target has no
   * entry.
   */
  readonly references: Map<TransferColumn, TransferNode | number | null>;
}

/**
 * Matches a document's records with existing ones by external ID, else by transfer key, and resolves their references.
 * Changes nothing.
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
  // The targets of a transfer key are matched before the records that it belongs to.
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

/** Returns the refusal of a record of the document, with its line. */
function refusal(item: TransferItem, field: string, message: string): PlatformError {
  return withLine(item.line, itemLabel(item), new PlatformError('BAD_PARAMETER', { field, message }));
}

/** Returns the name of a document's record for messages. */
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
        `SubscriberID: the record on line ${other.line} matches the same existing record.`,
      );
    claimed.set(id, node.item);
    node.id = id;
    node.foundBy = 'SubscriberID';
  }
}

/** Returns the ids of existing records by the installation's own external IDs. */
async function recordsByExternalId(
  ctx: Context,
  record: RecordType,
  identifiers: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (identifiers.length === 0) return new Map();
  const classes = ctx.registry.family(record).map((r) => r.name);
  const rows = await ctx.db.query<{ subscriberid: string; id: number }>(
    `select s.subscriberid, ${idOf(record)} as id
     from ${fromOf(record)} join objectsubscription s on s.objectid = ${idOf(record)}
     where s.object = any($1::text[]) and s.organizationid = 0 and s.subscriberid = any($2::text[])`,
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

/** Returns the target of a reference. Throws BAD_PARAMETER for an ObjectID without the Object that names its type. */
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
      `${column.name}: ${column.targetBy.name} is required, the record type that it points to.`,
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
          message:
            `${column.name}: neither the document nor this installation has ` +
            `a ${target.name} with this SubscriberID.`,
        }),
      );
    else
      ctx.alert({
        code: 'UNKNOWN_REFERENCE',
        text:
          `Line ${line}, ${itemLabel(node.item)}: ${column.name} names a ${target.name} that does not exist here; ` +
          'the field was not changed.',
      });
  }
}

/**
 * Matches records by transfer key, each existing record once. Throws BAD_PARAMETER where several match: any choice
 * could be wrong.
 */
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
      if (more.length > 0) {
        const ids = free.slice(0, 5).map(({ id }) => id);
        throw refusal(
          node.item,
          record.name,
          `${free.length} ${record.name} records here have this name (${ids.join(', ')}); give the intended one ` +
            `the SubscriberID ${node.item.identifier.slice(0, 100)}, or rename the others.`,
        );
      }
    node.id = only.id;
    node.foundBy = 'Name';
    claimed.add(only.id);
  }
}

/** Returns the values of a record's transfer key; undefined where it points to a new record or is empty. */
function transferKeyValues(
  columns: readonly TransferColumn[],
  node: TransferNode,
): Record<string, unknown> | undefined {
  const key: Record<string, unknown> = {};
  for (const [i, column] of columns.entries()) {
    const reference = node.references.get(column);
    const id = typeof reference === 'object' && reference ? reference.id : (reference ?? null);
    const value = isReference(column) ? id : (node.item.fields.get(column)?.value ?? null);
    if (value === undefined) return undefined;
    key[`k${i}`] = value;
  }
  return Object.values(key).every((value) => value === null) ? undefined : key;
}

/** SQL that stands for null in a comparison, by the kind of a column; 0 for all others. */
const emptyValues: Readonly<Partial<Record<string, string>>> = {
  text: "''",
  boolean: 'false',
  date: "'-infinity'::date",
  timestamp: "'-infinity'::timestamptz",
};

/**
 * Finds existing records by transfer key. The database compares, ignoring case and accents; `coalesce` allows a hash
 * join.
 */
async function matchCandidates(
  ctx: Context,
  record: RecordType,
  columns: readonly TransferColumn[],
  keys: readonly object[],
): Promise<{ n: number; id: number }[]> {
  const empty = ({ column }: TransferColumn): string => emptyValues[column.field.kind] ?? '0';
  const types = columns.map((c, i) => `k${i} ${sqlTypes[c.column.field.kind as keyof typeof sqlTypes]}`);
  const equal = columns.map(
    (c, i) => `coalesce(${c.column.table}.${c.column.column}, ${empty(c)}) = coalesce(k.k${i}, ${empty(c)})`,
  );
  return ctx.db.query<{ n: number; id: number }>(
    `select k.n, ${idOf(record)} as id
     from jsonb_to_recordset($1::text::jsonb) as k (n integer, ${types.join(', ')})
     join ${fromOf(record)} on ${equal.join(' and ')}
     order by 1, 2`,
    [JSON.stringify(keys)],
  );
}

async function readRows(ctx: Context, record: RecordType, nodes: readonly TransferNode[]): Promise<void> {
  const rows = await ctx.db.query(
    `select ${selectListOf(record)} from ${fromOf(record)} where ${idOf(record)} = any($1::bigint[])`,
    [arrayLiteral(nodes.flatMap((node) => node.id ?? []))],
  );
  const byId = new Map(rows.map((row) => [recordId(record, row), row]));
  for (const node of nodes) node.row = node.id === undefined ? undefined : byId.get(node.id);
}
