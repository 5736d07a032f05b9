import type { Field } from '../../../../kernel/declare/field-types.ts';
import type { RecordType } from '../../../../kernel/declare/record.ts';
import { inlineHint } from '../../../../kernel/door/errors.ts';
import { CellSyntaxError, matchesCell, parseCell, type ParsedCell } from '../../../../lib/decision-tables/cell.ts';
import { parseInputValue, type InputType } from '../../../../lib/decision-tables/input-value.ts';
import { availableInputs, textOf, type Subject } from './record-fields.ts';

/** Most conditions of one matrix. */
const CONDITIONS_MAX = 50;

/** One condition on a field of a record. */
export interface Criterion {
  /** The lower-cased name of the field. */
  readonly field: string;
  readonly type: InputType;
  /** Whether the field must be empty or filled, or the cell that its value must match. */
  readonly test: 'empty' | 'filled' | ParsedCell;
}

/** A condition cannot be parsed. `expected` completes a sentence after "expected". */
export class CriteriaError extends Error {
  readonly expected: string;
  constructor(expected: string) {
    super(`expected ${expected}`);
    this.expected = expected;
  }
}

/**
 * Parses conditions, one per line: `LoanType = FHA, VA`. Fields that no record of the type has are errors, unless the
 * type is a form, whose answers have any name. @throws CriteriaError
 */
export function parseCriteria(text: string, record: RecordType): readonly Criterion[] {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  if (lines.length > CONDITIONS_MAX) throw new CriteriaError(`at most ${CONDITIONS_MAX} conditions`);
  return lines.map((line) => parseCriterion(line, record));
}

function parseCriterion(line: string, record: RecordType): Criterion {
  const at = line.indexOf('=');
  const name = line.slice(0, Math.max(at, 0)).replace(/\s/g, '');
  const cell = line.slice(at + 1).trim();
  if (name === '' || cell === '') throw new CriteriaError(`Field = cell, found "${line.slice(0, 60)}"`);
  const column = record.columns.get(name.toLowerCase());
  const isUsable = column ? column.read !== null && column.field.kind !== 'ssn' : record.answers !== undefined;
  if (!isUsable) {
    const names = record.shown.map((each) => each.name);
    throw new CriteriaError(`a field of ${record.name}, found ${name.slice(0, 60)}${inlineHint(name, names)}`);
  }
  const type = column && types[column.field.kind];
  return { field: name.toLowerCase(), type, test: parseTest(cell, type) };
}

function parseTest(cell: string, type: InputType): Criterion['test'] {
  if (/^null$/i.test(cell)) return 'empty';
  if (/^not\s+null$/i.test(cell)) return 'filled';
  try {
    return parseCell(cell, type) ?? 'filled';
  } catch (error) {
    if (!(error instanceof CellSyntaxError)) throw error;
    throw new CriteriaError(`${error.expected}, found "${cell.slice(0, 60)}"`);
  }
}

/** How cells are compared with fields of a kind; others by their form. */
const types: Readonly<Partial<Record<Field['kind'], InputType>>> = {
  integer: 'Number',
  decimal: 'Number',
  money: 'Number',
  id: 'Number',
  date: 'Date',
  timestamp: 'Date',
};

/** Whether a record meets all conditions. A field without a value meets only `null`. */
export function meetsCriteria(criteria: readonly Criterion[], subject: Subject): boolean {
  if (criteria.length === 0) return true;
  const values = availableInputs(subject, {});
  return criteria.every(({ field, type, test }) => {
    const value = values.get(field) ?? null;
    const text = value === null ? '' : textOf(value);
    if (test === 'empty' || test === 'filled') return (text === '') === (test === 'empty');
    return text !== '' && matchesCell(test, parseInputValue(text, type));
  });
}
