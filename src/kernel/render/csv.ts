import type { Answer, Row } from '../door/answer.ts';
import { valueText } from '../parameters/value-text.ts';
import { PlatformError } from '../door/errors.ts';

/**
 * Renders a list as comma-separated values (RFC 4180) with a header row. A leading apostrophe disarms text that a
 * spreadsheet would run as a formula.
 */
export function toCsv(answer: Answer): string {
  if (answer.kind !== 'list') throw listRequired();
  const lines = [answer.shape.map(({ name }) => csvCell(neutralizeFormula(name))).join(',')];
  for (const row of answer.rows as readonly Row[]) {
    lines.push(
      answer.shape
        .map(({ name, field }) => {
          const value = row[name];
          if (value === null || value === undefined) return '';
          const text = valueText(value);
          return csvCell(numericKinds.has(field.kind) ? text : neutralizeFormula(text));
        })
        .join(','),
    );
  }
  return `${lines.join('\r\n')}\r\n`;
}

/** Kinds whose values may begin with a minus without being text. */
const numericKinds: ReadonlySet<string> = new Set(['integer', 'id', 'decimal', 'money']);

function neutralizeFormula(text: string): string {
  return /^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text;
}

/** Returns the error for CSV output of an answer that is not a list. */
export function listRequired(): PlatformError {
  return new PlatformError('BAD_OUTPUT', {
    field: 'Output',
    message: 'Output: Csv is for searches and reports; this operation does not answer a list.',
  });
}

/** Returns a cell, quoted if necessary. */
export function csvCell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
