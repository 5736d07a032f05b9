import type { RecordName, RowNamed } from '../../kernel/declare/catalog.ts';
import { recordId, type Row } from '../../kernel/door/answer.ts';
import type { Field } from '../../kernel/declare/field-types.ts';
import type { PageCall } from './page-call.ts';
import { columnText } from './plain-text.ts';

/** Labels of the records that a page mentions, by record type and id. */
export type Labels = ReadonlyMap<string, ReadonlyMap<number, string>>;

/** Most ids of one record type that a page looks up; it shows the others by their number. */
const LABELS_MAX = 200;

/** Rows with the columns in which a page shows them. */
export interface DisplayedRows {
  readonly columns: readonly { readonly name: string; readonly field: Field }[];
  readonly rows: readonly Row[];
}

/** Returns rows for {@link loadLabels}. `columns`: those that refer to records, each with their type. */
export function referencesOf<R extends Row>(
  rows: readonly R[],
  ...columns: readonly (readonly [name: keyof R & string, to: RecordName])[]
): DisplayedRows {
  return {
    columns: columns.map(([name, to]) => ({ name, field: { kind: 'id', classification: 'public', doc: '', to } })),
    rows,
  };
}

/** Loads the labels of all records that some rows refer to, with one search for each record type. */
export async function loadLabels(call: PageCall, tables: readonly DisplayedRows[]): Promise<Labels> {
  const idsByType = new Map<string, Set<number>>();
  const add = (type: string, id: unknown): void => {
    if (typeof id !== 'number' || id <= 0) return;
    const record = call.platform.registry.record(type);
    if (!record || !call.mayOf(record, 'search')) return;
    const ids = idsByType.get(record.name) ?? new Set<number>();
    idsByType.set(record.name, ids.size < LABELS_MAX ? ids.add(id) : ids);
  };
  for (const { columns, rows } of tables) {
    for (const { name, field } of columns)
      if (field.kind === 'id' && field.to !== undefined) for (const row of rows) add(field.to, row[name]);
    // Rows of any type: those of children name their parent.
    for (const row of rows) if (typeof row['Object'] === 'string') add(row['Object'], row['ObjectID']);
  }
  return new Map(
    await Promise.all(
      [...idsByType].map(async ([name, ids]) => [name, await loadLabelsOfType(call, name, ids)] as const),
    ),
  );
}

async function loadLabelsOfType(
  call: PageCall,
  name: string,
  ids: ReadonlySet<number>,
): Promise<ReadonlyMap<number, string>> {
  const record = call.platform.registry.requireRecord(name, 'Object');
  const isUser = record.name === 'Person';
  const { answer } = await call.callOf(record, 'search', {
    ID: [...ids].join(','),
    SqlColumns: [record.idField, record.name, ...(isUser ? ['FirstName', 'LastName'] : [])].join(','),
    RecordCount: 'false',
    DisplaySize: LABELS_MAX,
  });
  return new Map(
    answer.rows.map((row) => [recordId(record, row), (isUser && fullName(row)) || columnText(row, record.name)]),
  );
}

/** Returns the name of a user; empty where only their sign-in name is known. */
function fullName(row: Row): string {
  const { FirstName: first, LastName: last } = row as Partial<RowNamed<'Person'>>;
  return [first, last].filter(Boolean).join(' ');
}
