import { parseCell } from '../../../lib/decision-tables/cell.ts';
import type { Grid } from '../../../lib/decision-tables/grid.ts';
import type { InputType } from '../../../lib/decision-tables/input-value.ts';
import type { SentFinding } from '../shared/matrix-cell.ts';

/** A cell that ends a tie of two rows whose ranges overlap. */
export interface RangeFix {
  /** Counted from 0. */
  readonly row: number;
  readonly column: number;
  readonly text: string;
  readonly label: string;
}

interface NumberRange {
  readonly row: number;
  readonly low: number;
  readonly high: number;
}

/** Amounts have cents: the next range begins one after the last ends. */
const STEP = 0.01;

/** Returns the fix of a tie: the higher of two ranges of numbers begins where the lower ends. */
export function rangeFix(
  { columns, rows }: Grid,
  { Finding, Input, Row, OtherRow }: SentFinding,
): RangeFix | undefined {
  const column = columns.findIndex(({ kind, name }) => kind === 'Input' && name === Input);
  if (Finding !== 'Tie' || column < 0) return undefined;
  const type = (columns[column]?.type ?? undefined) as InputType;
  const ranges = [Row, OtherRow].flatMap((number) => {
    const row = (number ?? 0) - 1;
    const range = numberRange(rows[row]?.[column] ?? '', type);
    return range ? [{ row, ...range }] : [];
  });
  const [lower, higher] = ranges.sort((a, b) => a.low - b.low);
  return lower && higher ? startAfter(lower, higher, column) : undefined;
}

function startAfter(lower: NumberRange, higher: NumberRange, column: number): RangeFix | undefined {
  if (lower.low === higher.low || higher.high <= lower.high) return undefined;
  const { row, high } = higher;
  const end = lower.high.toLocaleString('en-US', { maximumFractionDigits: 2 });
  if (high === Infinity) return { row, column, text: `>${lower.high}`, label: `Start row ${row + 1} above ${end}` };
  const start = Number((lower.high + STEP).toFixed(2));
  const label = `Start row ${row + 1} at ${start.toLocaleString('en-US', { minimumFractionDigits: 2 })}`;
  return { row, column, text: `${start} - ${high}`, label };
}

function numberRange(cell: string, type: InputType): Omit<NumberRange, 'row'> | undefined {
  const parsed = parseCell(cell, type);
  const [item, ...more] = parsed?.items ?? [];
  const isRange = item?.kind === 'range' && item.scale === 'number' && more.length === 0 && parsed?.negated === false;
  // A bound such as <5 ends at the largest number below, after which nothing can begin.
  return isRange && (item.high === Infinity || Number.isInteger(item.high * 100)) ? item : undefined;
}
