import type { LetterReport, LetterState } from '../../../../contracts/delivery.ts';

/** Status of a letter. `Queued`: somebody decided to mail it. `Unknown`: the mail house may have it or not. */
export type LetterStatus = 'Preparing' | 'Prepared' | 'Queued' | 'Unknown' | LetterState;

/** How far a letter is known to have come. A report of an earlier state never takes a letter back. */
const rank: Readonly<Record<LetterStatus, number>> = {
  Preparing: 0,
  Prepared: 0,
  Queued: 1,
  Unknown: 1,
  Submitted: 2,
  Canceled: 3,
  Failed: 3,
  Mailed: 4,
  Delivered: 5,
  Returned: 6,
};

/** What a report changes about a letter. */
export interface LetterChange {
  /** Absent if the letter has come further. */
  readonly status?: LetterState;
  /** The state whose date is set if it has none. */
  readonly dated: LetterState;
  readonly date: string;
  readonly reason?: string;
  readonly reference?: string;
  readonly trackingNumber?: string;
  readonly costCents?: number;
}

/**
 * Returns what a report changes about a letter. Reports may be repeated and arrive in any order: the furthest state
 * wins, and each state has the date of its first report. A letter that was mailed after all, although it was to be
 * stopped, is mailed; one that was delivered can still come back.
 */
export function changeOfReport(status: LetterStatus, report: LetterReport): LetterChange {
  const { state, date, reason, reference, trackingNumber, costCents } = report;
  const isFurther = rank[state] > rank[status];
  return {
    ...(isFurther ? { status: state } : {}),
    dated: state,
    date,
    ...(isFurther && reason !== undefined ? { reason } : {}),
    ...(reference === undefined ? {} : { reference }),
    ...(trackingNumber === undefined ? {} : { trackingNumber }),
    ...(costCents === undefined ? {} : { costCents }),
  };
}
