/**
 * Which nine-digit values of a preview are shown. A cell may contain a Social Security number in any column, so all are
 * masked except those that identify a record which the caller sees: its answers show them anyway.
 */
import type { ImportTemplate } from '../../../../contracts/import-engine.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import type { Column, RecordType } from '../../../../kernel/declare/record.ts';
import { DISPLAY_SIZE_MAX, searchRecords } from '../../../../kernel/records/search/search.ts';
import { maskNumbers } from '../../../../kernel/security/mask.ts';

type Values = Readonly<Record<string, string>>;

/** Returns the value of a cell or parameter as a preview shows it, by the name of its column or destination. */
export type ShowValue = (name: string, value: string) => string;

const NINE_DIGITS = /^\d{9}$/;

/** Returns how a preview of these rows shows its values. */
export async function previewValues(
  ctx: Context,
  template: ImportTemplate,
  rows: readonly Values[],
): Promise<ShowValue> {
  const record = template.appliesTo === undefined ? undefined : ctx.registry.record(template.appliesTo);
  const known = new Set<string>();
  for (const column of record ? identifyingColumns(record) : [])
    for (const value of await storedAmong(ctx, record, column, valuesOf(template, column, rows)))
      known.add(`${column.column} ${value}`);
  return (name, value) => {
    const column = record?.columns.get(destinationOf(template, name));
    return column && known.has(`${column.column} ${value.trim()}`) ? value : maskNumbers(value);
  };
}

/** Returns the columns by which people find such records: the label, and those that have an index for it. */
function identifyingColumns({ name, findBy = [], columns }: RecordType): readonly Column[] {
  return [name, ...findBy]
    .flatMap((each) => columns.get(each.toLowerCase()) ?? [])
    .filter(({ field }) => field.kind === 'text' && field.classification === 'public' && field.computed !== true);
}

/** Returns the lower-cased destination of a source column; a destination is its own. */
function destinationOf({ maps }: ImportTemplate, name: string): string {
  const lower = name.trim().toLowerCase();
  const map = maps.find(({ source, type }) => type !== 'Ignore' && source.trim().toLowerCase() === lower);
  return (map?.destination ?? lower).toLowerCase();
}

function valuesOf(template: ImportTemplate, { column }: Column, rows: readonly Values[]): readonly string[] {
  const values = rows.flatMap((row) =>
    Object.entries(row).flatMap(([name, value]) =>
      NINE_DIGITS.test(value.trim()) && destinationOf(template, name) === column ? [value.trim()] : [],
    ),
  );
  return [...new Set(values)];
}

/** Returns those values that the column of a visible record has. */
async function storedAmong(
  ctx: Context,
  record: RecordType | undefined,
  { name }: Column,
  values: readonly string[],
): Promise<readonly string[]> {
  if (!record || values.length === 0) return [];
  const paging = { SqlColumns: [name], DisplaySize: DISPLAY_SIZE_MAX, RecordCount: false };
  const { rows } = await searchRecords(ctx, record, { [name]: values }, paging);
  return rows.map((row) => String(row[name]));
}
