import type { Row } from '../../door/answer.ts';
import type { RecordType } from '../../declare/record.ts';
import type { SetStatement } from '../../database/combined-call.ts';
import { hasRecordClass, insertText, selectListOf, storedColumns } from '../../database/sql.ts';

/** The physical values of a new row by `table.column`. */
type StoredRow = ReadonlyMap<string, unknown>;

const statements = new WeakMap<RecordType, SetStatement<StoredRow, Row>>();

/**
 * Returns the statement that inserts rows of a record type, always the same one. Ids, and the rows returned, follow the
 * order of the rows sent. Several rows at once only for record types in one table.
 */
export function insertStatement<R extends RecordType>(record: R): SetStatement<StoredRow, Row<R>> {
  let statement = statements.get(record);
  if (!statement) {
    const one = insertText(record);
    const many = record.base === undefined ? insertManyText(record) : undefined;
    statement = async (db, rows) => {
      const [row] = rows;
      if (row && rows.length === 1)
        return db.query<Row>(
          one.text,
          one.keys.map((key) => row.get(key) ?? null),
        );
      if (!many) throw new Error(`several rows of ${record.name} cannot be inserted by one statement`);
      return db.query<Row>(many.text, [JSON.stringify(rows.map((stored, n) => jsonRow(many, stored, n)))]);
    };
    statements.set(record, statement);
  }
  // The select list of both texts is that of the record type.
  return statement as SetStatement<StoredRow, Row<R>>;
}

interface InsertManyText {
  readonly text: string;
  /** Column names with the keys of their values, and their SQL types. */
  readonly keys: readonly { readonly name: string; readonly key: string; readonly type: string }[];
}

/** Returns one text for any number of rows, so that it is prepared once. */
function insertManyText(record: RecordType): InsertManyText {
  const { table } = record;
  const columns = storedColumns(record).get(table) ?? [];
  const className = hasRecordClass(record)
    ? { names: ', recordclass', values: `, '${record.name}'` }
    : { names: '', values: '' };
  const names = columns.map((c) => c.column).join(', ');
  const definitions = columns.map((c) => `${c.column} ${c.type}`).join(', ');
  const values = columns.map((c) => `r.${c.column}`).join(', ');
  return {
    text: `with ${table} as (
        insert into public.${table} (${names}${className.names}) select ${values}${className.values}
        from jsonb_to_recordset($1::text::jsonb) as r (n integer, ${definitions}) order by r.n returning *)
      select ${selectListOf(record)} from ${table} order by ${table}.${table}id`,
    keys: columns.map((c) => ({ name: c.column, key: `${c.table}.${c.column}`, type: c.type })),
  };
}

function jsonRow({ keys }: InsertManyText, stored: StoredRow, n: number): Record<string, unknown> {
  const row: Record<string, unknown> = { n };
  for (const { name, key, type } of keys) {
    const value = toJsonValue(stored.get(key), type);
    // An absent member is null as well.
    if (value !== null) row[name] = value;
  }
  return row;
}

/**
 * Returns a value in the form that PostgreSQL reads from JSON: bytes as hexadecimal, JSON documents as their content.
 */
function toJsonValue(value: unknown, type: string): unknown {
  if (type === 'jsonb' && typeof value === 'string') return JSON.parse(value) as unknown;
  return value instanceof Uint8Array ? `\\x${Buffer.from(value).toString('hex')}` : (value ?? null);
}
