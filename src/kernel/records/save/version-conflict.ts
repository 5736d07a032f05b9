import { recordId, versionOf, type Row } from '../../door/answer.ts';
import { PlatformError } from '../../door/errors.ts';
import type { Column, RecordType } from '../../declare/record.ts';
import type { Values } from '../../declare/values.ts';
import { parseDecimal } from '../../parameters/parse-value.ts';
import { valueText } from '../../parameters/value-text.ts';

/**
 * Whether storing `sent` would change a column that holds `current`. Amounts are equal whatever their trailing zeros.
 * False for columns that cannot be compared: secrets and protected numbers.
 */
export function differs(column: Column, current: unknown, sent: unknown): boolean {
  if (column.read === null || column.field.kind === 'ssn') return false;
  const [before, after] = [current ?? null, sent ?? null];
  return before === null || after === null
    ? before !== after
    : canonicalText(column, before) !== canonicalText(column, after);
}

function canonicalText(column: Column, value: unknown): string {
  const text = valueText(value);
  const isDecimal = column.field.kind === 'money' || column.field.kind === 'decimal';
  return isDecimal ? parseDecimal(text, column.name, 18) : text;
}

/** Returns the refusal of a change to an older version of a record, naming the fields that the change would alter. */
export function versionConflict(
  record: RecordType,
  current: Row,
  values: Values,
  version: number | undefined,
): PlatformError {
  const shown = new Map(record.shown.map((c) => [`${c.table}.${c.column}`, c]));
  const differing = Object.entries(values).flatMap(([name, value]) => {
    const stored = record.valueColumns.get(name);
    const column = stored && shown.get(`${stored.table}.${stored.column}`);
    return column && differs(column, current[column.name], value) ? [column.name] : [];
  });
  const [id, now] = [recordId(record, current), versionOf(current)];
  return new PlatformError('VERSION_CONFLICT', {
    field: 'Version',
    message: `${record.name} ${id} is at version ${now}, not ${version}. Read it again and repeat the change.`,
    details: { Version: now, Fields: differing },
  });
}
