import { bad } from '../../../../kernel/parameters/parse-value.ts';

/** A limit on rows: a count, or a percentage of all rows. */
export interface Threshold {
  readonly amount: number;
  readonly isPercent: boolean;
  /** The setting that it is from; undefined if it is the import type's own. */
  readonly setting?: string;
}

/**
 * Parses `25` or `2.5%`; empty means no limit.
 * @throws BAD_PARAMETER naming the field
 */
export function parseThreshold(text: string | null | undefined, field: string): Threshold | undefined {
  const trimmed = text?.trim() ?? '';
  if (trimmed === '') return undefined;
  const match = /^(\d{1,9}(?:\.\d{1,4})?)\s*(%?)$/.exec(trimmed);
  const amount = Number(match?.[1]);
  const share = match?.[2] === '%';
  if (!match || (share ? amount > 100 : !Number.isInteger(amount)))
    throw bad(field, 'a count of rows such as 25, or a percentage such as 2.5%');
  return { amount, isPercent: share };
}

/** Rows of a run so far; `total` if it is known. */
export interface RowCounts {
  readonly success: number;
  readonly errors: number;
  readonly total: number | undefined;
}

/**
 * Whether enough rows have failed for the run to stop. A percentage is one of all rows; while their number is unknown,
 * it is checked only at the end.
 */
export function exceedsFailureThreshold(threshold: Threshold | undefined, { errors, total }: RowCounts): boolean {
  if (!threshold) return false;
  if (!threshold.isPercent) return errors > threshold.amount;
  return total !== undefined && errors > (total * threshold.amount) / 100;
}

/** Whether so few rows were saved at the end that the run has failed. */
export function missesSuccessThreshold(threshold: Threshold | undefined, { success, total }: RowCounts): boolean {
  if (!threshold) return false;
  return success < (threshold.isPercent ? ((total ?? 0) * threshold.amount) / 100 : threshold.amount);
}
