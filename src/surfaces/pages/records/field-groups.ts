import type { Column, RecordType } from '../../../kernel/declare/record.ts';

/** Fields of a record that people read together. */
export interface FieldGroup {
  readonly id: 'details' | 'related' | 'dates' | 'amounts' | 'texts' | 'record';
  readonly title: string;
  readonly columns: readonly Column[];
}

/** A text field takes one line up to this length, and several lines above it. */
const SINGLE_LINE_CHARACTERS_MAX = 255;

/** The titles of groups in the order in which they are shown. */
const titles: readonly (readonly [FieldGroup['id'], string])[] = [
  ['details', 'Details'],
  ['related', 'Related records'],
  ['dates', 'Dates'],
  ['amounts', 'Amounts'],
  ['texts', 'Texts'],
  ['record', 'Record'],
];

const recordColumns: ReadonlySet<string> = new Set([
  'CreatedDate',
  'CreatedPersonID',
  'UpdatedDate',
  'UpdatedPersonID',
  'Version',
]);

/** Whether a column holds texts of several lines. */
export function isLong({ field }: Column): boolean {
  return (
    field.kind === 'xml' ||
    field.kind === 'json' ||
    (field.kind === 'text' &&
      field.classification !== 'secret' &&
      !field.values &&
      (field.max ?? Number.MAX_SAFE_INTEGER) > SINGLE_LINE_CHARACTERS_MAX)
  );
}

/** Returns columns in groups by what they are: references, dates, amounts … Groups without columns are left out. */
export function fieldGroups(record: RecordType, columns: readonly Column[]): readonly FieldGroup[] {
  const of = Map.groupBy(columns, (column) => groupOf(record, column));
  return titles.flatMap(([id, title]) => {
    const own = of.get(id) ?? [];
    return own.length === 0 ? [] : [{ id, title, columns: own }];
  });
}

function groupOf({ idField }: RecordType, column: Column): FieldGroup['id'] {
  const { name, field } = column;
  if (recordColumns.has(name) || name === idField) return 'record';
  if (isLong(column)) return 'texts';
  switch (field.kind) {
    case 'id':
      return 'related';
    case 'date':
    case 'timestamp':
      return 'dates';
    case 'money':
    case 'decimal':
      return 'amounts';
    default:
      return 'details';
  }
}
