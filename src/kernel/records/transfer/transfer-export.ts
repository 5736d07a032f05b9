import { randomUUID } from 'node:crypto';
import type { Row } from '../../door/answer.ts';
import type { Context } from '../../door/context.ts';
import { PlatformError } from '../../door/errors.ts';
import { transferKeyOf, type RecordType } from '../../declare/record.ts';
import { XML_DECLARATION } from '../../render/xml.ts';
import { arrayLiteral } from '../../database/store.ts';
import { escapeAttribute, escapeText } from '../../xml/element.ts';
import { concreteClass, reachAll } from '../search/read.ts';
import { fromOf, idOf, selectListOf } from '../../database/sql.ts';
import {
  byText,
  FORMAT_VERSION,
  lockConfiguration,
  isReference,
  ROOT,
  referenceTarget,
  TRANSFER_RECORDS_MAX,
  transferColumns,
  type TransferColumn,
} from './transfer.ts';
import { completeIdentifiers, identifyRecords, type ExternalIds } from './transfer-identifiers.ts';

/**
 * Configuration as one document: the records asked for (all of the type where no ids are given), what they point to, and
 * their children. Ids have become outside identifiers. The same state is always the same text.
 */
export async function exportConfiguration(
  ctx: Context,
  record: RecordType,
  ids: readonly number[] | undefined,
): Promise<string> {
  await lockConfiguration(ctx);
  if (ids) await reachAll(ctx, record, ids);
  const rows = await collect(ctx, record, ids);
  const identifiers = await identifyRecords(ctx, rows);
  await identifyOutside(ctx, rows, identifiers);
  const collections = [...rows]
    .filter(([, of]) => of.size > 0)
    .sort(([a], [b]) => byText(a.name, b.name))
    .map(([of, found]) => collectionXml(ctx, of, found, identifiers));
  return `${XML_DECLARATION}<${ROOT} FormatVersion="${FORMAT_VERSION}">\n${collections.join('')}</${ROOT}>\n`;
}

/** Rows to be read: those whose column `by` is one of the ids, or all. */
interface LoadRequest {
  readonly record: RecordType;
  readonly by: string;
  readonly ids: readonly number[] | undefined;
}

/** Follows references and children from record to record until nothing new is found. */
async function collect(
  ctx: Context,
  record: RecordType,
  ids: readonly number[] | undefined,
): Promise<Map<RecordType, Map<number, Row>>> {
  const found = new Map<RecordType, Map<number, Row>>();
  const wishes: LoadRequest[] = [{ record, by: idOf(record), ids }];
  let count = 0;
  for (let wish = wishes.shift(); wish; wish = wishes.shift()) {
    const of = found.get(wish.record) ?? new Map<number, Row>();
    found.set(wish.record, of);
    const fresh = (await load(ctx, wish)).filter((row) => !of.has(rowId(wish.record, row)));
    for (const row of fresh) of.set(rowId(wish.record, row), row);
    count += fresh.length;
    if (count > TRANSFER_RECORDS_MAX)
      throw new PlatformError('TOO_LARGE', {
        field: 'ID',
        message: `ID: an export holds at most ${TRANSFER_RECORDS_MAX} records; name fewer.`,
      });
    if (fresh.length > 0) wishes.push(...references(ctx, wish.record, fresh), ...children(ctx, wish.record, fresh));
  }
  return found;
}

function rowId(record: RecordType, row: Row): number {
  return Number(row[record.idField]);
}

async function load(ctx: Context, { record, by, ids }: LoadRequest): Promise<Row[]> {
  const where = ids ? ` where ${by} = any($1::bigint[])` : '';
  const rows = await ctx.db.query(
    `select ${selectListOf(record)} from ${fromOf(record)}${where} order by ${idOf(record)} limit ${TRANSFER_RECORDS_MAX + 1}`,
    ids ? [arrayLiteral(ids)] : [],
  );
  return rows.filter((row) => record.withheld?.(row, ctx.registry.settings) !== true);
}

function references(ctx: Context, record: RecordType, rows: readonly Row[]): LoadRequest[] {
  return referencesByTarget(ctx, record, rows).flatMap(({ target, follows, ids }) =>
    follows ? [{ record: target, by: idOf(target), ids }] : [],
  );
}

/** What rows point to, by type. */
function referencesByTarget(
  ctx: Context,
  record: RecordType,
  rows: readonly Row[],
): { readonly target: RecordType; readonly follows: boolean; readonly ids: number[] }[] {
  return [...transferColumns(ctx.registry, record).values()].flatMap((column) => {
    const groups = column.targetBy
      ? Map.groupBy(rows, (row) => row[column.targetBy?.name ?? ''])
      : isReference(column)
        ? new Map<unknown, readonly Row[]>([[undefined, rows]])
        : [];
    return [...groups].flatMap(([named, of]) => {
      const to = referenceTarget(ctx.registry, column, named);
      const ids = to ? idsIn(of, column.column.name) : [];
      return to && ids.length > 0 ? [{ ...to, ids }] : [];
    });
  });
}

function idsIn(rows: Iterable<Row>, name: string): number[] {
  return [...new Set([...rows].map((row) => row[name]).filter((id) => typeof id === 'number'))];
}

function children(ctx: Context, record: RecordType, rows: readonly Row[]): LoadRequest[] {
  const ids = rows.map((row) => rowId(record, row));
  return [...ctx.registry.collections(record).values()].flatMap((collection) => {
    const child = ctx.registry.requireRecord(collection.record, collection.name);
    return collection.by === 'Object' || transferKeyOf(child) === undefined
      ? []
      : [{ record: child, by: `${child.table}.${collection.by.toLowerCase()}`, ids }];
  });
}

/** What configuration points to without its being configuration, such as a contact: only the identifier leaves. */
async function identifyOutside(
  ctx: Context,
  rows: ReadonlyMap<RecordType, ReadonlyMap<number, Row>>,
  identifiers: ExternalIds,
): Promise<void> {
  for (const [record, of] of rows) {
    for (const { target, follows, ids } of referencesByTarget(ctx, record, [...of.values()])) {
      if (follows) continue;
      for (const id of ids) {
        const concrete = await concreteClass(ctx, ctx.db, target.root, id);
        await completeIdentifiers(ctx, concrete, [id], () => `${concrete.name}-${randomUUID()}`, identifiers);
      }
    }
  }
}

function collectionXml(
  ctx: Context,
  record: RecordType,
  rows: ReadonlyMap<number, Row>,
  identifiers: ExternalIds,
): string {
  const columns = [...transferColumns(ctx.registry, record).values()];
  const items = [...rows]
    .map(([id, row]) => ({ identifier: identifiers.get(record, id) ?? '', row }))
    .sort(
      (a, b) =>
        byText(String(a.row[record.name] ?? ''), String(b.row[record.name] ?? '')) ||
        byText(a.identifier, b.identifier),
    );
  const item = ({ identifier, row }: { identifier: string; row: Row }): string =>
    `    <${record.name}Item SubscriberID="${escapeAttribute(identifier)}">\n${columns.map((of) => `      ${fieldXml(ctx, record, of, row, identifiers)}\n`).join('')}    </${record.name}Item>\n`;
  return `  <${record.name}Collection>\n${items.map(item).join('')}  </${record.name}Collection>\n`;
}

/** One field; an empty one is written too, so that an import empties it. */
function fieldXml(ctx: Context, record: RecordType, of: TransferColumn, row: Row, identifiers: ExternalIds): string {
  const { name, column, targetBy } = of;
  const value = row[column.name] ?? null;
  const target = referenceTarget(ctx.registry, of, row[targetBy?.name ?? ''])?.target;
  if (value === null || (targetBy && !target)) return `<${name}/>`;
  const text = target
    ? (identifiers.get(target, Number(value)) ?? '')
    : typeof value === 'object'
      ? canonicalJson(value)
      : String(value);
  const escaped = escapeText(text);
  // Escaping replaces what XML cannot carry; an import would then store something else than was exported.
  if (escaped.split('\ufffd').length !== text.split('\ufffd').length) {
    throw new PlatformError('STATE_REFUSES', {
      field: column.name,
      message: `${column.name}: the ${record.name} ${String(row[record.idField])} holds a control character there, which XML cannot carry; take it out first.`,
    });
  }
  return `<${name}>${escaped}</${name}>`;
}

/** JSON with the members of objects in the order of their names. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => byText(a, b)))
      : member,
  );
}
