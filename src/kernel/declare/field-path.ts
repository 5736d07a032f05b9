import { didYouMean, PlatformError } from '../door/errors.ts';
import type { Column, RecordType } from './record.ts';
import type { Registry } from './registry.ts';

/** Most references that a path follows. */
const REFERENCES_MAX = 3;

/** A declared field of a record, or of one that it refers to: `Loan.Property.County`. */
export interface FieldPath {
  /** The path with the names as they are declared. */
  readonly path: string;
  /** The references that lead to the record of the field, in order. */
  readonly references: readonly Column[];
  /** The type of the record that has the field. */
  readonly record: RecordType;
  readonly column: Column;
}

/**
 * Parses a path from a record type to a field. Its parts are separated by dots; all but the last name references, with
 * or without `ID`. A reference at the end is itself the field.
 *
 * @throws BAD_PARAMETER that names the unknown part and the nearest fields; `field` is the parameter
 */
export function parseFieldPath(registry: Registry, from: RecordType, path: string, field: string): FieldPath {
  const parts = path.split('.').map((part) => part.trim());
  const references: Column[] = [];
  let record = from;
  for (const part of parts.slice(0, -1)) {
    const column = record.columns.get(`${part.toLowerCase()}id`) ?? record.columns.get(part.toLowerCase());
    const target = column?.field.to === undefined ? undefined : registry.record(column.field.to);
    if (!column || !target) throw unknownPart(record, { path, part, field }, referencesOf(record));
    references.push(column);
    record = target;
  }
  if (references.length > REFERENCES_MAX)
    throw new PlatformError('BAD_PARAMETER', {
      field,
      message: `${field}: "${path}" follows ${references.length} references; at most ${REFERENCES_MAX} are possible.`,
    });
  const last = parts.at(-1) ?? '';
  const column = shownColumn(record, last) ?? shownColumn(record, `${last}ID`);
  if (!column) throw unknownPart(record, { path, part: last, field }, fieldsOf(record));
  return { path: [...references.map(referenceName), column.name].join('.'), references, record, column };
}

/** Returns the name of a reference in a path: that of its column without `ID`. */
function referenceName({ name }: Column): string {
  return name.replace(/ID$/, '');
}

function shownColumn(record: RecordType, name: string): Column | undefined {
  const column = record.columns.get(name.toLowerCase());
  return column && record.shown.includes(column) ? column : undefined;
}

function referencesOf(record: RecordType): string[] {
  return record.shown.filter(({ field }) => field.to !== undefined).map(referenceName);
}

function fieldsOf(record: RecordType): string[] {
  return record.shown.map(({ name }) => name);
}

/** A part of a path that names nothing. */
interface UnknownPart {
  readonly path: string;
  readonly part: string;
  readonly field: string;
}

function unknownPart(record: RecordType, { path, part, field }: UnknownPart, known: readonly string[]): PlatformError {
  const where = part === path ? '' : ` in "${path}"`;
  return new PlatformError('BAD_PARAMETER', {
    field,
    message: `${field}: ${record.name} has no field "${part}"${where}.${didYouMean(part, known)}`,
  });
}
