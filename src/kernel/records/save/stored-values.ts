import type { Row } from '../../door/answer.ts';
import type { Context } from '../../door/context.ts';
import { CUSTOM_COLUMN } from '../../declare/custom-field.ts';
import { PlatformError } from '../../door/errors.ts';
import type { Column, RecordType } from '../../declare/record.ts';
import { removeValue, valueAfter, type Values } from '../../declare/values.ts';
import { protect } from './protect.ts';

/** Returns the physical values by `table.column`. Seals protected numbers. */
export function storedValues(ctx: Context, record: RecordType, values: Values): Map<string, unknown> {
  const stored = new Map<string, unknown>();
  const custom: Record<string, unknown> = {};
  for (const name in values) {
    const value = values[name];
    const column = record.valueColumns.get(name);
    if (!column) throw new Error(`${record.name} has no column ${name}`);
    if (column.custom) custom[column.custom.member] = value;
    else if (column.field.kind === 'ssn')
      for (const [key, v] of protect(ctx.cipher, column, value as string | null)) stored.set(key, v);
    else
      stored.set(
        `${column.table}.${column.column}`,
        column.field.kind === 'json' && value !== null ? JSON.stringify(value) : value,
      );
  }
  if (Object.keys(custom).length > 0) stored.set(`${record.root.table}.${CUSTOM_COLUMN}`, JSON.stringify(custom));
  return stored;
}

/** Returns the physical values of a new row by `table.column`, with its label, defaults and tracking columns. */
export function storedForInsert(ctx: Context, record: RecordType, values: Values): Map<string, unknown> {
  const all = { ...values };
  deriveLabel(record, all, {});
  for (const [name, column] of record.valueColumns) {
    if (column.field.default !== undefined && all[name] === undefined) all[name] = column.field.default;
    if (!column.custom || (all[name] ?? null) !== null) continue;
    // A new row has no member for an empty custom field; an update sends the null that removes an old one.
    removeValue(all, name);
    requireCustomValue(column);
  }
  const stored = storedValues(ctx, record, all);
  const { table } = record.root;
  const now = ctx.clock.now();
  return stored
    .set(`${table}.createddate`, now)
    .set(`${table}.createdpersonid`, ctx.user.personId)
    .set(`${table}.updateddate`, now)
    .set(`${table}.updatedpersonid`, ctx.user.personId)
    .set(`${table}.version`, 1);
}

/**
 * Throws MISSING_PARAMETER where a custom field is required. Declared columns have a constraint in the database
 * instead.
 */
export function requireCustomValue({ name, field }: Column): void {
  if (!field.required) return;
  const isDocumented = field.doc !== '' && field.doc !== `${name}.`;
  throw new PlatformError('MISSING_PARAMETER', {
    field: name,
    message: isDocumented ? `${name} is required. ${field.doc}` : `${name} is required.`,
  });
}

/** The longest label, in code points. */
const LABEL_CHARACTERS_MAX = 255;

/** Sets the label of a record type that derives it from other columns; columns that are not sent come from `before`. */
export function deriveLabel(record: RecordType, values: Values, before: Row): void {
  const { label, root } = record;
  if (!label) return;
  const row: Record<string, unknown> = {};
  for (const name of label.from) row[name] = valueAfter(values, before, name);
  const text = label.by(row);
  // By code points: cutting by UTF-16 units could leave half of a surrogate pair.
  values[root.name] = text === null ? null : Array.from(text).slice(0, LABEL_CHARACTERS_MAX).join('');
}
