import type { Field } from '../declare/field-types.ts';
import type { Answer, ListAnswer, Row, Shape } from '../door/answer.ts';
import { valueText } from '../parameters/value-text.ts';
import { listText, type ListParts } from './list-parts.ts';
import { PlatformError } from '../door/errors.ts';

/**
 * Renders a list as comma-separated values (RFC 4180) with a header row. A leading apostrophe disarms text that a
 * spreadsheet would run as a formula.
 */
export function toCsv(answer: Answer): string {
  if (answer.kind !== 'list') throw listRequired();
  return listText(answer, csvParts(answer));
}

/** Returns the parts of a list's CSV. */
export function csvParts({ shape }: ListAnswer<object>): ListParts {
  return {
    open: `${shape.map(({ name }) => csvCell(neutralizeFormula(name))).join(',')}\r\n`,
    row: (row) => `${shape.map((column) => columnText(column, (row as Row)[column.name])).join(',')}\r\n`,
    between: '',
    close: '',
  };
}

function columnText({ field }: Shape[number], value: unknown): string {
  return csvCell(spreadsheetText(field, value));
}

/** Returns a value as text that no spreadsheet runs as a formula; '' for none. */
export function spreadsheetText({ kind }: Pick<Field, 'kind'>, value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = valueText(value);
  return numericKinds.has(kind) ? text : neutralizeFormula(text);
}

/** Kinds whose values may begin with a minus without being text. */
const numericKinds: ReadonlySet<string> = new Set(['integer', 'id', 'decimal', 'money']);

/** Disarms text that a spreadsheet would run as a formula, with a leading apostrophe. */
export function neutralizeFormula(text: string): string {
  return /^[=+\-@＝＋－＠\t\r\n]/.test(text) ? `'${text}` : text;
}

/** Returns the error for CSV output of an answer that is not a list. */
export function listRequired(): PlatformError {
  return new PlatformError('BAD_OUTPUT', {
    field: 'Output',
    message: 'Output: Csv is for searches and reports; this operation does not return a list.',
  });
}

/** Returns a cell, quoted if necessary. */
export function csvCell(text: string, delimiter = ','): string {
  return text.includes(delimiter) || /["\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
