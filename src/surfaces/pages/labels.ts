import type { Row } from '../../kernel/door/answer.ts';
import type { Field } from '../../kernel/declare/field-types.ts';
import type { PageCall } from './page-call.ts';

/** The labels of records that a page mentions, by record type and id. */
export type Labels = ReadonlyMap<string, ReadonlyMap<number, string>>;

/** The most ids of one type that one page looks up; the others are shown by their number. */
const LABELS_MAX = 200;

/** Rows with the columns that they are shown in. */
export interface DisplayedRows {
  readonly columns: readonly { readonly name: string; readonly field: Field }[];
  readonly rows: readonly Row[];
}

/** Looks up the labels of everything that some rows point to, with one search for each record type. */
export async function loadLabels(call: PageCall, tables: readonly DisplayedRows[]): Promise<Labels> {
  const wanted = new Map<string, Set<number>>();
  const want = (type: string, id: unknown): void => {
    if (typeof id !== 'number' || id <= 0) return;
    const record = call.platform.registry.record(type);
    if (!record || !call.may(`${record.module}/search`)) return;
    const ids = wanted.get(record.name) ?? new Set<number>();
    wanted.set(record.name, ids.size < LABELS_MAX ? ids.add(id) : ids);
  };
  for (const { columns, rows } of tables) {
    for (const { name, field } of columns)
      if (field.kind === 'id' && field.to !== undefined) for (const row of rows) want(field.to, row[name]);
    for (const row of rows) if (typeof row['Object'] === 'string') want(row['Object'], row['ObjectID']);
  }
  const found = await Promise.all(
    [...wanted].map(async ([name, ids]) => [name, await loadLabelsOfType(call, name, ids)] as const),
  );
  return new Map(found);
}

async function loadLabelsOfType(
  call: PageCall,
  name: string,
  ids: ReadonlySet<number>,
): Promise<ReadonlyMap<number, string>> {
  const record = call.platform.registry.requireRecord(name, 'Object');
  const { answer } = await call.call(`${record.module}/search`, {
    ID: [...ids].join(','),
    SqlColumns: `${record.idField},${record.name}`,
    RecordCount: 'false',
    DisplaySize: String(LABELS_MAX),
  });
  const rows = answer.kind === 'list' ? (answer.rows as readonly Row[]) : [];
  return new Map(rows.map((row) => [Number(row[record.idField]), String(row[record.name] ?? '')]));
}
