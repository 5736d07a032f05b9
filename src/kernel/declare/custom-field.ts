import type { Field } from './field-types.ts';
import { trackingNames, type Column, type CustomValue, type RecordType } from './record.ts';
import { isA, type Registry } from './registry.ts';

/** A field that an installation has added to a record type. */
export interface CustomField {
  readonly id: number;
  /** The name on the wire, like that of a declared column. */
  readonly name: string;
  /** The record type; those that derive from it have the field too. */
  readonly appliesTo: string;
  /** The member of the stored document that holds its values: the name that the field was made under. */
  readonly member: string;
  readonly field: Field;
}

/** The column that holds the values of all custom fields of a record, in the table that hands out its id. */
export const CUSTOM_COLUMN = 'custom';

/**
 * Whether records of a type can have custom fields: those that firms reach and whose history is kept. Configuration and logs
 * are the platform's own.
 */
export function allowsCustomFields(record: RecordType): boolean {
  const { history, reach } = record.root;
  return history !== false && (reach === 'one' || reach === 'many');
}

/**
 * The record types of an installation with its custom fields as columns, in a registry of their own. Types that no field applies
 * to are the very same objects, so that what is remembered of them stays. Where no field is left the registry is the declared one.
 *
 * @param hidden is told of a field that cannot be: its type is not there, or a declared column has its name. The column wins, so
 * that a later version of the platform may declare what an installation has added for itself.
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

/** A record type with more columns; they stand before those of who and when. */
function withCustomColumns(
  record: RecordType,
  base: RecordType | undefined,
  fields: readonly CustomField[],
): RecordType {
  if (fields.length === 0 && base === record.base) return record;
  const added = fields.map((field) => columnOf(record, field));
  const last = record.shown.findIndex(({ name }) => trackingNames.has(name));
  const type = {
    ...record,
    ...(base ? { base } : {}),
    columns: new Map([...record.columns, ...added.map((column) => [column.name.toLowerCase(), column] as const)]),
    shown: record.shown.toSpliced(last < 0 ? record.shown.length : last, 0, ...added),
  };
  return Object.assign(type, { root: base?.root ?? (type as RecordType) });
}

function columnOf(record: RecordType, { name, member, field }: CustomField): Column {
  const { table } = record.root;
  const stored = `${table}.${CUSTOM_COLUMN} ->> '${member.replaceAll("'", "''")}'`;
  const { read, ...value } = valueOf(field, stored);
  return { name, field, table, column: `${CUSTOM_COLUMN}.${member}`, read, custom: { member, ...value } };
}

/** How a stored value is read and compared. Days and instants are texts of one length, which sort as they follow one another. */
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
