import type { Row } from '../../../../kernel/door/answer.ts';
import type { Parameters } from '../../../../kernel/parameters/parameters.ts';
import { bad, type RawValue } from '../../../../kernel/parameters/parse-value.ts';
import type { RecordType } from '../../../../kernel/declare/record.ts';
import { answersIn } from '../../../../lib/answers/answer-document.ts';
import type { SubmittedInputs } from './submitted-inputs.ts';
import { wireName, type Input } from './table.ts';

/** A record as a rule set sees it. */
export interface Subject {
  readonly record: RecordType;
  readonly id: number;
  readonly row: Row;
}

/**
 * Returns the inputs from the record and the call, by lower-cased name. Submitted values win; protected numbers are
 * never included.
 */
export function availableInputs({ record, row }: Subject, sent: Parameters): ReadonlyMap<string, RawValue> {
  const values = new Map<string, RawValue>();
  if (record.answers !== undefined)
    for (const [name, text] of answersIn(record, (row[record.answers] ?? null) as string | null))
      values.set(name.toLowerCase(), text);
  const shown = new Map(record.shown.map((column) => [`${column.table}.${column.column}`, column]));
  for (const [name, column] of record.columns) {
    const own = shown.get(`${column.table}.${column.column}`);
    if (own && own.field.kind !== 'ssn' && (row[own.name] ?? null) !== null) values.set(name, textOf(row[own.name]));
  }
  if (!record.columns.has('id')) values.set('id', String(row[record.idField]));
  for (const [name, value] of Object.entries(sent)) values.set(name.toLowerCase(), value);
  return values;
}

/** Returns a value as text, in its wire form. */
export function textOf(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}

/** Returns those inputs that a record's own fields and the submitted values supply. */
export function fieldInputs(inputs: ReadonlyMap<string, Input>, subject: Subject, sent: Parameters): SubmittedInputs {
  const values = availableInputs(subject, sent);
  const found = new Map<string, { name: string; text: string }>();
  for (const [wire, { name }] of inputs) {
    const value = values.get(wire);
    if (typeof value === 'object' && value !== null) throw bad(wireName(name), 'one value, not a list');
    if (value !== undefined)
      found.set(wire, { name: wireName(name), text: value === null ? '' : textOf(value).trim() });
  }
  return found;
}
