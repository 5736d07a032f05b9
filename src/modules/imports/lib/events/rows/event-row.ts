import type { CaseKind, EventCodeConfig } from '../../../../cases/public/event-codes.ts';

/** One row of an event file that is saved or reported. */
export interface EventRow {
  /** Number among the records of the file, from 1. */
  readonly ordinal: number;
  readonly line: number;
  /** Saved; failed, with `message`; or repeated further down, where the last one counts. */
  outcome: 'kept' | 'failed' | 'repeated';
  message: string | undefined;
  readonly provider: string;
  readonly code: string;
  readonly loan: string;
  /** File or case number, if that identifies the case. */
  readonly key: string;
  readonly kind: CaseKind;
  readonly meaning: EventCodeConfig | undefined;
  /**
   * When it happened, was created and was recorded, in the database's form and the installation's time zone; '' if not
   * given. The latter two are also '' if nothing depends on them.
   */
  readonly at: string;
  readonly created: string;
  readonly recorded: string;
  /** Other values for a case or delay, by column name; undefined if the kind needs none. */
  readonly values: Readonly<Record<string, string>> | undefined;
  /** Positions of its columns, and of its name among them, in the piece's bytes. */
  readonly start: number;
  readonly end: number;
  readonly nameStart: number;
  readonly nameEnd: number;
  // Resolved while the piece is written.
  firm: number;
  loanId: number;
  /** Identifies the case, see `caseKey`; '' until firm and loan are known. */
  caseKey: string;
  caseId: number;
  /** Whether an event created the case. */
  isCaseMade: boolean;
  /** The task that it completes or projects; its id is set once the task is found or created. */
  task: { readonly id: number } | undefined;
  delayId: number;
  eventId: number;
}

/** Rows of a file that are written together. */
export interface RowPiece {
  readonly rows: EventRow[];
  /** The 110 columns of the accepted rows, in COPY form. */
  readonly bytes: Buffer;
  /** Number of the last record that is processed with these rows. */
  readonly lastOrdinal: number;
}

/** Returns a value, or null if it is empty or missing. */
export function orNull(value: string | undefined): string | null {
  return value === undefined || value === '' ? null : value;
}
