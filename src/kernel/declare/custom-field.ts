import type { Field } from './field-types.ts';
import { trackingNames, valueColumnsOf, type Column, type CustomValue, type RecordType } from './record.ts';
import { isA, type Registry } from './registry.ts';

/** A field that an installation has added to a record type. */
export interface CustomField {
  readonly id: number;
  /** The name on the wire, like a declared column's. */
  readonly name: string;
  /** The record type; derived types have the field too. */
  readonly appliesTo: string;
  /** Key of its values in the stored JSON document: the name under which the field was created. */
  readonly member: string;
  readonly field: Field;
}

/** The column that holds all custom values of a record, in the table that assigns its id. */
export const CUSTOM_COLUMN = 'custom';

/**
 * Whether a record type may have custom fields: firms can reach it and its history is kept. Configuration and logs may
 * not.
 */
export function allowsCustomFields(record: RecordType): boolean {
  const { history, reach } = record.root;
  return history !== false && (reach === 'one' || reach === 'many');
}

/**
 * Returns a registry whose record types have an installation's custom fields as columns. Types without such fields stay
 * the same objects, so that caches keyed by them stay valid. Returns the declared registry if no field is usable.
 *
 * @param hidden Called for each unusable field: its record type does not exist, or a declared column has its name. The
 * declared column wins, so that a later version of the platform may declare what an installation has added for itself.
 */
export function withCustomFields(
  declared: Registry,
  fields: readonly CustomField[],
  hidden: (field: CustomField) => void,
): Registry {
  const taken = new Set<string>();
  const usable = fields.filter((field) => {
    const record = declared.record(field.appliesTo);
    const name = field.name.toLowerCase();
    const family = record !== undefined && allowsCustomFields(record) ? declared.family(record) : [];
    const isFree = family.length > 0 && family.every((of) => !of.columns.has(name) && !taken.has(`${of.name} ${name}`));
    if (isFree) for (const of of family) taken.add(`${of.name} ${name}`);
    else hidden(field);
    return isFree;
  });
  if (usable.length === 0) return declared;
  const made = new Map<RecordType, RecordType>();
  const custom = (record: RecordType): RecordType => {
    let known = made.get(record);
    if (!known)
      made.set(
        record,
        (known = withCustomColumns(
          record,
          record.base && custom(record.base),
          usable.filter(({ appliesTo }) => isNamed(declared, record, appliesTo)),
        )),
      );
    return known;
  };
  return declared.withRecords(declared.records().map(custom));
}

function isNamed(declared: Registry, record: RecordType, name: string): boolean {
  const of = declared.record(name);
  return of !== undefined && isA(record, of);
}

/** Returns a record type with additional columns, placed before the tracking columns. */
function withCustomColumns(
  record: RecordType,
  base: RecordType | undefined,
  fields: readonly CustomField[],
): RecordType {
  if (fields.length === 0 && base === record.base) return record;
  const added = fields.map((field) => columnOf(record, field));
  const last = record.shown.findIndex(({ name }) => trackingNames.has(name));
  const columns = new Map([...record.columns, ...added.map((column) => [column.name.toLowerCase(), column] as const)]);
  const type = {
    ...record,
    ...(base ? { base } : {}),
    columns,
    valueColumns: valueColumnsOf(columns),
    shown: record.shown.toSpliced(last < 0 ? record.shown.length : last, 0, ...added),
  };
  return Object.assign(type, { root: base?.root ?? (type as RecordType) });
}

function columnOf(record: RecordType, { name, member, field }: CustomField): Column {
  const { table } = record.root;
  const stored = `${table}.${CUSTOM_COLUMN} ->> '${member.replaceAll("'", "''")}'`;
  const { read, ...value } = valueOf(field, stored);
  return {
    name,
    valueName: name,
    field,
    table,
    column: `${CUSTOM_COLUMN}.${member}`,
    read,
    custom: { member, ...value },
  };
}

/**
 * Returns how a stored value is read and compared. Dates and instants are stored as texts of equal length that sort in
 * order of time.
 */
function valueOf(field: Field, stored: string): Omit<CustomValue, 'member'> & { readonly read: string } {
  const through = (
    how: string,
    type: string,
    collation = '',
  ): Omit<CustomValue, 'member'> & { readonly read: string } => {
    const read = `casewright_custom_${how}(${stored})`;
    return { read, value: `${read}${collation}`, type };
  };
  switch (field.kind) {
    case 'integer':
      return through('integer', 'integer');
    case 'decimal':
    case 'money':
      return through('number', 'numeric');
    case 'boolean':
      return through('boolean', 'boolean');
    case 'date':
      return through('date', 'text', ' collate "C"');
    case 'timestamp':
      return through('timestamp', 'text', ' collate "C"');
    default:
      return { read: `(${stored})`, value: `(${stored}) collate casewright_text`, type: 'text' };
  }
}
