import type { Differences } from '../../../lib/decision-tables/differences.ts';
import type { Grid, GridColumn } from '../../../lib/decision-tables/grid.ts';

/** A cell of a decision table as it is shown. */
export interface ShownCell {
  /** An empty condition, which anything matches. */
  readonly isAny: boolean;
  /** Whether "not" precedes the text. */
  readonly isNegated: boolean;
  readonly text: string;
}

/** Returns how a cell is shown: numbers of numeric columns with grouped digits. */
export function shownCell(text: string, { kind, type }: Pick<GridColumn, 'kind' | 'type'>): ShownCell {
  const format = isNumeric(type) ? groupedNumbers : (plain: string): string => plain;
  if (kind === 'Output') return { isAny: false, isNegated: false, text: text === '' ? '—' : format(text) };
  if (text === '') return { isAny: true, isNegated: false, text: 'any' };
  const rest = /^not\s+(.*)$/is.exec(text)?.[1];
  return { isAny: false, isNegated: rest !== undefined, text: format(rest ?? text) };
}

/** Groups the digits of numbers, and writes bounds and ranges with their signs. */
function groupedNumbers(text: string): string {
  return text
    .replace(/(?<![\d.,])\d{4,}/g, (digits) => digits.replace(/\B(?=(?:\d{3})+$)/g, ','))
    .replace(/>=\s*/g, '≥ ')
    .replace(/<=\s*/g, '≤ ')
    .replace(/([<>])\s*/g, '$1 ')
    .replace(/\s-\s/g, ' – ');
}

/** Whether the cells of a column line up at the right. */
export const isNumeric = (type: string | null): boolean => type === 'Number' || type === 'Money';

/** A finding about rows of the table, for the mark in its margin. */
export interface RowMark {
  readonly row: number;
  readonly severity: 'error' | 'warning';
  /** The column at fault, counted from 0; undefined for the row as a whole. */
  readonly column?: number | undefined;
  readonly text: string;
}

/** What the page of a matrix hands to its script. */
export interface MatrixData {
  readonly id: number;
  readonly version: number;
  readonly grid: Grid;
  readonly differences: Differences;
  readonly marks: readonly RowMark[];
  readonly mayEdit: boolean;
}

/** The element that has the data, as JSON. */
export const MATRIX_DATA_ID = 'matrix-data';

/** A finding as operations answer it. */
export interface SentFinding {
  readonly Finding: string;
  readonly Severity: 'Error' | 'Warning';
  readonly Title: string;
  readonly Description: string;
  readonly Row?: number | null;
  readonly OtherRow?: number | null;
  readonly Input?: string | null;
  readonly Output?: string | null;
  readonly Cells?: Readonly<Record<string, string>> | null;
  readonly Key: string;
  readonly AcceptedPersonID?: number | null;
  readonly AcceptedReason?: string | null;
}

/** Returns the marks of the rows that findings are about. Accepted warnings have none. */
export function marksOf(findings: readonly SentFinding[], { columns }: Grid): RowMark[] {
  return findings.flatMap((finding) => {
    const { Severity, Title, Description, Row, OtherRow, Input, Output, AcceptedReason } = finding;
    if (typeof AcceptedReason === 'string') return [];
    const severity = Severity === 'Error' ? 'error' : 'warning';
    const kind = typeof Output === 'string' ? 'Output' : 'Input';
    const column = columns.findIndex((each) => each.kind === kind && each.name === (Output ?? Input));
    return [Row, OtherRow].flatMap((number): RowMark[] =>
      typeof number === 'number' && number > 0
        ? [
            {
              row: number - 1,
              severity,
              column: column < 0 ? undefined : column,
              text: `${Title}. ${Description}`,
            },
          ]
        : [],
    );
  });
}
