import { randomUUID } from 'node:crypto';
import { recordId, type Row } from '../../door/answer.ts';
import type { Context } from '../../door/context.ts';
import { PlatformError } from '../../door/errors.ts';
import { transferKeyOf, type RecordType } from '../../declare/record.ts';
import { valueText } from '../../parameters/value-text.ts';
import { XML_DECLARATION } from '../../render/xml.ts';
import { arrayLiteral } from '../../database/store.ts';
import { escapeAttribute, escapeText } from '../../xml/element.ts';
import { concreteClass } from '../search/read.ts';
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
 * Returns configuration as one document: the records named (all of the type without ids), what they point to, and their
 * children. External IDs replace ids. The same state always gives the same text.
 */
export async function exportConfiguration(
  ctx: Context,
  record: RecordType,
  ids: readonly number[] | undefined,
): Promise<string> {
  await lockConfiguration(ctx);
  const rows = await collect(ctx, record, ids);
  assertMayExport(ctx, rows);
  const identifiers = await identifyRecords(ctx, rows);
  await identifyOutside(ctx, rows, identifiers);
  const collections = [...rows]
    .filter(([, of]) => of.size > 0)
    .sort(([a], [b]) => byText(a.name, b.name))
    .map(([of, found]) => collectionXml(ctx, of, found, identifiers));
  return `${XML_DECLARATION}<${ROOT} FormatVersion="${FORMAT_VERSION}">\n${collections.join('')}</${ROOT}>\n`;
}

/** Throws NO_PERMISSION unless the caller may export every record type of the document, as an import requires. */
function assertMayExport(ctx: Context, rows: ReadonlyMap<RecordType, ReadonlyMap<number, Row>>): void {
  if (ctx.authority !== 'checked') return;
  for (const [record, { size }] of rows) {
    const name = ctx.registry.find(record.module, 'export')?.operation.permissionName;
    if (size > 0 && (name === undefined || !ctx.user.permissions.has(name)))
      throw new PlatformError('NO_PERMISSION', {
        message:
          `The permission ${name ?? `${record.name}Export`} is not granted to you; ` +
          `the export contains ${record.name} records.`,
      });
  }
}

/** Rows to load: those whose column `by` is one of the ids, or all. */
interface LoadRequest {
  readonly record: RecordType;
  readonly by: string;
  readonly ids: readonly number[] | undefined;
}

/** Loads records, following references and children until nothing new is found. */
async function collect(
  ctx: Context,
  record: RecordType,
  ids: readonly number[] | undefined,
): Promise<Map<RecordType, Map<number, Row>>> {
  const found = new Map<RecordType, Map<number, Row>>();
  const requests: LoadRequest[] = [{ record, by: idOf(record), ids }];
  let count = 0;
  for (let request = requests.shift(); request; request = requests.shift()) {
    const type = request.record;
    const known = found.get(type) ?? new Map<number, Row>();
    found.set(type, known);
    const fresh = (await load(ctx, request)).filter((row) => !known.has(recordId(type, row)));
    for (const row of fresh) known.set(recordId(type, row), row);
    count += fresh.length;
    if (count > TRANSFER_RECORDS_MAX)
      throw new PlatformError('TOO_LARGE', {
        field: 'ID',
        message: `ID: an export has at most ${TRANSFER_RECORDS_MAX} records; send fewer ids.`,
      });
    if (fresh.length > 0) requests.push(...references(ctx, type, fresh), ...children(ctx, type, fresh));
  }
  return found;
}

async function load(ctx: Context, { record, by, ids }: LoadRequest): Promise<Row[]> {
  const where = ids ? ` where ${by} = any($1::bigint[])` : '';
  const rows = await ctx.db.query(
    `select ${selectListOf(record)} from ${fromOf(record)}${where}
     order by ${idOf(record)} limit ${TRANSFER_RECORDS_MAX + 1}`,
    ids ? [arrayLiteral(ids)] : [],
  );
  return rows.filter((row) => record.withheld?.(row, ctx.registry.settings) !== true);
}

function references(ctx: Context, record: RecordType, rows: readonly Row[]): LoadRequest[] {
  return referencesByTarget(ctx, record, rows).flatMap(({ target, follows, ids }) =>
    follows ? [{ record: target, by: idOf(target), ids }] : [],
  );
}

/** Returns what rows point to, by type. */
function referencesByTarget(
  ctx: Context,
  record: RecordType,
  rows: readonly Row[],
): { readonly target: RecordType; readonly follows: boolean; readonly ids: number[] }[] {
  return [...transferColumns(ctx.registry, record).values()].flatMap((column) => {
    return [...rowsByTarget(column, rows)].flatMap(([named, of]) => {
      const to = referenceTarget(ctx.registry, column, named);
      const ids = to ? idsIn(of, column.column.name) : [];
      return to && ids.length > 0 ? [{ ...to, ids }] : [];
    });
  });
}

/** Groups rows by the record type that they name for a reference. A reference to one type has one group. */
function rowsByTarget(column: TransferColumn, rows: readonly Row[]): ReadonlyMap<unknown, readonly Row[]> {
  const { targetBy } = column;
  if (targetBy) return Map.groupBy(rows, (row) => row[targetBy.name]);
  return new Map(isReference(column) ? [[undefined, rows]] : []);
}

function idsIn(rows: Iterable<Row>, name: string): number[] {
  return [...new Set([...rows].map((row) => row[name]).filter((id) => typeof id === 'number'))];
}

function children(ctx: Context, record: RecordType, rows: readonly Row[]): LoadRequest[] {
  const ids = rows.map((row) => recordId(record, row));
  return [...ctx.registry.collections(record).values()].flatMap((collection) => {
    const child = ctx.registry.requireRecord(collection.record, collection.name);
    return collection.by === 'Object' || transferKeyOf(child) === undefined
      ? []
      : [{ record: child, by: `${child.table}.${collection.by.toLowerCase()}`, ids }];
  });
}

/**
 * Gives external IDs to records that configuration points to but that are not configuration, such as contacts. Only the
 * ID is exported.
 */
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
        const propose = (): string => `${concrete.name}-${randomUUID()}`;
        await completeIdentifiers(ctx, { record: concrete, ids: [id], propose }, identifiers);
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
        byText(valueText(a.row[record.name] ?? ''), valueText(b.row[record.name] ?? '')) ||
        byText(a.identifier, b.identifier),
    );
  const item = ({ identifier, row }: { identifier: string; row: Row }): string => {
    const fields = columns.map((column) => `      ${fieldXml(ctx, { record, column, row }, identifiers)}\n`);
    const start = `    <${record.name}Item SubscriberID="${escapeAttribute(identifier)}">\n`;
    return `${start}${fields.join('')}    </${record.name}Item>\n`;
  };
  return `  <${record.name}Collection>\n${items.map(item).join('')}  </${record.name}Collection>\n`;
}

/** One field of a row. */
interface ExportedField {
  readonly record: RecordType;
  readonly column: TransferColumn;
  readonly row: Row;
}

/** Returns one field as XML. An empty field is written too, so that an import empties it. */
function fieldXml(ctx: Context, { record, column: field, row }: ExportedField, identifiers: ExternalIds): string {
  const { name, column, targetBy } = field;
  const value = row[column.name] ?? null;
  const target = referenceTarget(ctx.registry, field, row[targetBy?.name ?? ''])?.target;
  if (value === null || (targetBy && !target)) return `<${name}/>`;
  const text = target ? (identifiers.get(target, Number(value)) ?? '') : canonicalText(value);
  const escaped = escapeText(text);
  // Escaping replaces characters that XML cannot carry: an import would store something other than was exported.
  if (escaped.split('\ufffd').length !== text.split('\ufffd').length) {
    throw new PlatformError('STATE_REFUSES', {
      field: column.name,
      message:
        `${column.name}: the ${record.name} ${String(row[record.idField])} has a control character here, ` +
        'which XML cannot carry. Remove it first.',
    });
  }
  return `<${name}>${escaped}</${name}>`;
}

function canonicalText(value: unknown): string {
  return typeof value === 'object' ? canonicalJson(value) : valueText(value);
}

/** Returns JSON with the members of objects sorted by name. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => byText(a, b)))
      : member,
  );
}
