import { isConfiguration, trackingNames, type Column, type RecordType } from '../declare/record.ts';
import type { Registry } from '../declare/registry.ts';
import { fromOf, idOf } from '../database/sql.ts';
import { arrayLiteral, type Db } from '../database/store.ts';

/** A record by the table that assigns its id, whatever its concrete type. */
export interface RecordKey {
  readonly table: string;
  readonly id: number;
}

/** A column, or a pair of columns, of a table that refers to another record. */
interface Reference {
  /** The physical column of the id. */
  readonly id: string;
  /** The physical column with the type's name, where the type differs from row to row. */
  readonly type?: string;
  /** The table that the id belongs to, otherwise. */
  readonly table?: string;
  /** Whether the row is shown as a part of that record. */
  readonly isOwner: boolean;
}

const referencesByType = new WeakMap<RecordType, readonly Reference[]>();

/** Returns the references of a record type's root table, without those to configuration and to who changed the row. */
function referencesIn(registry: Registry, record: RecordType): readonly Reference[] {
  let known = referencesByType.get(record);
  if (!known) {
    const columns = [...record.valueColumns.values()].filter(
      (column) => column.table === record.table && !column.custom && !trackingNames.has(column.name),
    );
    known = columns.flatMap((column) => referenceIn(registry, record, column) ?? []);
    referencesByType.set(record, known);
  }
  return known;
}

function referenceIn(registry: Registry, record: RecordType, column: Column): Reference | undefined {
  if (column.field.kind !== 'id' || column.column === `${record.table}id`) return undefined;
  const type = /object$/.exec(column.column.slice(0, -'id'.length)) && column.column.slice(0, -'id'.length);
  if (type !== null && record.columns.has(type)) return { id: column.column, type, isOwner: type === 'object' };
  const target = column.field.to === undefined ? undefined : registry.record(column.field.to);
  if (!target || isConfiguration(target)) return undefined;
  return { id: column.column, table: target.root.table, isOwner: column.name in (record.collections ?? {}) };
}

/** A record that a row refers to. */
export interface ReferencedRecord extends RecordKey {
  /** Whether the row is a part of that record. */
  readonly isOwner: boolean;
}

/** Returns the records that a row refers to. */
export function referencedBy(registry: Registry, record: RecordType, row: ReferenceColumns): ReferencedRecord[] {
  return referencesIn(registry, record.root).flatMap(({ id: column, type, table: fixed, isOwner }) => {
    const id = Number(row[column] ?? 0);
    const table = type === undefined ? fixed : registry.record(textOf(row[type]))?.root.table;
    return id > 0 && table !== undefined ? [{ table, id, isOwner }] : [];
  });
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The columns of a row that refer to other records, by their physical names. */
export type ReferenceColumns = Readonly<Record<string, unknown>>;

/** Returns the reference columns of rows of a type, by id. Reads past row security. */
export async function readReferences(
  db: Db,
  registry: Registry,
  record: RecordType,
  ids: readonly number[],
): Promise<ReadonlyMap<number, ReferenceColumns>> {
  const { root } = record;
  const references = referencesIn(registry, root);
  if (references.length === 0 || ids.length === 0) return new Map();
  const columns = references.flatMap(({ id, type }) => (type === undefined ? [id] : [id, type]));
  const rows = await db.query<{ readonly row_id: number } & ReferenceColumns>(
    `select ${idOf(root)} as row_id, ${columns.map((column) => `${root.table}.${column}`).join(', ')}
     from ${fromOf(root)} where ${idOf(root)} = any($1::bigint[])`,
    [arrayLiteral(ids)],
  );
  return new Map(rows.map((row) => [row.row_id, row]));
}
